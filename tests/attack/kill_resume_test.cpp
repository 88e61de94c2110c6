// 120 trainings that are stopped and continued. One is counted as held when it ends with the files
// of the training that nobody stopped: the policy to the byte, the metrics, the checkpoint and the
// result without values of the clock. The moments and the signals are pseudo-random, from a fixed
// seed; a training that ended before its signal came is stopped anew, earlier. Stops are of four
// kinds: once, up to four times in a row, during start-up, and while the finished policy is
// measured. After each the user gives the next command: `resume` or, where there is no run yet and
// for campaigns of several seeds, the same `train` again.
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <random>

#include "tests/attack/artifacts.h"

namespace bpo::cli {
namespace {

using Arguments = std::vector<std::string>;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int kTrainings = 120, kTries = 8;
constexpr int kSignals[] = {SIGKILL, SIGTERM, SIGINT};

enum class When { kOnce, kInARow, kStartUp, kMeasuring };

struct Kind {
  std::string name, problem;
  int iterations = 0;
  Arguments more;
  bool campaign = false;
  int share = 1;  // how often its turn comes
};

/// The horizons are short so that measuring takes little time, save for the kind whose measuring is
/// to be stopped.
const std::vector<Kind> kKinds{
    {"tiger", "tiger", 100, {"--set", "problem.horizon=10"}, false, 8},
    {"tiger, long", "tiger", 10, {}, false, 3},
    {"tiger, PPO",
     "tiger",
     40,
     {"--set", "problem.horizon=10", "--set", "optimizer.kind=ppo"},
     false,
     3},
    {"tiger, PPO and networks",
     "tiger",
     20,
     {"--set", "problem.horizon=10", "--set", "optimizer.kind=ppo", "--set",
      "algo.baseline=network"},
     false,
     2},
    {"tiger, EPOpt",
     "tiger",
     60,
     {"--set", "problem.horizon=10", "--algo", "epopt", "--set", "algo.epsilon_from=20"},
     false,
     1},
    {"chain", "chain", 30, {"--set", "problem.horizon=10"}, false, 2},
    {"lightdark", "lightdark", 8, {"--set", "problem.horizon=6"}, false, 2},
    {"three seeds", "tiger", 30, {"--set", "problem.horizon=10", "--seeds", "3"}, true, 3}};

class KillResumeTest : public CliTest {
 protected:
  struct Whole {
    Artifacts files;
    double seconds = 0.0;
  };

  static Arguments command(const Kind& kind, const std::string& out) {
    Arguments all = training(kind.problem, out, kind.iterations, kind.more);
    all.insert(all.end(), {"--threads", "1"});
    return all;
  }

  Whole whole(const Kind& kind) const {
    const Clock::time_point start = Clock::now();
    const Outcome outcome = run(command(kind, "whole"));
    EXPECT_EQ(outcome.status, 0) << kind.name << ": " << outcome.err;
    Whole out{artifacts(dir_ / "whole"), Seconds(Clock::now() - start).count()};
    fs::remove_all(dir_ / "whole");
    return out;
  }

  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  /// How long to wait before the signal. While a policy is measured its metrics are complete and
  /// the result is not there yet.
  void wait_for(When when, const Kind& kind, double seconds) const {
    if (when == When::kMeasuring) {
      const auto lines = static_cast<std::ptrdiff_t>(kind.iterations);
      eventually([&] {
        const std::string text = slurp(dir_ / "run" / "metrics.jsonl");
        return std::count(text.begin(), text.end(), '\n') >= lines;
      });
    }
    std::this_thread::sleep_for(Seconds(seconds));
  }

  Arguments next(const Kind& kind, const Arguments& train) const {
    const bool is_run = !kind.campaign && fs::exists(dir_ / "run" / "config.toml");
    return is_run ? Arguments{"resume", "run", "--threads", "1", "--checkpoint-seconds", "0.01"}
                  : train;
  }

  /// Stops the training `stops` times and lets it end. Nothing if it ended before the first signal.
  std::optional<std::string> objection(const Kind& kind, When when, int stops, double seconds,
                                       const Whole& wanted) {
    const char* period[] = {"0", "0.01", "0.05", "20"};
    Arguments train = command(kind, "run");
    train.insert(train.end(), {"--checkpoint-seconds", period[random_() % 4]});
    fs::remove_all(dir_ / "run");
    for (int i = 0; i < stops; ++i) {
      // Polite signals let it measure to the end, and nothing would have been stopped.
      const int signal =
          when == When::kMeasuring ? SIGKILL : kSignals[random_() % std::size(kSignals)];
      Process process(dir_, i == 0 ? train : next(kind, train));
      wait_for(when, kind, seconds * uniform());
      process.send(signal);
      const Outcome outcome = process.wait();
      if (outcome.status == 0 && i == 0) return std::nullopt;
      if (outcome.status == 0) break;
      ++stops_;
      measuring_ += when == When::kMeasuring && !fs::exists(dir_ / "run" / "result.json");
      if (outcome.status != 128 + signal) {
        return "a stopped training ends with " + std::to_string(outcome.status) + ": " +
               outcome.err;
      }
    }
    const Outcome end = run(next(kind, train));
    if (end.status != 0) return "ends with " + std::to_string(end.status) + ": " + end.err;
    return difference(wanted.files, artifacts(dir_ / "run"));
  }

  void attack(const Kind& kind, When when, const Whole& wanted) {
    constexpr double kStartUpSeconds = 0.02, kMeasuringSeconds = 0.05;
    const int stops = when == When::kInARow ? 2 + static_cast<int>(random_() % 3) : 1;
    double seconds = when == When::kStartUp     ? kStartUpSeconds
                     : when == When::kMeasuring ? kMeasuringSeconds
                                                : wanted.seconds;
    std::optional<std::string> wrong;
    for (int i = 0; i < kTries && !wrong; ++i, seconds *= 0.5) {
      wrong = objection(kind, when, stops, seconds, wanted);
    }
    ++count_;
    if (wrong && wrong->empty()) return;
    ++failed_;
    ADD_FAILURE() << "training " << count_ << ", " << kind.name << ", stopped " << stops
                  << " times: " << wrong.value_or("it always ends before the signal");
  }

  std::mt19937_64 random_{2024};
  int count_ = 0, failed_ = 0, stops_ = 0, measuring_ = 0;
};

TEST_F(KillResumeTest, EndsLikeTheTrainingThatNobodyStopped) {
  std::map<std::string, Whole> wholes;
  std::vector<const Kind*> order;
  for (const Kind& kind : kKinds) {
    wholes[kind.name] = whole(kind);
    order.insert(order.end(), static_cast<std::size_t>(kind.share), &kind);
  }
  for (int i = 0; i < kTrainings; ++i) {
    const Kind& kind = *order[static_cast<std::size_t>(i) % order.size()];
    constexpr When kWhens[] = {When::kOnce, When::kInARow, When::kOnce, When::kStartUp};
    const When when =
        kind.name == "tiger, long" ? When::kMeasuring : kWhens[random_() % std::size(kWhens)];
    attack(kind, when, wholes.at(kind.name));
  }
  std::printf("kill and resume: %d of %d\n", count_ - failed_, count_);
  EXPECT_GE(stops_, kTrainings);
  EXPECT_GT(measuring_, 0);
  std::printf("(%d stops, %d of them while measuring)\n", stops_, measuring_);
}

}  // namespace
}  // namespace bpo::cli
