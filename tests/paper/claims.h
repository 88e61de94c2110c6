// What README and docs/reproduce.md claim of BPO: the series behind their tables, which are made
// from results/*.json. Trained anew, a series must reach the claimed mean over seeds minus the
// claim's own 95 % interval over seeds: within it another commit's bits are the same result.
#pragma once

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "bpo/core/file.h"
#include "bpo/experiments/document.h"
#include "tests/support/paths.h"

namespace bpo::test {

/// A mean over seeds, as measured by one protocol.
struct Claim {
  Protocol protocol;
  int seeds = 1;
  double mean = 0.0, half = 0.0;
};

/// A series with all that is claimed of it.
struct Claimed {
  Series series;
  std::vector<Claim> claims;

  friend std::ostream& operator<<(std::ostream& out, const Claimed& c) {
    return out << c.series.directory();
  }
};

/// What results/ITEM.json has found; nothing where the item has no such file.
inline experiments::Findings kept(const experiments::Experiment& item) {
  const std::string path = std::string(kSourcePath) + "/results/" + item.name + ".json";
  if (!exists(path)) return experiments::Findings{};
  return experiments::read_results(read_file(path, 64 << 20), item, path);
}

/// Every series of BPO in a table, by name.
inline std::map<std::string, Claimed> claimed() {
  std::map<std::string, Claimed> out;
  for (const auto& [name, item] : experiments::all().entries()) {
    if (!item.table) continue;
    const experiments::Findings findings = kept(item);
    for (const Request& request : item.requests({})) {
      const Group* found = findings.find(request);
      if (request.series.method != "bpo" || found == nullptr) continue;
      const int seeds = static_cast<int>(found->seeds());
      Claimed& series = out[request.series.directory()];
      if (series.claims.empty()) series.series = request.series;
      const bool known =
          std::any_of(series.claims.begin(), series.claims.end(),
                      [&](const Claim& c) { return c.protocol.name() == request.protocol.name(); });
      if (known) continue;
      const report::Mean mean = report::over_seeds(found->values());
      series.claims.push_back({request.protocol, seeds, mean.mean, mean.half});
    }
  }
  for (auto& [name, series] : out) {
    series.series.seeds = 0;
    for (const Claim& claim : series.claims) {
      series.series.seeds = std::max(series.series.seeds, claim.seeds);
    }
  }
  return out;
}

}  // namespace bpo::test
