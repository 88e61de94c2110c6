// Arguments that several verbs share. Numbers are read by hand: CLI11's ranges accept nan.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "bpo/runs/protocol.h"

namespace bpo::cli {

/// An option that takes an integer in [low, high]; anything else is refused by the option's name.
CLI::Option* add_integer(CLI::App& app, const std::string& name, std::int64_t& value,
                         std::int64_t low, std::int64_t high, const std::string& help);
/// An option that takes a finite number in [low, high]; anything else is refused by its name.
CLI::Option* add_number(CLI::App& app, const std::string& name, double& value, double low,
                        double high, const std::string& help);

/// An option or a positional argument that takes a path. An empty one is refused: it is a shell
/// variable that was not set, and would stand for the root directory or a default.
CLI::Option* add_path(CLI::App& app, const std::string& name, std::string& path,
                      const std::string& help);
CLI::Option* add_paths(CLI::App& app, const std::string& name, std::vector<std::string>& paths,
                       const std::string& help);

inline constexpr std::int64_t kMaxSeed = 9'000'000'000'000'000'000;

/// Far more threads than cores would only wait for each other: they are cut back, with a notice.
CLI::Option* add_threads(CLI::App& app, std::int64_t& threads);
CLI::Option* add_sets(CLI::App& app, std::vector<std::string>& sets, const std::string& help);
/// --stop-at 2h: a clean end in time for a queue's limit, with the status kTimeIsUp.
void add_stop_at(CLI::App& app);
void add_json(CLI::App& app, bool& json);

/// Adds --episodes and --seed: on which episodes a policy is measured.
void add_episodes(CLI::App& app, Protocol& protocol);
/// Adds --seed alone, where one episode or all of them are meant.
void add_episode_seed(CLI::App& app, Protocol& protocol);
/// Adds --greedy and --set problem.KEY=VALUE: another way to act, another world.
void add_other_world(CLI::App& app, Protocol& protocol);

}  // namespace bpo::cli
