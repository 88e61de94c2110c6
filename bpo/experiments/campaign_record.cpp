#include "bpo/experiments/campaign_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bpo/core/error.h"
#include "bpo/core/file.h"
#include "bpo/runs/result.h"

namespace bpo::experiments {
namespace {

constexpr std::size_t kMostBytes = 16 << 20;

std::string path_in(const std::string& directory) { return directory + "/campaign.json"; }

/// The parts that are there; of a file that is none of ours, or of an older form, nothing is kept.
Json parts_in(const std::string& directory) {
  const std::string path = path_in(directory);
  if (!exists(path)) return Json::array();
  const Json json = Json::parse(read_file(path, kMostBytes), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("parts")) return Json::array();
  return json["parts"];
}

Json::iterator find_choice(Json& parts, const Json& part) {
  return std::find_if(parts.begin(), parts.end(), [&](const Json& old) {
    return old.value("items", Json()) == part["items"] && old.value("only", Json()) == part["only"];
  });
}

void write(const std::string& directory, Json parts, const Json& part) {
  const auto at = find_choice(parts, part);
  at == parts.end() ? parts.push_back(part) : void(*at = part);
  write_file_atomic(path_in(directory), json_text(Json{{"parts", parts}}));
}

}  // namespace

Json campaign_part(const std::vector<const Experiment*>& items,
                   const std::vector<std::string>& only, const std::vector<Task>& tasks,
                   const CampaignEnd& end, const Scale& scale) {
  std::set<std::string> commits;
  std::size_t done = 0;
  double training = 0.0;
  for (const Task& task : tasks) {
    if (!is_done(task)) continue;
    const Measurement stored = *stored_result(task.directory);
    ++done;
    commits.insert(stored.machine.commit);
    if (stored.training) training += stored.training->seconds;
  }
  const Machine machine = this_machine();
  Json names = Json::array();
  for (const Experiment* item : items) names.push_back(item->name);
  return {{"items", names},
          {"only", only},
          {"commit", machine.commit},
          {"commits_of_runs", commits},
          {"cpu", machine.cpu},
          {"cores", machine.cores},
          {"threads", end.threads},
          {"quick", scale.quick},
          {"runs", tasks.size()},
          {"runs_done", done},
          {"runs_made_now", end.made},
          {"wall_seconds", end.seconds},
          {"training_seconds", training}};
}

Json add_to_part(const std::string& directory, Json part) {
  make_directories(directory);
  Json parts = parts_in(directory);
  const auto at = find_choice(parts, part);
  if (at != parts.end() && at->contains("wall_seconds") && (*at)["wall_seconds"].is_number()) {
    part["wall_seconds"] = part["wall_seconds"].get<double>() + (*at)["wall_seconds"].get<double>();
  }
  write(directory, std::move(parts), part);
  return part;
}

void replace_part(const std::string& directory, const Json& part) {
  write(directory, parts_in(directory), part);
}

}  // namespace bpo::experiments
