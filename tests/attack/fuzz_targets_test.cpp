// The targets of `make fuzz` are compiled and run here as well, so that they stay with the program.
// Each defines the one function that libFuzzer calls; here it has a name of its own.
#include "tests/attack/fuzzed.h"

#define LLVMFuzzerTestOneInput appl_policy_fuzz
#include "fuzz/appl_policy_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput config_fuzz
#include "fuzz/config_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput measured_fuzz
#include "fuzz/measured_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput metrics_fuzz
#include "fuzz/metrics_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput pomdp_fuzz
#include "fuzz/pomdp_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput pomdpx_fuzz
#include "fuzz/pomdpx_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput problem_fuzz
#include "fuzz/problem_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput recording_fuzz
#include "fuzz/recording_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput result_fuzz
#include "fuzz/result_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput safetensors_fuzz
#include "fuzz/safetensors_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput sweep_fuzz
#include "fuzz/sweep_fuzz.cpp"
#undef LLVMFuzzerTestOneInput

#include <array>
#include <filesystem>
#include <regex>

#include "bpo/core/json.h"
#include "tests/cli/process.h"
#include "tests/support/paths.h"

namespace bpo::cli {
namespace {

TEST(FuzzTargets, ReadTheirFilesWholeCutAndChanged) {
  Config config;
  const auto tiger = problems().at("tiger").make(config)->tabular();
  feed(pomdp_fuzz, pomdp_text(*tiger, "tiger"));
  feed(pomdpx_fuzz, pomdpx_text(factored(*tiger), "tiger"));
  feed(problem_fuzz, slurp(fs::path(kSourcePath) / "examples/problems/bridges.toml"));
  feed(config_fuzz, "x = 0.25\nn = 7\nf = true\nw = \"abd\"\n[a]\nm = 0.5\n");
  feed(sweep_fuzz, "problems = [\"tiger\"]\nseeds = 2\n[grid]\noptimizer.kl = [0.01, 0.02]\n");
  feed(metrics_fuzz, "{\"iteration\": 1, \"mean\": -2.5}\n{\"iteration\": 2, \"mean\": 3e2}\n");
  feed(measured_fuzz,
       "{\"policy\": \"p\", \"set\": [\"a=1\"], \"episodes\": 2, \"returns\": [1.5, -2], "
       "\"faults\": 1, "
       "\"exact_value\": 0.5, \"optimum\": null, \"bayes_policy\": 1, \"entropy\": [0.7], "
       "\"so_far\": [1]}");
  feed(recording_fuzz, "time,control:u,x,y\n0,0.5,1e-3,2\n0.1,-1,0.25,-3\n");
  feed(result_fuzz, json_text(Measurement{}.json()));
  feed(appl_policy_fuzz,
       "<Policy><AlphaVector vectorLength=\"2\" numObsValue=\"1\" numVectors=\"1\">"
       "<Vector action=\"1\" obsValue=\"0\">-1.5 2 </Vector></AlphaVector></Policy>");
  TensorFile file;
  const std::array<float, 3> numbers{1.0f, -2.0f, 0.5f};
  file.tensors["w"] = Tensor::of<float>(numbers);
  file.metadata["format"] = "a test's";
  feed(safetensors_fuzz, file.serialize());
}

/// Clang is not asked by these tests, so a file that moved would be missed by `make fuzz` alone.
TEST(FuzzTargets, AreBuiltFromFilesThatAreThere) {
  const std::string text = slurp(fs::path(kSourcePath) / "fuzz/CMakeLists.txt");
  static const std::regex kSource("\\$\\{BPO\\}/([a-z_/]+\\.cpp)");
  int sources = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), kSource), end; at != end; ++at) {
    ++sources;
    EXPECT_TRUE(fs::exists(fs::path(kSourcePath) / "bpo" / (*at)[1].str())) << (*at)[1];
  }
  EXPECT_GE(sources, 10);
}

/// A target that is not named above would not be compiled by anybody but `make fuzz`.
TEST(FuzzTargets, AreAllHere) {
  const std::string tests =
      slurp(fs::path(kSourcePath) / "tests/attack/fuzz_targets_test.cpp") +
      slurp(fs::path(kSourcePath) / "tests/attack/mujoco/robot_fuzz_test.cpp");
  int targets = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(kSourcePath) / "fuzz")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with("_fuzz.cpp")) continue;
    ++targets;
    EXPECT_NE(tests.find("\"fuzz/" + name + "\""), tests.npos) << name;
  }
  EXPECT_GE(targets, 12);
}

}  // namespace
}  // namespace bpo::cli
