// 2,400 damaged files (9,000 by `make torture`): the policies and checkpoints of three small runs
// (TRPO with a linear baseline, PPO with a network, SARSOP), every kind of damage of mutate.h in
// turn. One is counted as held when loading it throws bpo::Error and the message names the file, or
// when what was loaded is the content of the undamaged file, to the bit. Anything else (another
// exception, a crash, more than a few gigabytes or seconds, other weights) is not. Every 24th also
// goes through the program, which has to end with 2 and name the file.
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <span>

#include "bpo/agent/bundle.h"
#include "bpo/runs/loaded.h"
#include "tests/attack/mutate.h"
#include "tests/torture/torture.h"

namespace bpo::cli {
namespace {

constexpr int kSampled = 24;
int mutations_per_file() { return amount(1500, 400); }
constexpr rlim_t kMemory = rlim_t{4} << 30;

/// The content of a run's policy, as the library understands it.
std::string loaded_policy(const fs::path& directory) {
  const LoadedPolicy loaded = load_run(directory.string());
  return bundle_of(dynamic_cast<const KeptPolicy&>(*loaded.policy), *loaded.problem, loaded.toml,
                   loaded.run)
      .serialize();
}

/// The same of its checkpoint, after a trainer or a planner took it over; without its seconds,
/// which count what it took to go on.
std::string loaded_checkpoint(const fs::path& directory) {
  ThreadPool pool(1);
  const std::unique_ptr<Run> run = Run::resume(directory.string(), pool);
  const std::uint64_t metrics_bytes = fs::file_size(directory / "metrics.jsonl");
  return run->solution().checkpoint_bytes(run->plan().run, {metrics_bytes, 0.0});
}

struct Victim {
  std::string name;
  std::string (*loaded)(const fs::path& directory);
  std::vector<std::string> verb;  // the command that reads it
};

const std::vector<Victim> kVictims{
    {"policy.safetensors", loaded_policy, {"eval", "--episodes", "10"}},
    {"checkpoint.safetensors", loaded_checkpoint, {"resume", "--quiet"}}};

class MutationsTest : public CliTest {
 protected:
  void SetUp() override {
    const auto train = [&](const std::string& out, const std::vector<std::string>& more) {
      std::vector<std::string> all = training(
          "tiger", out, 4, {"--set", "problem.horizon=4", "--set", "algo.hidden=8", "--quiet"});
      all.insert(all.end(), more.begin(), more.end());
      ASSERT_EQ(run(all).status, 0);
    };
    train("trpo", {});
    train("ppo", {"--set", "optimizer.kind=ppo", "--set", "algo.baseline=network"});
    ASSERT_EQ(run({"write-problem", "tiger", "t.pomdp"}).status, 0);
    ASSERT_EQ(run({"solve", "t.pomdp", "--planner", "sarsop", "--gap", "1", "--episodes", "20",
                   "--out", "sarsop"})
                  .status,
              0);
    for (const char* out : {"trpo", "ppo", "sarsop"}) take_clock_out(dir_ / out);
#ifndef BPO_SANITIZED
    const rlimit limit{kMemory, kMemory};  // a sanitizer reserves terabytes
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
#endif
  }

  /// So that the damage is the same every time.
  static void take_clock_out(const fs::path& directory) {
    const std::string path = (directory / "checkpoint.safetensors").string();
    TensorFile file = TensorFile::load(path);
    if (file.tensors.contains("best_score_and_seconds")) {
      Tensor& scores = file.tensors.at("best_score_and_seconds");
      const std::array<double, 2> fixed{scores.as<double>()[0], 1.0};
      scores = Tensor::of<double>(fixed);
      const std::uint64_t no_metrics = 0;
      file.tensors.at("metrics_bytes") = Tensor::of(std::span(&no_metrics, 1));
    } else {
      Tensor& counts = file.tensors.at("counts");
      const std::array<std::int64_t, 2> no_metrics{counts.as<std::int64_t>()[0], 0};
      counts = Tensor::of<std::int64_t>(no_metrics);
      const double second = 1.0;
      file.tensors.at("seconds") = Tensor::of(std::span(&second, 1));
    }
    Mutator::seal(file);
    file.save(path);
    spill(directory / "metrics.jsonl", "");
  }

  /// Whether the damaged file is refused; `objection` says what else is wrong.
  static bool refused(const Victim& victim, const fs::path& run, const std::string& undamaged,
                      const Mutator::Mutation& mutation, std::string& objection) {
    const auto start = std::chrono::steady_clock::now();
    bool is_refused = true;
    try {
      const std::string now = victim.loaded(run);
      is_refused = false;
      if (now != undamaged) objection = "other content was loaded";
      if (mutation.must_be_refused) objection = "it was accepted";
    } catch (const Error& error) {
      if (std::string(error.what()).find(victim.name) == std::string::npos) {
        objection = std::string("the message does not name the file: ") + error.what();
      }
    } catch (const std::exception& error) {
      objection = std::string("no bpo::Error: ") + error.what();
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (objection.empty() && taken.count() > kMostReading) objection = "reading it took too long";
    return is_refused;
  }

  std::string refused_by_program(const Victim& victim, const std::string& run_name) const {
    std::vector<std::string> arguments{victim.verb};
    arguments.insert(arguments.begin() + 1, run_name);
    const Outcome outcome = run(arguments);
    if (outcome.status != 2) {
      return "the program ends with " + std::to_string(outcome.status) + ": " + outcome.err;
    }
    if (outcome.seconds > kMostRunning) return "the program took too long";
    if (outcome.err.find(victim.name) == std::string::npos) {
      return "the program does not name the file: " + outcome.err;
    }
    return "";
  }

  void attack(const Victim& victim, const std::string& run_name, std::uint64_t seed) {
    const fs::path run_directory = dir_ / run_name, file = run_directory / victim.name;
    const std::string bytes = slurp(file), undamaged = victim.loaded(run_directory);
    Mutator mutator(seed);
    for (int i = 0; i < mutations_per_file(); ++i) {
      const Mutator::Mutation mutation = mutator.next(bytes);
      spill(file, mutation.bytes);
      std::string objection;
      const bool is_refused = refused(victim, run_directory, undamaged, mutation, objection);
      // 24 and the number of kinds have a common factor; the shift lets every kind have its turn.
      const bool sampled = (i + i / 16) % kSampled == 0;
      if (objection.empty() && is_refused && sampled) {
        objection = refused_by_program(victim, run_name);
        ++sampled_;
      }
      ++count_;
      accepted_ += !is_refused && objection.empty();
      if (objection.empty()) continue;
      ++failed_;
      ADD_FAILURE() << run_name << "/" << victim.name << ", number " << i << ", " << mutation.kind
                    << ": " << objection;
    }
    spill(file, bytes);
    EXPECT_EQ(victim.loaded(run_directory), undamaged);
  }

  int count_ = 0, failed_ = 0, accepted_ = 0, sampled_ = 0;
};

TEST_F(MutationsTest, AreRefusedOrHarmless) {
  std::uint64_t seed = 1;
  for (const char* run_name : {"trpo", "ppo", "sarsop"}) {
    for (const Victim& victim : kVictims) attack(victim, run_name, seed++);
  }
  EXPECT_EQ(count_, 6 * mutations_per_file());
  EXPECT_GE(sampled_, 80);
  std::printf("mutations: %d of %d\n", count_ - failed_, count_);
  std::printf("(%d of them also through the program; %d had the same content)\n", sampled_,
              accepted_);
}

}  // namespace
}  // namespace bpo::cli
