// Surroundings that fail: a disk of any size that fills up, one that becomes read-only, storms of
// signals, limits of the system, and clocks that jump.
#include <sys/mount.h>
#include <sys/resource.h>

#include "tests/torture/torture.h"

namespace bpo::cli {
namespace {

class Surroundings : public CliTest, public Luck {
 protected:
  static constexpr int kIterations = 12;

  Artifacts whole() {
    const Outcome outcome = run(small_training("whole", kIterations));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return artifacts(dir_ / "whole");
  }
  /// The next command brings the run to the wanted end.
  std::string goes_on(const Artifacts& wanted, const std::string& out) {
    const Outcome end = run(next_command(dir_, out, small_training(out, kIterations)));
    if (end.status != 0) return "goes on and " + wrong_end(end, {0});
    return difference(wanted, artifacts(dir_ / out));
  }
};

/// A file system in memory, of so many bytes; not every place lets a test make one.
class SmallDisk {
 public:
  explicit SmallDisk(fs::path path) : path_(std::move(path)) {
    fs::create_directories(path_);
    made_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=16m") == 0;
  }
  ~SmallDisk() {
    if (made_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  bool made() const { return made_; }
  bool resize(int kilobytes, unsigned long flags = 0) const {
    const std::string size = "size=" + std::to_string(kilobytes) + "k";
    return ::mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT | flags, size.c_str()) == 0;
  }

 private:
  fs::path path_;
  bool made_ = false;
};

TEST_F(Surroundings, ADiskThatFillsUp) {
  const SmallDisk disk(dir_ / "disk");
  if (!disk.made()) GTEST_SKIP() << "only root may mount a small disk";
  const Artifacts wanted = whole();
  Tally tally("full disk");
  const int step = amount(4, 40);
  for (int kilobytes = 4, survived = 0; survived < 2; kilobytes += step) {
    fs::remove_all(dir_ / "disk/run");
    ASSERT_TRUE(disk.resize(kilobytes));
    const Outcome outcome = run(small_training("disk/run", kIterations));
    ASSERT_TRUE(disk.resize(16384));
    survived += outcome.status == 0;
    const std::string wrong = wrong_end(outcome, {0, 5});
    tally.count(wrong.empty() ? goes_on(wanted, "disk/run") : wrong);
  }
}

TEST_F(Surroundings, ADiskThatMayOnlyBeRead) {
  const SmallDisk disk(dir_ / "disk");
  if (!disk.made()) GTEST_SKIP() << "only root may mount a disk";
  const Artifacts wanted = whole();
  Tally tally("read-only directory");
  ASSERT_EQ(run(small_training("disk/run", kIterations)).status, 0);
  ASSERT_TRUE(disk.resize(16384, MS_RDONLY));
  const std::vector<std::pair<std::vector<std::string>, int>> commands{
      {{"train", "tiger", "--out", "disk/other"}, 5},
      {{"train", "tiger", "--out", "disk/run", "--force"}, 5},
      {{"resume", "disk/run"}, 5},
      {{"eval", "disk/run", "--episodes", "10"}, 0},
      {{"play", "disk/run"}, 0},
      {{"status", "disk/run"}, 0},
      {{"report", "disk/run", "-o", "disk/page.html"}, 5}};
  for (const auto& [command, status] : commands) {
    const std::string wrong = wrong_end(run(command), {status});
    tally.count(wrong.empty() ? difference(wanted, artifacts(dir_ / "disk/run"))
                              : command[0] + " " + wrong);
  }
  ASSERT_TRUE(disk.resize(16384));
}

TEST_F(Surroundings, StormsOfSignals) {
  const Artifacts wanted = whole();
  Tally tally("storm of SIGTERM and SIGINT");
  for (int i = 0; i < amount(60, 4); ++i) {
    fs::remove_all(dir_ / "run");
    std::string lost;
    for (int storm = 0; storm < 3; ++storm) {
      Process process(dir_, next_command(dir_, "run", small_training("run", kIterations)));
      for (int n = 1 + below(20); n > 0; --n) {
        std::this_thread::sleep_for(std::chrono::microseconds(below(3000)));
        process.send(below(2) == 0 ? SIGTERM : SIGINT);
      }
      const std::string wrong = wrong_end(process.wait(), {0, 128 + SIGINT, 128 + SIGTERM});
      if (!wrong.empty()) lost = wrong;
    }
    tally.count(lost.empty() ? goes_on(wanted, "run") : lost);
  }
}

/// A disturbed process ends by itself and says that input or output failed, or it was not
/// disturbed.
TEST_F(Surroundings, LimitsOnFilesMemoryAndFileSize) {
#ifdef BPO_SANITIZED
  GTEST_SKIP() << "a sanitizer needs more than these limits leave";
#endif
  struct Limit {
    const char* name;
    decltype(RLIMIT_AS) what;
    rlim_t from, to;
    double factor;
  };
  const Artifacts wanted = whole();
  for (const Limit& limit :
       {Limit{"limit on open files", RLIMIT_NOFILE, 4, 24, 1.2},
        Limit{"limit on memory", RLIMIT_AS, rlim_t{24} << 20, rlim_t{512} << 20,
              full_torture() ? 1.1 : 1.6},
        Limit{"limit on a file's size", RLIMIT_FSIZE, 1, 1 << 17, full_torture() ? 1.4 : 3.0}}) {
    Tally tally(limit.name);
    for (rlim_t most = limit.from; most <= limit.to;
         most = std::max(most + 1, static_cast<rlim_t>(static_cast<double>(most) * limit.factor))) {
      const auto tight = [&] {
        const rlimit both{most, most};
        ::setrlimit(limit.what, &both);
      };
      if (run({"--version"}, tight).status != 0) continue;  // not even the loader can begin
      fs::remove_all(dir_ / "run");
      const std::string wrong = wrong_end(run(small_training("run", kIterations), tight), {0, 5});
      tally.count(wrong.empty() ? goes_on(wanted, "run") : wrong);
    }
  }
}

/// Clocks by which hours pass at once. Whether they were jumping, the library itself has told.
class JumpingClocks : public Surroundings {
 protected:
  void SetUp() override {
#ifdef BPO_SANITIZED
    GTEST_SKIP() << "a sanitizer wants to be loaded first";
#endif
    Surroundings::SetUp();
  }
  std::function<void()> jumping(int seed) const {
    const std::string number = std::to_string(seed), told = (dir_ / "told").string();
    return [=] {
      ::setenv("LD_PRELOAD", kJumpClockPath, 1);
      ::setenv("BPO_JUMP_SEED", number.c_str(), 1);
      ::setenv("BPO_JUMP_TOLD", told.c_str(), 1);
    };
  }
  /// Whether clocks have jumped since the last call.
  bool jumped() const { return fs::remove(dir_ / "told"); }
};

TEST_F(JumpingClocks, ChangeNoTraining) {
  const Artifacts wanted = whole();
  Tally tally("clock jumps, train");
  for (int i = 0; i < amount(40, 3); ++i) {
    fs::remove_all(dir_ / "run");
    const Outcome outcome = run(small_training("run", kIterations), jumping(i));
    EXPECT_TRUE(jumped());
    tally.count(outcome.status != 0 ? wrong_end(outcome, {0})
                                    : difference(wanted, artifacts(dir_ / "run")));
  }
}

TEST_F(JumpingClocks, EndATrainingEarlyAtMost) {
  const Artifacts wanted = whole();
  Tally tally("clock jumps, --stop-at and status");
  for (int i = 0; i < amount(20, 2); ++i) {
    fs::remove_all(dir_ / "run");
    std::vector<std::string> command = small_training("run", kIterations);
    command.insert(command.end(), {"--stop-at", i % 2 == 0 ? "1h" : "0.05s"});
    std::string lost = wrong_end(run(command, jumping(i)), {0, 75});
    EXPECT_TRUE(jumped());
    if (fs::exists(dir_ / "run/config.toml")) {
      const Outcome status = run({"status", "run", "--json"}, jumping(i));
      const auto told = nlohmann::json::parse(status.out, nullptr, false);
      const bool sensible = told.is_array() && told.size() == 1 &&
                            told[0]["seconds_since_heard"].is_number() &&
                            told[0]["seconds_since_heard"] >= 0.0;
      if (status.status != 0 || !sensible) lost = "status: " + status.out + status.err;
    }
    tally.count(lost.empty() ? goes_on(wanted, "run") : lost);
  }
}

TEST_F(JumpingClocks, LetEveryRunOfASweepBeMadeOnce) {
  spill(dir_ / "sweep.toml",
        "problems = \"tiger\"\nseeds = 6\n[set]\nalgo.iterations = 2\n"
        "algo.validate_episodes = 20\nalgo.baseline = \"linear\"\n"
        "optimizer.batch_steps = 100\nproblem.horizon = 5\n");
  const auto worker = [](const std::string& out) {
    return std::vector<std::string>{"sweep", "sweep.toml", "--out",         out, "--threads",
                                    "1",     "--quiet",    "--stale-after", "2"};
  };
  ASSERT_EQ(run(worker("whole")).status, 0);
  const auto runs = [&](const char* out) { return artifacts(dir_ / out / "tiger"); };
  Tally tally("clock jumps, two workers of a sweep");
  for (int i = 0; i < amount(20, 1); ++i) {
    fs::remove_all(dir_ / "swept");
    Process first(dir_, worker("swept"), jumping(2 * i)),
        second(dir_, worker("swept"), jumping(2 * i + 1));
    const std::string one = wrong_end(first.wait(), {0}), other = wrong_end(second.wait(), {0});
    EXPECT_TRUE(jumped());
    const std::string lost = one.empty() ? other : one;
    tally.count(lost.empty() ? difference(runs("whole"), runs("swept")) : lost);
  }
}

}  // namespace
}  // namespace bpo::cli
