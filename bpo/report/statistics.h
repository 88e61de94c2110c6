// What a few runs say about a method: means with 95 % intervals, interquartile means, stratified
// bootstrap, differences, probability of improvement, performance profiles (Agarwal et al. 2021).
// Pure functions; the bootstrap's random numbers have a fixed seed, so a report can be made again.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace bpo::report {

/// With fewer seeds than this, an interval over seeds would say more about Student's t than about
/// the seeds.
inline constexpr std::size_t kEnoughSeeds = 3;
/// With fewer runs than this, no resample of them reaches as far as their bootstrap interval
/// should.
inline constexpr std::size_t kEnoughForBootstrap = 5;

/// A mean and the half width of its 95 % interval; NaN where one value has no interval.
struct Mean {
  double mean = 0.0, half = 0.0;
  bool has_interval() const { return half == half; }
};

/// A value and its 95 % interval, which need not be symmetric.
struct Estimate {
  double value = 0.0, low = 0.0, high = 0.0;
};

/// Scores of runs that stand for the same thing: the seeds of one problem.
using Stratum = std::vector<double>;
using Statistic = std::function<double(std::span<const Stratum>)>;

/// The 97.5 % quantile of Student's t; a fraction of a degree counts as none.
double t_quantile(double degrees);

double mean_of(std::span<const double> values);
/// The mean over seeds with an interval by Student's t.
Mean over_seeds(std::span<const double> values);
/// The mean over episodes with an interval by the normal law, meant for hundreds of them.
Mean over_episodes(std::span<const double> values);
/// The index of the largest value.
std::size_t best_of(std::span<const double> values);

/// The mean of a[e] - b[e] with its interval, where episode e has the same random numbers in both.
Mean paired_difference(std::span<const double> a, std::span<const double> b);
/// mean(a) - mean(b), its standard error and its degrees of freedom, for unrelated seeds (Welch and
/// Satterthwaite). There must be at least two of each.
struct Welch {
  double difference = 0.0, error = 0.0, degrees = 0.0;
};
Welch welch(std::span<const double> a, std::span<const double> b);
/// The difference of two means over seeds, with Welch's interval.
Mean seed_difference(std::span<const double> a, std::span<const double> b);

/// The mean of the middle half; a value on its border counts in part.
double interquartile_mean(std::span<const double> values);
/// The interquartile mean of the scores of all strata together.
double interquartile_mean(std::span<const Stratum> strata);

/// Percentiles of the statistic over resamples; each draws every stratum's runs anew from that
/// stratum, with replacement. The percentiles are further out than 2.5 and 97.5, for resamples of
/// few runs spread less than the runs do (expanded percentiles, Hesterberg 2015).
Estimate bootstrap(std::span<const Stratum> strata, const Statistic& statistic,
                   int resamples = 10000);

/// P(X > Y) + P(X = Y)/2 for a run of each, with a score interval (Newcombe 2006, method 5): unlike
/// a bootstrap it is not certain where the few runs of X all beat those of Y.
Estimate probability_of_improvement(std::span<const double> x, std::span<const double> y);

/// The share of a stratum's runs that score above tau, averaged over the strata, for each tau.
std::vector<double> performance_profile(std::span<const Stratum> strata,
                                        std::span<const double> taus);

}  // namespace bpo::report
