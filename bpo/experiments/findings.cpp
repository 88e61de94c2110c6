#include "bpo/experiments/findings.h"

#include <algorithm>

namespace bpo::experiments {

bool Finding::exact() const {
  return std::all_of(runs.begin(), runs.end(), [](const Measured& m) { return !!m.exact_value; });
}

std::vector<double> Finding::values() const {
  std::vector<double> out;
  for (const Measured& m : runs) out.push_back(m.value());
  return out;
}

std::vector<double> Finding::returns() const {
  std::vector<double> out(runs.front().returns.size());
  for (const Measured& m : runs) {
    for (std::size_t e = 0; e < out.size(); ++e) {
      out[e] += m.returns[e] / static_cast<double>(runs.size());
    }
  }
  return out;
}

void Findings::add(Finding finding) {
  const std::pair key(finding.series.directory(), finding.look.name());
  found_.insert_or_assign(key, std::move(finding));
}

const Finding* Findings::find(const Request& request) const {
  const auto found = found_.find({request.series.directory(), request.look.name()});
  return found == found_.end() || found->second.runs.empty() ? nullptr : &found->second;
}

}  // namespace bpo::experiments
