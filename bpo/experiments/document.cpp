#include "bpo/experiments/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bpo/core/error.h"
#include "bpo/core/file.h"
#include "bpo/core/json.h"
#include "bpo/core/parse_json.h"
#include "bpo/experiments/plan.h"
#include "bpo/report/table.h"

namespace bpo::experiments {
namespace {

constexpr std::size_t kMaxBytes = 64 << 20;
constexpr std::string_view kBegin = "<!-- table ", kBeginEnd = " -->\n",
                           kEnd = "<!-- end of table -->\n", kCompact = " compact";

std::optional<double> optional_number(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

Request read_request(const Json& json) {
  Request out;
  out.series.problem = json.at("problem");
  out.series.method = json.at("method");
  out.series.sets = json.at("set").get<std::vector<std::string>>();
  out.protocol.sets = json.at("measured_in").get<std::vector<std::string>>();
  const Json& episodes = json.at("episodes");
  if (!episodes.is_number_integer()) {
    throw Json::type_error::create(302, "episodes must be a whole number", &episodes);
  }
  out.protocol.episodes = episodes;
  out.protocol.greedy = json.value("greedy", false);
  return out;
}

Group read_group(const Request& request, const Json& json) {
  Group out{.directory = request.series.directory()};
  const bool exact = json.at("exact");
  const auto commits = json.at("commits").get<std::vector<std::string>>();
  for (const Json& value : json.at("values")) {
    Measurement& m = out.runs.emplace_back();
    m.run.problem = request.series.problem;
    m.run.algorithm = request.series.method;
    if (!is_planner(request.series.method)) m.training.emplace();
    m.mean = value;
    m.ci95 = optional_number(json.at("ci95_over_episodes"));
    m.episodes = request.protocol.episodes;
    if (exact) m.exact_value = m.mean;
    m.optimum = optional_number(json.at("optimum"));
    m.bayes_policy = optional_number(json.at("bayes_policy"));
    m.machine.commit = fmt::format("{}", fmt::join(commits, " and "));
  }
  return out;
}

/// A sentence as "Trained at commit 112ad83f2f37 (tiger, chain), 08425b5b5220 (ant)."
std::string provenance(const Experiment& item, const Findings& findings) {
  std::vector<std::pair<std::string, std::vector<std::string>>> problems;  // by commit
  for (const Request& request : item.requests(findings.scale())) {
    const Group* f = findings.find(request);
    if (f == nullptr) continue;
    const std::string& commit = f->runs.front().machine.commit;
    auto at = std::find_if(problems.begin(), problems.end(),
                           [&](const auto& entry) { return entry.first == commit; });
    if (at == problems.end()) at = problems.insert(at, {commit, {}});
    auto& names = at->second;
    if (std::find(names.begin(), names.end(), f->problem()) == names.end()) {
      names.push_back(f->problem());
    }
  }
  std::string out;
  for (const auto& [commit, names] : problems) {
    out += fmt::format("{}{} ({})", out.empty() ? "Trained at commit " : ", ", commit,
                       fmt::join(names, ", "));
  }
  return out + ".\n";
}

Error not_results(const std::string& name, const Experiment& item, const Json::exception& e) {
  return bad_input(
      fmt::format("{}: not a results file of `bpo reproduce {}` ({}); copy it anew from "
                  "runs/reproduce/results",
                  name, item.name, e.what()));
}

/// The table of the numbers beside the series; nothing where the file has none, as one that was
/// written before they were kept.
std::optional<report::Table> table_of_numbers(const std::string& text, const Experiment& item,
                                              const std::string& name) {
  try {
    const Json json = Json::parse(text);
    if (!json.contains("figures")) return std::nullopt;
    return item.numbers_table(json.at("figures"));
  } catch (const Json::exception& e) {
    throw not_results(name, item, e);
  }
}

/// What a mark names, as "table-a2", or "table-a2 compact" for the smaller one.
std::string generated(const std::string& mark, const std::string& directory) {
  const bool compact = mark.ends_with(kCompact);
  const std::string name = mark.substr(0, mark.size() - (compact ? kCompact.size() : 0));
  const Experiment& item = all().at(name);
  if (!item.table && !item.numbers_table) {
    throw bad_input(
        fmt::format("a document cannot have the table of {}: it needs single episodes, "
                    "which results files do not keep",
                    name));
  }
  if (compact && !item.compact) {
    throw bad_input(fmt::format("{} has no compact table; the mark of its table is {}{}{}", name,
                                kBegin, name, kBeginEnd.substr(0, kBeginEnd.size() - 1)));
  }
  const std::string path = fmt::format("{}/{}.json", directory, name);
  if (!exists(path)) {
    throw bad_input(
        fmt::format("{}: there is no such file; `bpo reproduce {}` writes it to "
                    "runs/reproduce/results",
                    path, name));
  }
  const std::string text = read_file(path, kMaxBytes);
  const Findings findings = read_results(text, item, path);
  if (!item.table) {
    const std::optional<report::Table> numbers = table_of_numbers(text, item, path);
    if (!numbers) {
      return fmt::format("Not counted yet; `build/bpo reproduce {} --into results` does.\n", name);
    }
    return report::markdown(numbers->rows, numbers->right) + '\n' + provenance(item, findings);
  }
  const report::Table table = compact ? item.compact(findings) : item.table(findings);
  return report::markdown(table.rows, table.right) + '\n' + provenance(item, findings);
}

}  // namespace

Findings read_results(std::string_view text, const Experiment& item, const std::string& name) {
  Findings out;
  try {
    const Json json = parse_json(text);
    if (json.at("item") != item.name) {
      throw bad_input(
          fmt::format("{}: holds the results of another item than {}", name, item.name));
    }
    if (json.at("quick").get<bool>()) {
      throw bad_input(fmt::format("{}: was made with --quick; `bpo reproduce {}` makes it in full",
                                  name, item.name));
    }
    const std::vector<Request> requests = item.requests(out.scale());
    for (const Json& series : json.at("series")) {
      const Request request = read_request(series);
      const std::string directory = request.series.directory();
      if (std::none_of(requests.begin(), requests.end(), [&](const Request& r) {
            return r.series.directory() == directory &&
                   r.protocol.name() == request.protocol.name();
          })) {
        throw bad_input(
            fmt::format("{}: {} is not a part of {} at the plan's settings; `bpo "
                        "reproduce {}` without --set and --episodes makes what is",
                        name, directory, item.name, item.name));
      }
      Group group = read_group(request, series);
      if (!enough_seeds(group) && !is_planner(request.series.method)) {
        throw bad_input(fmt::format("{}: {} has {} seeds, and a table needs at least {}", name,
                                    directory, group.seeds(), report::kEnoughSeeds));
      }
      out.add(request, std::move(group));
    }
  } catch (const Json::exception& e) {
    throw not_results(name, item, e);
  }
  return out;
}

std::string with_tables(std::string_view document, const std::string& name,
                        const std::string& directory) {
  std::string out;
  for (std::size_t from = 0;;) {
    const std::size_t begin = document.find(kBegin, from);
    if (begin == document.npos) {
      if (from == 0) {
        throw bad_input(
            fmt::format("{}: no table to fill in; a line '<!-- table table-a2 -->' and, "
                        "below it, a line '<!-- end of table -->' make a place for one",
                        name));
      }
      return out += document.substr(from);
    }
    const std::size_t item = begin + kBegin.size();
    const std::size_t item_end = document.find(kBeginEnd, item);
    const std::size_t line_end = document.find('\n', begin);
    const std::size_t end = document.find(kEnd, begin), next = document.find(kBegin, item);
    const auto line = 1 + std::count(document.begin(), document.begin() + begin, '\n');
    if (item_end == document.npos || item_end > line_end) {
      throw bad_input(fmt::format("{}:{}: the line must end in ' -->'", name, line));
    }
    if (end == document.npos || next < end) {
      throw bad_input(
          fmt::format("{}:{}: the table has no end; a line '<!-- end of table -->' must "
                      "follow it",
                      name, line));
    }
    out += document.substr(from, item_end + kBeginEnd.size() - from);
    out += generated(std::string(document.substr(item, item_end - item)), directory);
    out += kEnd;
    from = end + kEnd.size();
  }
}

void refresh_tables(const std::string& document, const std::string& directory) {
  constexpr std::size_t kMostBytes = 16 << 20;
  if (!exists(document)) throw bad_input(document + ": there is no such document to fill in");
  const std::string old = read_file(document, kMostBytes, Links::kFollowed);
  write_file_atomic(document, with_tables(old, document, directory), Links::kFollowed);
}

}  // namespace bpo::experiments
