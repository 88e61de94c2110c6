#include "bpo/report/belief_moments.h"

#include <fmt/format.h>

#include "bpo/core/belief_moments.h"

namespace bpo::report {

LineChart moments_over_time(const Trace& trace, int factor) {
  const auto f = static_cast<std::size_t>(factor);
  const std::string& name = trace.view.latents[f];
  LineChart chart{fmt::format("Belief over {}", name), "step", name, {}};
  Line mean{"mean and 90 % interval", {}, {}, {}, {}}, truth{"truth", {}, {}};
  const auto add = [&](double t, const Sight& sight) {
    const Marginal m = marginal(*trace.spec.moments, sight.belief, factor);
    mean.x.push_back(t);
    mean.y.push_back(m.mean);
    mean.low.push_back(m.low);
    mean.high.push_back(m.high);
    truth.x.push_back(t);
    truth.y.push_back(sight.latent[f]);
  };
  for (const Moment& m : trace.moments) add(m.t, m.sight);
  add(static_cast<double>(trace.moments.size()), trace.end);
  chart.lines = {std::move(mean), std::move(truth)};
  return chart;
}

std::string moments_text(const Trace& trace, const Sight& sight) {
  std::string out;
  for (int f = 0; f < trace.spec.moments->factors(); ++f) {
    const Marginal m = marginal(*trace.spec.moments, sight.belief, f);
    out += fmt::format("{}{:.3g}+-{:.2g}", f > 0 ? " " : "", m.mean, m.sd);
  }
  return out;
}

}  // namespace bpo::report
