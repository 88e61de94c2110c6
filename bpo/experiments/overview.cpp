#include "bpo/experiments/overview.h"

#include <fmt/format.h>

#include <cmath>

#include "bpo/report/table.h"
#include "bpo/runs/campaign.h"

namespace bpo::experiments {
namespace {

Cost cost_of(const std::string& name, const std::string& title,
             const std::vector<const Experiment*>& items, const Scale& scale) {
  const std::vector<Task> tasks = tasks_of(requests_of(items, scale), "");
  Cost out{name, title, tasks.size()};
  for (const Task& task : tasks) out.seconds += task.series.seconds;
  return out;
}

}  // namespace

std::vector<Cost> costs_of(const std::vector<std::string>& names, const Scale& scale) {
  const std::vector<const Experiment*> items = items_of(names);
  std::vector<Cost> out;
  for (const Experiment* item : items) {
    out.push_back(cost_of(item->name, item->title, {item}, scale));
  }
  if (items.size() > 1) {
    out.push_back(cost_of("all of them", "runs that several need are made once", items, scale));
  }
  for (const auto& [name, item] : all().entries()) {
    if (!names.empty() || !item.only_by_name) continue;
    out.push_back(cost_of(name, item.title + " (only by name)", {&item}, scale));
  }
  return out;
}

std::string extent_text(const Scale& scale) {
  constexpr double kManyMinutes = 90.0;
  const Cost all = cost_of("", "", items_of({}), scale);
  const double minutes = all.seconds / 120.0;
  const std::string time = minutes < kManyMinutes
                               ? fmt::format("{:.0f} minutes", std::ceil(minutes))
                               : fmt::format("{:.0f} h", minutes / 60.0);
  return fmt::format("{} runs, about {} on two cores", all.runs, time);
}

std::string costs_text(const std::vector<Cost>& costs) {
  report::Rows rows{{"item", "what", "runs", "minutes on 2 cores"}};
  for (const Cost& cost : costs) {
    rows.push_back({cost.name, cost.title, fmt::to_string(cost.runs),
                    fmt::format("{:.0f}", std::ceil(cost.seconds / 120.0))});
  }
  return report::aligned(rows, {2, 3});
}

Json costs_json(const std::vector<Cost>& costs) {
  Json out = Json::array();
  for (const Cost& cost : costs) {
    out.push_back({{"item", cost.name},
                   {"title", cost.title},
                   {"runs", cost.runs},
                   {"core_seconds", cost.seconds}});
  }
  return out;
}

}  // namespace bpo::experiments
