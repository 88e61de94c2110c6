#include "bpo/report/identify_text.h"

#include <fmt/format.h>

#include "bpo/report/line_chart.h"
#include "bpo/report/page.h"
#include "bpo/report/table.h"

namespace bpo::report {
namespace {

std::string verdict(const IdentifiedLatent& l) {
  std::string out = l.identifiable() ? "" : "not identifiable: the log does not say";
  if (!l.confounded.empty()) {
    out +=
        fmt::format("{}confounded with {}", out.empty() ? "" : "; ", fmt::join(l.confounded, ", "));
  }
  return out;
}

Rows latent_rows(const Identification& found) {
  Rows rows{{"latent", "mean", "sd", "90 % interval", "prior's", "as compiled", ""}};
  const auto range = [](const Posterior& p) {
    return fmt::format("[{:.4g}, {:.4g}]", p.low, p.high);
  };
  for (const IdentifiedLatent& l : found.latents) {
    rows.push_back({l.name, fmt::format("{:.4g}", l.last().mean),
                    fmt::format("{:.2g}", l.last().sd), range(l.last()), range(l.prior),
                    l.nominal ? fmt::format("{:.4g}", *l.nominal) : "several", verdict(l)});
  }
  return rows;
}

/// Sentences about the whole.
std::vector<std::string> remarks(const Identification& found) {
  std::vector<std::string> out{fmt::format(
      "{} rows, {:.4g} s. One step of the model as compiled misses the log by {:.3g} "
      "standard deviations of what the filter expects, at the posterior's means by "
      "{:.3g}.",
      found.rows, found.seconds * (found.rows - 1), found.nominal.rms, found.found.rms)};
  if (found.found.rms > 3.0) {
    out.emplace_back(
        "No model of the prior explains the log well: something else is different, or sigma in "
        "[filter] is too small. The intervals are then too narrow.");
  }
  if (found.lost > 0) {
    out.push_back(
        fmt::format("In {} steps no model explained what was read, and the belief began "
                    "anew from the prior.",
                    found.lost));
  }
  if (!found.unused.empty()) {
    out.push_back(fmt::format("Columns not used: {}.", fmt::join(found.unused, ", ")));
  }
  return out;
}

}  // namespace

std::string identification_text(const Identification& found) {
  return aligned(latent_rows(found), {1, 2}) +
         fmt::format("\n{}\n", fmt::join(remarks(found), "\n"));
}

Json identification_json(const Identification& found) {
  Json out{{"problem", found.problem}, {"rows", found.rows}, {"step_seconds", found.seconds}};
  for (const IdentifiedLatent& l : found.latents) {
    out["latents"][l.name] = {{"mean", l.last().mean},
                              {"sd", l.last().sd},
                              {"low", l.last().low},
                              {"high", l.last().high},
                              {"prior_sd", l.prior.sd},
                              {"as_compiled", l.nominal ? Json(*l.nominal) : Json()},
                              {"identifiable", l.identifiable()},
                              {"confounded", l.confounded}};
  }
  out["misses"] = {{"as_compiled", found.nominal.rms}, {"posterior_mean", found.found.rms}};
  out["lost_steps"] = found.lost;
  out["unused_columns"] = found.unused;
  return out;
}

std::string identification_page(const Identification& found, const std::string& log) {
  Page page(fmt::format("{}: what {} says", found.problem, log));
  page.heading(2, "What is known after the log");
  page.table(latent_rows(found), {1, 2});
  for (const std::string& remark : remarks(found)) page.paragraph(remark);
  page.heading(2, "How it became known");
  for (const IdentifiedLatent& l : found.latents) {
    Line line{.name = l.name};
    for (std::size_t t = 0; t < l.steps.size(); ++t) {
      line.x.push_back(static_cast<double>(t) * found.seconds);
      line.y.push_back(l.steps[t].mean);
      line.low.push_back(l.steps[t].low);
      line.high.push_back(l.steps[t].high);
    }
    LineChart chart{.title = l.name, .x_label = "seconds", .y_label = l.name, .lines = {line}};
    if (l.nominal) chart.levels.push_back({"as compiled", *l.nominal});
    page.figure(draw(chart), fmt::format("{}: posterior mean and 90 % interval.", l.name));
  }
  return page.html();
}

}  // namespace bpo::report
