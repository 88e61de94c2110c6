// Policies that are trained for a moment and exported, as a user does.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/process.h"

namespace bpo::test {

/// A policy to export: its problem and the arguments of its training.
struct Exportable {
  std::string name, problem;
  std::vector<std::string> more;
  bool inside = true;  // whether its filter is exported with it
};

inline void PrintTo(const Exportable& c, std::ostream* out) { *out << c.name; }

/// The status of a shell command, and what it prints.
inline std::pair<int, std::string> shell(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::string out;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    out.append(buffer.data(), n);
  }
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
}

inline bool has(const std::string& program) {
  return shell("command -v " + program + " > /dev/null").first == 0;
}

inline const std::string kStrict = " -std=c99 -Wall -Wextra -Werror -pedantic ";

class ExportTest : public cli::CliTest {
 protected:
  using Json = nlohmann::json;

  void train(const Exportable& c) {
    std::string problem = c.problem;
    if (problem.ends_with(".toml")) problem = kSourcePath + ("/examples/" + problem);
    const cli::Outcome outcome = run(training(problem, "run", 2, c.more));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  void export_c() {
    const cli::Outcome outcome = run({"export", "run", "--to", "c", "c"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  Json json_of(const std::string& file) const { return Json::parse(cli::slurp(path(file))); }
  std::string in_c(const std::string& command) const {
    return "cd '" + path("c") + "' && " + command;
  }
  /// Replaces `from`, where it first comes after the beginning of `after`.
  void change_text(const std::string& file, const std::string& after, const std::string& from,
                   const std::string& to) const {
    std::string text = cli::slurp(path(file));
    const auto at = text.find(from, text.find(after));
    ASSERT_NE(at, std::string::npos) << from;
    cli::spill(path(file), text.replace(at, from.size(), to));
  }
  static std::string build_directory() { return cli::fs::path(kBinaryPath).parent_path(); }

  /// Every bit, by GCC at two levels and by clang, with and without fused multiply-adds.
  void expect_same_bits_in_c() {
    std::vector<std::string> compilers{"gcc -O2 -march=x86-64-v3", "gcc -O0 -DBPO_POLICY_UNTIMED"};
    if (has("clang")) {
      compilers.push_back("clang -O1 -march=x86-64-v3");
    } else {
      std::printf("clang is not there: the exported C is compiled by GCC alone\n");
    }
    for (const std::string& compiler : compilers) {
      const auto [built, words] = shell(in_c(compiler + kStrict + "bpo_policy_test.c -lm -o test"));
      ASSERT_EQ(built, 0) << compiler << "\n" << words.substr(0, 2000);
      const auto [status, said] = shell(in_c("./test"));
      EXPECT_EQ(status, 0) << compiler << "\n" << said;
      EXPECT_NE(said.find("32 sequences"), std::string::npos) << said;
      const bool timed = compiler.find("UNTIMED") == std::string::npos;
      EXPECT_EQ(said.find("at worst") != std::string::npos, timed) << said;
    }
  }

  /// By onnx's checker and onnxruntime, which a machine without PyPI lacks: status 77.
  std::pair<int, std::string> check_onnx(const std::string& golden) const {
    return shell("'" + std::string(kSourcePath) + "/tests/export/onnx.sh' '" + build_directory() +
                 "/onnx-venv' '" + path("policy.onnx") + "' '" + path(golden) + "'");
  }
  void expect_agreement_in_onnx(const std::string& name) {
    const cli::Outcome outcome = run({"export", "run", "--to", "onnx", "policy.onnx"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto [status, said] = check_onnx("c/golden.json");
    if (status == 77) GTEST_SKIP() << said;
    EXPECT_EQ(status, 0) << said;
    std::printf("%s: %s", name.c_str(), said.c_str());
  }

  /// The golden sequences are what `bpo play` does, as long as nobody executed something else; and
  /// each is of two episodes.
  void expect_played(int every = 1) const {
    const Json golden = json_of("c/golden.json");
    const Json contract = json_of("c/contract.json");
    int episodes = 0;
    for (std::size_t k = 0; k < golden.size(); ++k) {
      const Json& sequence = golden[k];
      std::vector<std::size_t> first;
      for (std::size_t t = 0; t < sequence.size(); ++t) {
        if (sequence[t]["first"]) first.push_back(t);
      }
      ASSERT_EQ(first.size(), 2u) << "a reset in the middle";
      ASSERT_EQ(first[0], 0u);
      ASSERT_GT(first[1], 0u);
      if (k % static_cast<std::size_t>(every) != 0) continue;
      first.push_back(sequence.size());
      for (std::size_t i = 0; i < 2; ++i, ++episodes) {
        expect_played({sequence.begin() + static_cast<std::ptrdiff_t>(first[i]),
                       sequence.begin() + static_cast<std::ptrdiff_t>(first[i + 1])},
                      contract);
      }
    }
    EXPECT_GE(episodes, 64 / every);
  }

 private:
  void expect_played(const std::vector<Json>& episode, const Json& contract) const {
    const Json names = contract["action"]["numbers"][0].value("values", Json());
    const std::size_t horizon = contract["horizon"]["steps"];
    std::vector<std::string> command{"play",
                                     "run",
                                     "--trace",
                                     "--seed",
                                     episode[0]["seed"].dump(),
                                     "--episode",
                                     episode[0]["episode"].dump()};
    if (episode[0]["greedy"]) command.push_back("--greedy");
    const Json steps = run_json(command)["steps"];
    for (std::size_t t = 0; t < episode.size(); ++t) {
      if (t == horizon) return;  // an agent goes on
      ASSERT_LT(t, steps.size());
      const auto belief = steps[t]["belief"].get<std::vector<float>>(),
                 seen = episode[t]["belief"].get<std::vector<float>>();
      if (belief.size() == seen.size()) {  // others see the estimate or nothing
        EXPECT_EQ(belief, seen);
      }
      const Json& action = episode[t]["action"];
      EXPECT_EQ(steps[t]["action"], names.is_null() ? action : names[action[0].get<std::size_t>()]);
      if (episode[t]["executed"] != action) return;
    }
  }
};

}  // namespace bpo::test
