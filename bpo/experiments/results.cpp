#include "bpo/experiments/results.h"

#include <algorithm>
#include <set>

namespace bpo::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

/// Each different value once, in the order of the seeds.
template <class Of>
Json distinct(const Finding& f, Of of) {
  Json out = Json::array();
  for (const Measured& m : f.runs) {
    const Json value = of(m);
    if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
  }
  return out;
}

Json finding_json(const Finding& f) {
  const std::vector<double> values = f.values();
  Json out{{"problem", f.series.problem},
           {"method", f.series.method},
           {"set", f.series.sets},
           {"measured_in", f.look.sets}};
  out["seeds"] = Json::array();
  for (std::size_t seed = 0; seed < f.seeds(); ++seed) out["seeds"].push_back(seed);
  out["values"] = values;
  out["exact"] = f.exact();
  out["mean"] = f.mean();
  out["ci95_over_seeds"] = f.enough_seeds() ? Json(report::over_seeds(values).half) : Json();
  out["ci95_over_episodes"] = f.exact() ? Json() : Json(report::over_episodes(f.returns()).half);
  out["best_seed"] = f.best_seed();
  out["best"] = f.best().value();
  out["interquartile_mean"] = report::interquartile_mean(values);
  out["optimum"] = number_or_null(f.optimum());
  out["bayes_policy"] = number_or_null(f.runs.front().bayes_policy);
  out["episodes"] = f.look.episodes;
  out["diverged"] = Json::array();
  for (std::size_t seed = 0; seed < f.seeds(); ++seed) {
    if (f.runs[seed].diverged) out["diverged"].push_back(seed);
  }
  out["faults"] = Json::array();
  for (const Measured& m : f.runs) out["faults"].push_back(m.faults);
  out["commits"] = distinct(f, [](const Measured& m) { return Json(m.machine.commit); });
  out["machines"] = distinct(f, [](const Measured& m) {
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
  std::set<const Finding*> seen;
  for (const Request& request : item.requests(findings.scale())) {
    const Finding* f = findings.find(request);
    if (f != nullptr && seen.insert(f).second) out["series"].push_back(finding_json(*f));
  }
  return out;
}

}  // namespace bpo::experiments
