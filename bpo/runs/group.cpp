#include "bpo/runs/group.h"

#include <algorithm>
#include <numeric>

#include "bpo/runs/settings.h"

namespace bpo {

bool Group::exact() const {
  return std::all_of(runs.begin(), runs.end(),
                     [](const Measurement& m) { return m.exact_value.has_value(); });
}

std::vector<double> Group::values() const {
  std::vector<double> out;
  for (const Measurement& m : runs) out.push_back(m.value());
  return out;
}

std::vector<double> Group::means() const {
  std::vector<double> out;
  for (const Measurement& m : runs) out.push_back(m.mean);
  return out;
}

std::vector<double> Group::returns() const {
  std::vector<double> out(runs.front().returns.size());
  for (const Measurement& m : runs) {
    for (std::size_t e = 0; e < out.size(); ++e) {
      out[e] += m.returns[e] / static_cast<double>(runs.size());
    }
  }
  return out;
}

double Group::mean() const {
  const std::vector<double> all = values();
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

std::size_t Group::best_seed() const {
  const std::vector<double> all = values();
  return static_cast<std::size_t>(std::max_element(all.begin(), all.end()) - all.begin());
}

std::int64_t Group::faults() const {
  std::int64_t sum = 0;
  for (const Measurement& m : runs) sum += m.faults;
  return sum;
}

std::optional<Bounds> Group::bounds() const {
  std::optional<Bounds> out;
  for (const Measurement& m : runs) {
    if (m.bounds_fit()) out = tightest(out, m.bounds);
  }
  return out;
}

Group measure_group(const std::string& directory, const std::vector<LoadedPolicy>& runs,
                    const Protocol& protocol, Log& log, ThreadPool& pool) {
  Group out{.directory = directory};
  for (const LoadedPolicy& run : runs) out.runs.push_back(measure(run, protocol, log, pool));
  return out;
}

std::vector<Group> measure_groups(const std::vector<std::string>& directories,
                                  const Protocol& protocol, Log& log, ThreadPool& pool) {
  std::vector<std::vector<LoadedPolicy>> loaded;
  for (const std::string& directory : directories) {
    loaded.push_back(load_runs(directory, protocol.sets, protocol.greedy));
    check_one_problem(loaded.front().front(), loaded.back().front());
  }
  std::vector<Group> out;
  for (std::size_t k = 0; k < loaded.size(); ++k) {
    out.push_back(measure_group(directories[k], loaded[k], protocol, log, pool));
    out.back().differs = world_difference(loaded.front().front(), loaded[k].front());
  }
  return out;
}

}  // namespace bpo
