#include "bpo/experiments/experiment.h"

#include <algorithm>

#include "bpo/core/any_problem.h"

namespace bpo::experiments {

std::vector<const Experiment*> items_of(const std::vector<std::string>& names) {
  std::vector<const Experiment*> out;
  for (const std::string& name : names) {
    const Experiment* item = &all().at(name);
    if (std::find(out.begin(), out.end(), item) == out.end()) out.push_back(item);
  }
  if (!out.empty()) return out;
  for (const auto& [name, item] : all().entries()) {
    if (!item.only_by_name) out.push_back(&item);
  }
  std::sort(out.begin(), out.end(),
            [](const Experiment* a, const Experiment* b) { return a->place < b->place; });
  return out;
}

std::vector<Request> requests_of(const std::vector<const Experiment*>& items, const Scale& scale) {
  std::vector<Request> out;
  for (const Experiment* item : items) {
    for (Request& request : item->requests(scale)) {
      if (problems().contains(request.series.problem)) out.push_back(std::move(request));
    }
  }
  return out;
}

}  // namespace bpo::experiments
