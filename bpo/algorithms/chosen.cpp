#include "bpo/algorithms/chosen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bpo {
namespace {

struct Row {
  const char *problem, *method;
  Choice choice;
};

/// The table: what `bpo reproduce tune-PROBLEM` found. EPOpt's rows of the robots are older: a worst
/// tenth wants fifty episodes to choose from.
constexpr Row kRows[] = {{"ant", "epopt", {.batch = 6.25}},
                         {"chain", "up-mle", {.batch = 0.5}},
                         {"half-cheetah", "epopt", {.batch = 6.25}},
                         {"swimmer", "epopt", {.batch = 6.25}}};

/// What a choice changes.
struct Scaled {
  std::int64_t batch_steps, iterations, validate_every;
  double kl, kl_end;
};

Scaled scaled(const Choice& choice, const TrainOptions& train, const OptimizerOptions& optimizer) {
  const std::int64_t usual = optimizer.batch_steps;
  const std::int64_t batch = std::max<std::int64_t>(
      1, std::llround(choice.batch * static_cast<double>(optimizer.batch_steps)));
  const auto fewer = [&](std::int64_t iterations) {
    return std::max<std::int64_t>(1, iterations * usual / batch);
  };
  return {batch, fewer(train.iterations), fewer(train.validate_every), choice.kl * optimizer.kl,
          choice.kl * optimizer.kl_end};
}

}  // namespace

Choice chosen(const std::string& problem, const std::string& method) {
  for (const Row& row : kRows) {
    if (problem == row.problem && method == row.method) return row.choice;
  }
  return {};
}

void make_default(const Choice& choice, Config& config, TrainOptions& train,
                  OptimizerOptions& optimizer) {
  if (choice == Choice{}) return;
  const Scaled to = scaled(choice, train, optimizer);
  if (config.is_default("optimizer.batch_steps")) {
    config.change_default("optimizer.batch_steps", to.batch_steps);
    config.change_default("algo.iterations", to.iterations);
    config.change_default("algo.validate_every", to.validate_every);
  }
  config.change_default("optimizer.kl", to.kl);
  config.change_default("optimizer.kl_end", to.kl_end);
  config.read("algo", train);
  config.read("optimizer", optimizer);
}

std::vector<std::string> settings_of(const Choice& choice, const std::string& problem,
                                     const std::string& method,
                                     const std::vector<std::string>& sets, double share) {
  Config config;
  for (const std::string& set : sets) config.set(set);
  problems().at(problem).resolve(config);
  TrainOptions train{.worst_share = algorithms().at(method).method.worst_share};
  OptimizerOptions optimizer;
  config.read("algo", train);
  config.read("optimizer", optimizer);
  Scaled to = scaled(choice, train, optimizer);
  to.iterations =
      std::max<std::int64_t>(1, std::llround(share * static_cast<double>(to.iterations)));
  return {fmt::format("optimizer.batch_steps={}", to.batch_steps),
          fmt::format("algo.iterations={}", to.iterations),
          fmt::format("algo.validate_every={}", to.validate_every),
          fmt::format("optimizer.kl={}", to.kl), fmt::format("optimizer.kl_end={}", to.kl_end)};
}

}  // namespace bpo
