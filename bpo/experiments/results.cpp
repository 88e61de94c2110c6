#include "bpo/experiments/results.h"

#include <fmt/format.h>

#include <algorithm>

#include "bpo/core/error.h"
#include "bpo/core/file.h"
#include "bpo/core/parse_json.h"

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

/// What tells a series from another; older files do not say that their actions were sampled.
Json key_of(const Json& entry) {
  return {entry.at("problem"), entry.at("set"), entry.at("method"), entry.at("measured_in"),
          entry.value("greedy", false)};
}

bool are_of_one_problem(const Json& a, const Json& b) {
  return a.at("problem") == b.at("problem") && a.at("set") == b.at("set");
}

/// Whether one of the commits that an entry names is none of these.
bool is_of_others(const Json& entry, const std::set<std::string>& commits) {
  const Json& all = entry.at("commits");
  return std::any_of(all.begin(), all.end(), [&](const Json& commit) {
    return !commits.contains(commit.get<std::string>());
  });
}

template <class Is>
void erase_if(Json& array, Is is) {
  array.erase(std::remove_if(array.begin(), array.end(), is), array.end());
}

/// Figures' numbers are an object, or an array with an entry for each problem and baseline; of a
/// baseline whose series went, none are kept.
void merge_figures(const Json& found, const Json& series, Json& kept) {
  if (!found.is_array() || !kept.is_array()) return kept.merge_patch(found);
  for (const Json& entry : found) {
    erase_if(kept, [&](const Json& old) {
      return old.at("problem") == entry.at("problem") && old.at("baseline") == entry.at("baseline");
    });
    kept.push_back(entry);
  }
  erase_if(kept, [&](const Json& figure) {
    return std::none_of(series.begin(), series.end(), [&](const Json& entry) {
      return entry.at("problem") == figure.at("problem") &&
             entry.at("method") == figure.at("baseline");
    });
  });
}

std::string name_of(const Json& entry) {
  return fmt::format("{}{} {} ({})", entry.at("problem").get<std::string>(),
                     entry.at("set").empty() ? "" : " " + entry.at("set").dump(),
                     entry.at("method").get<std::string>(),
                     fmt::join(entry.at("commits").get<std::vector<std::string>>(), ", "));
}

std::string path_of(const std::string& directory, const std::string& item) {
  return fmt::format("{}/{}.json", directory, item);
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

Json merged_results(Json kept, const Json& found, std::set<std::string> comparable,
                    std::set<std::string>* gone) {
  for (const Json& entry : found.at("series")) {
    for (const Json& commit : entry.at("commits")) comparable.insert(commit.get<std::string>());
  }
  const Json& fresh = found.at("series");
  Json& series = kept.at("series");
  const auto any = [&](auto is) { return std::any_of(fresh.begin(), fresh.end(), is); };
  erase_if(series, [&](const Json& old) {
    if (any([&](const Json& entry) { return key_of(old) == key_of(entry); })) return true;
    const bool stale = is_of_others(old, comparable) &&
                       any([&](const Json& entry) { return are_of_one_problem(old, entry); });
    if (stale && gone != nullptr) gone->insert(name_of(old));
    return stale;
  });
  for (const Json& entry : fresh) series.push_back(entry);
  if (found.contains("figures")) merge_figures(found["figures"], series, kept["figures"]);
  return kept;
}

std::map<std::string, Json> kept_results(const std::string& directory,
                                         const std::vector<const Experiment*>& items) {
  constexpr std::size_t kMostBytes = 64 << 20;
  std::map<std::string, Json> out;
  for (const Experiment* item : items) {
    const std::string path = path_of(directory, item->name);
    if (!exists(path)) continue;
    try {
      const Json json = parse_json(read_file(path, kMostBytes));
      merged_results(json, json, {}, nullptr);  // throws where something is missing
      out[item->name] = json;
    } catch (const Json::exception& e) {
      throw bad_input(
          fmt::format("{}: not a results file of `bpo reproduce` ({})", path, e.what()));
    }
  }
  return out;
}

std::set<std::string> merge_into(const std::string& directory,
                                 const std::vector<const Experiment*>& items, const Json& results,
                                 const std::set<std::string>& comparable) {
  std::set<std::string> gone;
  make_directories(directory);
  const RunLock lock(directory);
  std::map<std::string, Json> kept = kept_results(directory, items);
  for (const Json& found : results) {
    if (found.at("series").empty()) continue;
    const std::string item = found.at("item");
    const Json merged =
        kept.contains(item) ? merged_results(kept[item], found, comparable, &gone) : found;
    write_file_atomic(path_of(directory, item), json_text(merged));
  }
  return gone;
}

}  // namespace bpo::experiments
