#include "bpo/cli/arguments.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "bpo/core/error.h"
#include "bpo/core/parallel.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/signals.h"

namespace bpo::cli {
namespace {

constexpr std::int64_t kMaxThreads = 1024, kThreadsPerCore = 4;

void check_path(const std::string& name, const std::string& path) {
  if (!path.empty()) return;
  throw bad_input(name + ": is empty (a shell variable that is not set?); name a path");
}

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

/// "1h30m" in seconds.
double read_duration(const std::string& text) {
  double sum = 0.0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    double count = 0.0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), count);
    at = static_cast<std::size_t>(stop - text.data());
    const double unit = at == text.size() ? 0.0
                        : text[at] == 's' ? 1.0
                        : text[at] == 'm' ? 60.0
                        : text[at] == 'h' ? 3600.0
                        : text[at] == 'd' ? 86400.0
                                          : 0.0;
    if (error != std::errc{} || unit == 0.0 || !(count >= 0.0)) {
      sum = 0.0;
      break;
    }
    sum += count * unit;
  }
  if (sum > 0.0 && sum < 1e8) return sum;
  throw bad_input(
      fmt::format("--stop-at {}: must be a time like 90s, 30m, 2h or 1h30m", text.substr(0, 40)));
}

template <class T>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, T& value, T low, T high,
                        const char* kind, const std::string& help) {
  const auto read = [&value, name, low, high, kind](const std::string& text) {
    value = parse(name, text, low, high, kind);
  };
  return app.add_option_function<std::string>(name, read, help)->default_str(fmt::to_string(value));
}

}  // namespace

CLI::Option* add_integer(CLI::App& app, const std::string& name, std::int64_t& value,
                         std::int64_t low, std::int64_t high, const std::string& help) {
  return add_parsed(app, name, value, low, high, "an integer", help)->type_name("N");
}

CLI::Option* add_number(CLI::App& app, const std::string& name, double& value, double low,
                        double high, const std::string& help) {
  return add_parsed(app, name, value, low, high, "a number", help)->type_name("X");
}

CLI::Option* add_path(CLI::App& app, const std::string& name, std::string& path,
                      const std::string& help) {
  const auto read = [&path, name](const std::string& text) {
    check_path(name, text);
    path = text;
  };
  return app.add_option_function<std::string>(name, read, help)->type_name("PATH");
}

CLI::Option* add_paths(CLI::App& app, const std::string& name, std::vector<std::string>& paths,
                       const std::string& help) {
  const auto read = [&paths, name](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) check_path(name, text);
    paths = texts;
  };
  return app.add_option_function<std::vector<std::string>>(name, read, help)->type_name("PATH...");
}

CLI::Option* add_threads(CLI::App& app, std::int64_t& threads) {
  const std::int64_t cores = ThreadPool::available();
  if (threads == 0) threads = cores;
  const auto read = [&threads, cores](const std::string& text) {
    threads = parse<std::int64_t>("--threads", text, 1, kMaxThreads, "an integer");
    if (threads <= kThreadsPerCore * cores) return;
    terminal::notice(fmt::format("--threads {}: this machine has {} core{}; {} threads are used\n",
                                 threads, cores, cores == 1 ? "" : "s", cores));
    threads = cores;
  };
  return app
      .add_option_function<std::string>("--threads", read,
                                        "threads; the results are the same for any number")
      ->type_name("N")
      ->default_str(fmt::to_string(threads));
}

CLI::Option* add_sets(CLI::App& app, std::vector<std::string>& sets, const std::string& help) {
  return app.add_option("--set", sets, help)->type_name("KEY=VALUE")->allow_extra_args(false);
}

void add_stop_at(CLI::App& app) {
  const auto read = [](const std::string& text) { terminal::stop_after(read_duration(text)); };
  app.add_option_function<std::string>(
         "--stop-at", read,
         "end cleanly after 90s, 30m, 2h or 1h30m, to be continued; the exit status is then 75")
      ->type_name("TIME");
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "print the result as one JSON object");
}

void add_episodes(CLI::App& app, Protocol& protocol) {
  add_integer(app, "--episodes", protocol.episodes, 0, 10'000'000,
              "fresh episodes; 0: as many as usual, fewer where a step takes long");
  add_episode_seed(app, protocol);
}

void add_episode_seed(CLI::App& app, Protocol& protocol) {
  add_integer(app, "--seed", protocol.seed, 0, kMaxSeed,
              "the seed of the episodes; equal seeds give every policy the same random numbers");
}

void add_other_world(CLI::App& app, Protocol& protocol) {
  app.add_flag("--greedy", protocol.greedy, "always take the most probable action");
  add_sets(app, protocol.sets, "another world: problem.KEY=VALUE; repeatable");
}

}  // namespace bpo::cli
