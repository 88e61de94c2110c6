#include "bpo/experiments/campaign_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "bpo/core/claim.h"
#include "bpo/core/error.h"
#include "bpo/core/file.h"
#include "bpo/core/parse_json.h"
#include "bpo/runs/result.h"

namespace bpo::experiments {
namespace {

constexpr std::size_t kMostBytes = 16 << 20;
constexpr std::chrono::seconds kBeat{2};

/// Null if the file is not JSON.
Json read_json(const std::string& path) {
  try {
    return parse_json(read_file(path, kMostBytes));
  } catch (const Json::exception&) {
    return Json();
  }
}

bool is_of_choice(const Json& json, const Json& part) {
  return json.is_object() && json.value("items", Json()) == part.at("items") &&
         json.value("only", Json()) == part.at("only");
}

/// When a command was under way, in seconds of the machine's calendar.
struct Span {
  double began = 0.0, ended = 0.0;
  auto operator<=>(const Span&) const = default;
};

Span span_of(const Json& command) {
  const double began = command.at("began");
  return {began, began + command.at("seconds").get<double>()};
}

/// The time that the spans cover together.
double covered(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end());
  double out = 0.0, until = spans.front().began;
  for (const Span& span : spans) {
    out += std::max(0.0, span.ended - std::max(until, span.began));
    until = std::max(until, span.ended);
  }
  return out;
}

bool is_command(const Json& json) {
  if (!json.is_object()) return false;
  const Json part = json.value("part", Json());
  return part.is_object() && part.contains("items") && part.contains("only") &&
         json.value("began", Json()).is_number() && json.value("seconds", Json()).is_number();
}

std::vector<Json> commands_in(const std::string& directory) {
  std::vector<Json> out;
  for (const std::string& name : names_in(directory + "/commands")) {
    if (name.starts_with(".") || !name.ends_with(".json")) continue;
    Json json = read_json(fmt::format("{}/commands/{}", directory, name));
    if (is_command(json)) out.push_back(std::move(json));
  }
  return out;
}

void write_parts(const std::string& directory, const Json& parts) {
  write_file_atomic(directory + "/campaign.json", json_text(Json{{"parts", parts}}));
}

}  // namespace

Json campaign_part(const std::vector<const Experiment*>& items,
                   const std::vector<std::string>& only, const std::vector<Task>& tasks,
                   int threads, const Scale& scale) {
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
          {"threads", threads},
          {"quick", scale.quick},
          {"runs", tasks.size()},
          {"runs_done", done},
          {"training_seconds", training}};
}

CommandRecord::CommandRecord(const std::string& directory, Json part, CampaignLog& shown)
    : shown_(shown) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const double began = std::chrono::duration<double>(now).count();
  make_directories(directory + "/commands");
  path_ = fmt::format("{}/commands/{:.6f}, {}.json", directory, began, this_process());
  part["runs_made_now"] = 0;
  command_ = {{"began", began}, {"seconds", 0.0}, {"part", std::move(part)}};
  write();
}

CommandRecord::~CommandRecord() {
  try {
    write();
  } catch (const Error&) {  // what stopped the command says why
  }
}

void CommandRecord::begin(const Task& task) {
  shown_.begin(task);
  beat();
}

void CommandRecord::heard(const Task& task, double share) {
  shown_.heard(task, share);
  beat();
}

void CommandRecord::end(const Task& task, bool finished) { shown_.end(task, finished); }

void CommandRecord::finish(Json part, std::size_t made) {
  part["runs_made_now"] = made;
  command_["part"] = std::move(part);
  write();
}

void CommandRecord::beat() {
  const std::lock_guard lock(mutex_);
  if (Clock::now() - written_ >= kBeat) write();
}

void CommandRecord::write() {
  written_ = Clock::now();
  command_["seconds"] = std::chrono::duration<double>(written_ - began_).count();
  write_file_atomic(path_, json_text(command_));
}

Json campaign_parts(const std::string& directory) {
  struct Choice {
    Json part;
    double ended = 0.0;
    std::vector<Span> spans;
  };
  std::vector<Choice> choices;
  for (const Json& command : commands_in(directory)) {  // in the order of their beginnings
    const Json& part = command["part"];
    auto choice = std::find_if(choices.begin(), choices.end(),
                               [&](const Choice& c) { return is_of_choice(c.part, part); });
    if (choice == choices.end()) choice = choices.insert(choice, Choice{});
    const Span span = span_of(command);
    choice->spans.push_back(span);
    if (span.ended < choice->ended) continue;
    choice->part = part;
    choice->ended = span.ended;
  }
  Json out = Json::array();
  for (Choice& choice : choices) {
    choice.part["commands"] = choice.spans.size();
    choice.part["wall_seconds"] = covered(choice.spans);
    out.push_back(std::move(choice.part));
  }
  return out;
}

Json write_campaign(const std::string& directory, const Json& part) {
  const Json parts = campaign_parts(directory);
  make_directories(directory + "/results");
  write_parts(directory + "/results", parts);
  return *std::find_if(parts.begin(), parts.end(),
                       [&](const Json& p) { return is_of_choice(p, part); });
}

void replace_part(const std::string& directory, const Json& part) {
  const RunLock lock(directory);
  const std::string path = directory + "/campaign.json";
  const Json json = exists(path) ? read_json(path) : Json();
  Json parts = json.is_object() ? json.value("parts", Json()) : Json();
  if (!parts.is_array()) parts = Json::array();  // the file is none of ours, or of an older form
  const auto at = std::find_if(parts.begin(), parts.end(),
                               [&](const Json& old) { return is_of_choice(old, part); });
  at == parts.end() ? parts.push_back(part) : void(*at = part);
  write_parts(directory, parts);
}

}  // namespace bpo::experiments
