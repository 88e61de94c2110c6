#include "bpo/cli/arguments.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "bpo/core/error.h"
#include "bpo/core/parallel.h"

namespace bpo::cli {
namespace {

constexpr std::int64_t kMaxThreads = 1024;

/// The number that makes up the whole text and lies in range.
template <class T>
T parse(const std::string& name, const std::string& text, T low, T high, const char* kind) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !(value >= low && value <= high)) {
    throw bad_input(
        fmt::format("{} {}: must be {} in [{}, {}]", name, text.substr(0, 40), kind, low, high));
  }
  return value;
}

}  // namespace

CLI::Option* add_integer(CLI::App& app, const std::string& name, std::int64_t& value,
                         std::int64_t low, std::int64_t high, const std::string& help) {
  const auto read = [&value, name, low, high](const std::string& text) {
    value = parse(name, text, low, high, "an integer");
  };
  return app.add_option_function<std::string>(name, read, help)
      ->type_name("N")
      ->default_str(fmt::to_string(value));
}

CLI::Option* add_number(CLI::App& app, const std::string& name, double& value, double low,
                        double high, const std::string& help) {
  const auto read = [&value, name, low, high](const std::string& text) {
    value = parse(name, text, low, high, "a number");
  };
  return app.add_option_function<std::string>(name, read, help)
      ->type_name("X")
      ->default_str(fmt::to_string(value));
}

CLI::Option* add_threads(CLI::App& app, std::int64_t& threads) {
  if (threads == 0) threads = ThreadPool::available();
  return add_integer(app, "--threads", threads, 1, kMaxThreads,
                     "threads; the results are the same for any number");
}

CLI::Option* add_sets(CLI::App& app, std::vector<std::string>& sets, const std::string& help) {
  return app.add_option("--set", sets, help)->type_name("KEY=VALUE")->allow_extra_args(false);
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "print the result as one JSON object");
}

void add_episodes(CLI::App& app, EpisodeArguments& episodes) {
  add_integer(app, "--episodes", episodes.count, 0, 10'000'000,
              "fresh episodes; 0: as many as usual, fewer where a step takes long");
  add_episode_seed(app, episodes);
}

void add_episode_seed(CLI::App& app, EpisodeArguments& episodes) {
  add_integer(app, "--seed", episodes.seed, 0, kMaxSeed,
              "of the episodes; equal seeds give every policy the same random numbers");
}

void add_other_world(CLI::App& app, EpisodeArguments& episodes) {
  app.add_flag("--greedy", episodes.greedy, "always take the most probable action");
  add_sets(app, episodes.sets, "another world: problem.KEY=VALUE; repeatable");
}

Config config_of(const std::vector<std::string>& sets, const std::string& prefix) {
  Config config;
  for (const std::string& assignment : sets) {
    if (!assignment.starts_with(prefix)) {
      throw bad_input(
          fmt::format("--set {}: only {}* can be set here", assignment.substr(0, 80), prefix));
    }
    config.set(assignment);
  }
  return config;
}

}  // namespace bpo::cli
