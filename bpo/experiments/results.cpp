#include "bpo/experiments/results.h"

#include <fmt/format.h>

#include <algorithm>

#include "bpo/core/error.h"
#include "bpo/core/file.h"

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
           {"measured_in", request.protocol.sets},
           {"greedy", request.protocol.greedy}};
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

bool same(const Json& a, const Json& b, std::initializer_list<const char*> keys) {
  return std::all_of(keys.begin(), keys.end(),
                     [&](const char* key) { return a.value(key, Json()) == b.value(key, Json()); });
}

/// Whether one of the commits that an entry names is none of these.
bool is_of_others(const Json& entry, const std::set<std::string>& commits) {
  const Json& all = entry.at("commits");
  return std::any_of(all.begin(), all.end(), [&](const Json& commit) {
    return !commits.contains(commit.get<std::string>());
  });
}

/// Figures' numbers are an object, or an array with an entry for each problem and more.
void merge_figures(const Json& found, Json& kept) {
  if (!found.is_array() || !kept.is_array()) return kept.merge_patch(found);
  for (const Json& entry : found) {
    const auto stale = [&](const Json& old) { return same(old, entry, {"problem", "baseline"}); };
    kept.erase(std::remove_if(kept.begin(), kept.end(), stale), kept.end());
    kept.push_back(entry);
  }
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

Json merged_results(Json kept, const Json& found, std::set<std::string> comparable) {
  for (const Json& entry : found.at("series")) {
    for (const Json& commit : entry.at("commits")) comparable.insert(commit.get<std::string>());
  }
  Json& series = kept.at("series");
  for (const Json& entry : found.at("series")) {
    const auto stale = [&](const Json& old) {
      return same(old, entry, {"problem", "set"}) &&
             (same(old, entry, {"method", "measured_in", "greedy"}) ||
              is_of_others(old, comparable));
    };
    series.erase(std::remove_if(series.begin(), series.end(), stale), series.end());
    series.push_back(entry);
  }
  if (found.contains("figures")) merge_figures(found["figures"], kept["figures"]);
  return kept;
}

void merge_into(const std::string& directory, const Json& results,
                const std::set<std::string>& comparable) {
  constexpr std::size_t kMostBytes = 64 << 20;
  std::vector<std::pair<std::string, Json>> files;
  for (const Json& found : results) {
    if (found.at("series").empty()) continue;
    const std::string path =
        fmt::format("{}/{}.json", directory, found.at("item").get<std::string>());
    try {
      files.emplace_back(path, exists(path) ? merged_results(Json::parse(read_file(path, kMostBytes)),
                                                             found, comparable)
                                            : found);
    } catch (const Json::exception& e) {
      throw bad_input(fmt::format("{}: not a results file of `bpo reproduce` ({})", path, e.what()));
    }
  }
  make_directories(directory);
  for (const auto& [path, json] : files) write_file_atomic(path, json_text(json));
}

}  // namespace bpo::experiments
