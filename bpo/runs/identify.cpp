#include "bpo/runs/identify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/core/belief_moments.h"
#include "bpo/core/file.h"
#include "bpo/core/problem_file.h"
#include "bpo/runs/recorded.h"

namespace bpo {
namespace {

constexpr double kTail = 0.05, kCorrelated = 0.8;
constexpr std::size_t kMostLogBytes = std::size_t{1} << 28;
constexpr int kParts = 200;  // into which a prior is cut where a belief does not say how

/// A distribution over parts of the prior, equally probable before: even within each.
Posterior over_parts(const std::function<double(double)>& quantile, std::span<const double> mass) {
  Posterior out;
  const auto n = static_cast<double>(mass.size());
  double below = 0.0, squares = 0.0;
  out.low = out.high = quantile(0.0);
  for (std::size_t i = 0; i < mass.size(); ++i) {
    const double from = static_cast<double>(i) / n, to = static_cast<double>(i + 1) / n;
    for (int k = 0; k < 10; ++k) {
      const double x = quantile(from + (k + 0.5) / 10.0 * (to - from));
      out.mean += 0.1 * mass[i] * x;
      squares += 0.1 * mass[i] * x * x;
    }
    const auto place = [&](double p) {
      return quantile(from + (p - below) / mass[i] * (to - from));
    };
    if (below <= kTail && below + mass[i] > kTail) out.low = place(kTail);
    if (below < 1.0 - kTail && below + mass[i] >= 1.0 - kTail) out.high = place(1.0 - kTail);
    below += mass[i];
  }
  out.sd = std::sqrt(std::max(squares - out.mean * out.mean, 0.0));
  return out;
}

/// The posterior of each factor alone, by its cells, and how pairs of them are correlated.
struct CellBelief {
  std::vector<std::vector<double>> marginals;
  std::vector<std::vector<double>> correlation;
};

CellBelief on_grid(const BeliefGrid& grid, std::span<const float> belief) {
  const std::size_t n = grid.axes.size();
  CellBelief out;
  for (const auto& axis : grid.axes) out.marginals.emplace_back(axis.size(), 0.0);
  std::vector<double> mean(n, 0.0);
  std::vector product(n, std::vector<double>(n, 0.0));
  double total = 0.0;
  for (std::size_t cell = 0; cell < belief.size(); ++cell) {
    std::vector<std::size_t> at(n);
    for (std::size_t f = n, rest = cell; f-- > 0; rest /= grid.axes[f].size()) {
      at[f] = rest % grid.axes[f].size();
    }
    const double p = belief[cell];
    total += p;
    for (std::size_t f = 0; f < n; ++f) {
      out.marginals[f][at[f]] += p;
      mean[f] += p * grid.axes[f][at[f]];
      for (std::size_t g = 0; g < n; ++g) {
        product[f][g] += p * grid.axes[f][at[f]] * grid.axes[g][at[g]];
      }
    }
  }
  for (auto& marginal : out.marginals) {
    for (double& p : marginal) p /= total;
  }
  out.correlation.assign(n, std::vector<double>(n, 0.0));
  const auto covariance = [&](std::size_t f, std::size_t g) {
    return product[f][g] / total - mean[f] * mean[g] / (total * total);
  };
  for (std::size_t f = 0; f < n; ++f) {
    for (std::size_t g = 0; g < n; ++g) {
      const double spread = std::sqrt(std::max(covariance(f, f) * covariance(g, g), 0.0));
      if (f != g && spread > 1e-12) out.correlation[f][g] = covariance(f, g) / spread;
    }
  }
  return out;
}

/// Within what the prior allows.
Posterior posterior_of(const Marginal& m, const std::function<double(double)>& quantile) {
  const double least = quantile(0.0), most = quantile(1.0);
  return {m.mean, m.sd, std::clamp(m.low, least, most), std::clamp(m.high, least, most)};
}

void take(const Tracker& tracker, const RecordingFormat& format, Identification& out, bool last) {
  const ProblemSpec& spec = tracker.spec();
  const auto belief = tracker.inputs().belief[0];
  if (!spec.moments && !(spec.grid && spec.grid->joint)) {
    throw bad_input(fmt::format("{}: its belief does not say what it knows of each latent",
                                short_name(spec.name)));
  }
  const CellBelief cells = spec.moments ? CellBelief{} : on_grid(*spec.grid, belief);
  const auto n = static_cast<int>(out.latents.size());
  for (int f = 0; f < n; ++f) {
    IdentifiedLatent& latent = out.latents[f];
    const auto& quantile = format.latents[f].quantile;
    latent.steps.push_back(spec.moments ? posterior_of(marginal(*spec.moments, belief, f), quantile)
                                        : over_parts(quantile, cells.marginals[f]));
    for (int g = 0; g < n && last; ++g) {
      if (g == f) continue;
      const double together =
          spec.moments ? correlation(*spec.moments, belief, f, g) : cells.correlation[f][g];
      if (std::abs(together) > kCorrelated) latent.confounded.push_back(out.latents[g].name);
    }
  }
}

}  // namespace

Identification identify(const std::string& problem, const std::string& log,
                        const std::vector<std::string>& sets) {
  const std::string name = open_problem(problem);
  const RecordingFormat format = recording_format(name);
  const Recording recording =
      read_recording(read_file(log, kMostLogBytes, Links::kFollowed), log, format);
  const std::size_t rows = recording.observations.size();
  Config config;
  config.set(fmt::format("problem.horizon={}", rows - 1));
  config.set("problem.start=anywhere");
  for (const std::string& set : sets)
    config.set(set.find('.') == set.npos ? "problem." + set : set);
  const auto built = problems().at(name).make(config);
  const auto tracker = built->make_tracker();
  Identification out{.problem = short_name(name),
                     .seconds = format.seconds,
                     .rows = static_cast<int>(rows),
                     .unused = recording.unused};
  std::vector<double> means;
  for (const auto& latent : format.latents) {
    const std::vector<double> even(kParts, 1.0 / kParts);
    out.latents.push_back({.name = latent.name,
                           .nominal = latent.nominal,
                           .prior = over_parts(latent.quantile, even)});
  }
  tracker->begin(0, 0, recording.observations[0]);
  take(*tracker, format, out, rows == 1);
  for (std::size_t t = 0; t + 1 < rows; ++t) {
    out.lost += !tracker->update(recording.actions[t], recording.observations[t + 1]);
    take(*tracker, format, out, t + 2 == rows);
  }
  for (const IdentifiedLatent& latent : out.latents) means.push_back(latent.last().mean);
  out.nominal = format.misses({}, recording);
  out.found = format.misses(means, recording);
  return out;
}

}  // namespace bpo
