// Surroundings that fail: a disk of any size that fills up, one that becomes read-only, storms of
// signals, clocks that jump, and two programs at the same directory.
#include <sys/mount.h>

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
    if (end.status != 0) return "ends with " + std::to_string(end.status) + ": " + end.err;
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
  const int step = full_torture() ? 4 : 40;
  for (int kilobytes = 4, survived = 0; survived < 2; kilobytes += step) {
    fs::remove_all(dir_ / "disk/run");
    ASSERT_TRUE(disk.resize(kilobytes));
    const Outcome outcome = run(small_training("disk/run", kIterations));
    ASSERT_TRUE(disk.resize(16384));
    survived += outcome.status == 0;
    const bool fine = outcome.status == 0 || outcome.status == 5;
    tally.count(fine ? goes_on(wanted, "disk/run")
                     : "ends with " + std::to_string(outcome.status) + ": " + outcome.err);
  }
}

TEST_F(Surroundings, ADiskThatMayOnlyBeRead) {
  const SmallDisk disk(dir_ / "disk");
  if (!disk.made()) GTEST_SKIP() << "only root may mount a disk";
  const Artifacts wanted = whole();
  Tally tally("read-only directory");
  ASSERT_EQ(run(small_training("disk/run", kIterations)).status, 0);
  ASSERT_TRUE(disk.resize(16384, MS_RDONLY));
  const std::vector<std::pair<std::vector<std::string>, std::vector<int>>> commands{
      {{"train", "tiger", "--out", "disk/other"}, {5}},
      {{"train", "tiger", "--out", "disk/run", "--force"}, {5}},
      {{"resume", "disk/run"}, {5}},
      {{"eval", "disk/run", "--episodes", "10"}, {0}},
      {{"play", "disk/run"}, {0}},
      {{"status", "disk/run"}, {0}},
      {{"report", "disk/run", "-o", "disk/page.html"}, {5}}};
  for (const auto& [command, fine] : commands) {
    const Outcome outcome = run(command);
    const bool as_it_should = std::find(fine.begin(), fine.end(), outcome.status) != fine.end();
    tally.count(as_it_should ? difference(wanted, artifacts(dir_ / "disk/run"))
                             : command[0] + " ends with " + std::to_string(outcome.status) + ": " +
                                   outcome.err);
  }
  ASSERT_TRUE(disk.resize(16384));
}

TEST_F(Surroundings, StormsOfSignals) {
  const Artifacts wanted = whole();
  Tally tally("storm of SIGTERM and SIGINT");
  for (int i = 0; i < (full_torture() ? 60 : 6); ++i) {
    fs::remove_all(dir_ / "run");
    for (int storm = 0; storm < 3; ++storm) {
      Process process(dir_, next_command(dir_, "run", small_training("run", kIterations)));
      for (int n = 1 + below(20); n > 0; --n) {
        std::this_thread::sleep_for(std::chrono::microseconds(below(3000)));
        process.send(below(2) == 0 ? SIGTERM : SIGINT);
      }
      process.wait();
    }
    tally.count(goes_on(wanted, "run"));
  }
}

TEST_F(Surroundings, ClocksThatJump) {
#ifdef BPO_SANITIZED
  GTEST_SKIP() << "a sanitizer wants to be loaded first";
#endif
  const Artifacts wanted = whole();
  Tally tally("clock jumps");
  for (int i = 0; i < (full_torture() ? 40 : 4); ++i) {
    fs::remove_all(dir_ / "run");
    const std::string seed = std::to_string(i);
    const auto jumping = [&] {
      ::setenv("LD_PRELOAD", kJumpClockPath, 1);
      ::setenv("BPO_JUMP_SEED", seed.c_str(), 1);
    };
    const Outcome outcome = run(small_training("run", kIterations), jumping);
    tally.count(outcome.status != 0 ? outcome.err : difference(wanted, artifacts(dir_ / "run")));
  }
}

/// Both at once on a run that is half done: one of them may find it locked, and neither harms it.
TEST_F(Surroundings, TwoProgramsAtOneDirectory) {
  const Artifacts wanted = whole();
  std::vector<std::string> half = small_training("half", kIterations);
  half.insert(half.end(), {"--steps", "6000"});
  ASSERT_EQ(run(half).status, 0);
  const std::vector<std::vector<std::string>> verbs{
      {"resume", "run", "--threads", "1", "--quiet"},
      small_training("run", kIterations),
      {"eval", "run", "--episodes", "100"},
      {"play", "run"},
      {"compare", "run", "run", "--episodes", "50"},
      {"report", "run", "-o", "page.html", "--episodes", "20"},
      {"status", "run"}};
  Tally tally("two programs at one directory");
  const std::size_t step = full_torture() ? 1 : 3;
  for (std::size_t a = 0; a < verbs.size(); ++a) {
    for (std::size_t b = a % step; b < verbs.size(); b += step) {
      fs::remove_all(dir_ / "run");
      fs::copy(dir_ / "half", dir_ / "run", fs::copy_options::recursive);
      Process first(dir_, verbs[a]), second(dir_, verbs[b]);
      const Outcome one = first.wait(), other = second.wait();
      std::string lost;
      for (const auto& [verb, end] : {std::pair(a, &one), std::pair(b, &other)}) {
        const bool refused = end->status == 3 || (verb == 1 && end->status == 2);
        if (end->status != 0 && !refused) lost = verbs[verb][0] + ": " + end->err;
      }
      tally.count(lost.empty() ? goes_on(wanted, "run") : lost);
    }
  }
}

}  // namespace
}  // namespace bpo::cli
