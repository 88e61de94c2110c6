// The fuzz target of robot files, compiled and run as the others are (fuzz_targets_test.cpp).
#include "tests/attack/fuzzed.h"

#define LLVMFuzzerTestOneInput robot_fuzz
#include "fuzz/robot_fuzz.cpp"
#undef LLVMFuzzerTestOneInput

namespace bpo {
namespace {

TEST(FuzzTargets, ReadARobotFileWholeCutAndChanged) {
  feed(robot_fuzz,
       "schema = 1\n[robot]\nmjcf = \"m.xml\"\nframe_skip = 2\nhorizon = 20\n"
       "[observe]\nterms = [\"qpos\", \"qvel\"]\n[reward]\nalive = 1.0\n"
       "[[latent]]\nname = \"load\"\nedit = \"payload\"\nof = [\"a\"]\n"
       "prior = { uniform = [0.5, 1.5] }\nbins = 2\n");
}

}  // namespace
}  // namespace bpo
