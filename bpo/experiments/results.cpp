#include "bpo/experiments/results.h"

#include <algorithm>
#include <set>

namespace bpo::experiments {
namespace {

/// The values of `of` over the runs, each different one once, in the order of the seeds.
template <class Of>
Json distinct(const Group& f, Of of) {
  Json out = Json::array();
  for (const Measurement& m : f.runs) {
    const Json value = of(m);
    if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
  }
  return out;
}

Json group_json(const Request& request, const Group& f) {
  const std::vector<double> values = f.values();
  Json out{{"problem", request.series.problem},
           {"method", request.series.method},
           {"set", request.series.sets},
           {"measured_in", request.protocol.sets}};
  out["seeds"] = Json::array();
  for (const Measurement& m : f.runs) out["seeds"].push_back(m.run.seed);
  out["values"] = values;
  out["exact"] = f.exact();
  out["mean"] = f.mean();
  out["ci95_over_seeds"] = enough_seeds(f) ? Json(report::over_seeds(values).half) : Json();
  out["ci95_over_episodes"] = f.exact() ? Json() : Json(report::over_episodes(f.returns()).half);
  out["best_seed"] = f.best().run.seed;
  out["best"] = f.best().value();
  out["interquartile_mean"] = report::interquartile_mean(values);
  out["optimum"] = number_or_null(f.optimum());
  out["bayes_policy"] = number_or_null(f.runs.front().bayes_policy);
  out["episodes"] = request.protocol.episodes;
  out["episodes_of_seed"] = request.protocol.seed;
  out["diverged"] = Json::array();
  for (const Measurement& m : f.runs) {
    if (m.diverged) out["diverged"].push_back(m.run.seed);
  }
  out["faults"] = Json::array();
  for (const Measurement& m : f.runs) out["faults"].push_back(m.faults);
  out["commits"] = distinct(f, [](const Measurement& m) { return Json(m.machine.commit); });
  out["machines"] = distinct(f, [](const Measurement& m) {
    return Json{{"cpu", m.machine.cpu},
                {"cores", m.machine.cores},
                {"instruction_set", m.machine.instruction_set},
                {"compiler", m.machine.compiler},
                {"flags", m.machine.flags}};
  });
  return out;
}

}  // namespace

Json results_json(const Experiment& item, const Findings& findings) {
  Json out{{"item", item.name}, {"title", item.title}, {"quick", findings.scale().quick}};
  out["series"] = Json::array();
  std::set<const Group*> seen;
  for (const Request& request : item.requests(findings.scale())) {
    const Group* f = findings.find(request);
    if (f != nullptr && seen.insert(f).second) out["series"].push_back(group_json(request, *f));
  }
  if (item.numbers) out["figures"] = item.numbers(findings);
  return out;
}

}  // namespace bpo::experiments
