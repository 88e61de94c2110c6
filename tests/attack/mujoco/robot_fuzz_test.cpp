// The fuzz target of robot files, compiled and run as the others are (fuzz_targets_test.cpp).
#include "tests/attack/fuzzed.h"

#define LLVMFuzzerTestOneInput robot_fuzz
#include "fuzz/robot_fuzz.cpp"
#undef LLVMFuzzerTestOneInput

#include <filesystem>

#include "tests/cli/process.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

/// One that is refused would lead the fuzzer no further than to what it is refused for.
TEST(FuzzTargets, ReadRobotFilesWholeCutAndChanged) {
  bool terminates = false, changes = false, trains = false, particles = false, estimates = false;
  int seeds = 0;
  const std::filesystem::path folder = std::filesystem::path(kSourcePath) / "fuzz/seeds/robot";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string text = cli::slurp(entry.path());
    EXPECT_EQ(text.find("file"), text.npos) << entry << ": the target passes over that word";
    const RobotFile robot = read_robot("seed", text + kModel, entry.path().string());
    terminates |= !robot.terminations.empty();
    changes |= robot.changes();
    trains |= !robot.training.empty();
    particles |= robot.particles > 0;
    estimates |= !robot.sees_state;
    ++seeds;
    feed(robot_fuzz, text);
  }
  EXPECT_GE(seeds, 3);
  EXPECT_TRUE(terminates && changes && trains && particles && estimates);
}

}  // namespace
}  // namespace bpo
