#include "bpo/report/study_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/report/axes.h"

namespace bpo::report {

std::string rounded(double x) { return std::isfinite(x) ? fmt::format("{:.2f}", x) : "not finite"; }

std::string rounded(const Mean& x) {
  if (!x.has_interval()) return rounded(x.mean) + " (one)";
  return fmt::format("{} {} {}", rounded(x.mean), kPlusMinus, rounded(x.half));
}

Line line_over_runs(const std::string& name, const std::vector<std::map<double, double>>& runs) {
  std::vector<double> xs;
  for (const auto& run : runs) {
    for (const auto& [x, y] : run) xs.push_back(x);
  }
  std::sort(xs.begin(), xs.end());
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  const std::size_t width = (xs.size() + kMostPoints - 1) / kMostPoints;
  Line line{.name = name};
  for (std::size_t i = 0; i < xs.size(); i += width) {
    const std::size_t last = std::min(i + width, xs.size()) - 1;
    std::vector<double> means;  // by run
    for (const auto& run : runs) {
      double sum = 0.0, count = 0.0;
      for (auto at = run.lower_bound(xs[i]); at != run.end() && at->first <= xs[last]; ++at) {
        sum += at->second;
        ++count;
      }
      if (count > 0.0) means.push_back(sum / count);
    }
    const Mean mean = over_seeds(means);
    line.x.push_back(0.5 * (xs[i] + xs[last]));
    line.y.push_back(mean.mean);
    if (runs.size() < kEnoughSeeds) continue;
    line.low.push_back(mean.mean - mean.half);
    line.high.push_back(mean.mean + mean.half);
  }
  return line;
}

std::string about_lines(const Study& study) {
  std::vector<std::string> all;
  bool bands = false;
  for (const Subject& s : study.subjects) {
    all.push_back(fmt::format("{}: {}", s.label, s.seeds()));
    bands = bands || enough_seeds(s);
  }
  return fmt::format("{}. {}", fmt::join(all, "; "),
                     bands ? fmt::format("Mean over seeds; bands are its 95 % interval (from {} "
                                         "seeds on).",
                                         kEnoughSeeds)
                           : "Mean over seeds; too few for an interval.");
}

std::string about_episodes(const Study& study) {
  return fmt::format("{} episodes of seed {}{}", study.protocol.episodes, study.protocol.seed,
                     study.protocol.greedy ? ", greedy" : "");
}

}  // namespace bpo::report
