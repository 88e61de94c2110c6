// Exported policies against the agent and `bpo play`: C by two compilers and on a Cortex-M4, ONNX
// by onnxruntime. What a machine lacks is skipped with a sentence.
#include "tests/export/exporting.h"

namespace bpo {
namespace {

using test::ExportTest, test::has, test::kStrict, test::shell;
using Case = test::Exportable;
using Json = nlohmann::json;

class Exports : public ExportTest, public testing::WithParamInterface<Case> {
 protected:
  void expect_played() const;
};

/// The golden sequences are what `bpo play` does, where nobody executed something else.
void Exports::expect_played() const {
  const Json golden = json_of("c/golden.json");
  for (const int k : {0, 3, 10}) {  // the fourth is greedy
    std::vector<std::string> command{
        "play", "run", "--trace", "--seed", std::to_string(k), "--episode", std::to_string(k)};
    if (golden[k][0]["greedy"]) command.push_back("--greedy");
    const Json steps = run_json(command)["steps"];
    for (std::size_t t = 0; t < golden[k].size() && (t == 0 || !golden[k][t]["first"]); ++t) {
      const auto belief = steps[t]["belief"].get<std::vector<float>>(),
                 seen = golden[k][t]["belief"].get<std::vector<float>>();
      if (belief.size() == seen.size()) {  // others see the estimate or nothing
        EXPECT_EQ(belief, seen);
      }
      if (steps[t]["action"].is_array()) {
        EXPECT_EQ(steps[t]["action"], golden[k][t]["action"]) << k << ", step " << t;
      } else {
        const auto names = json_of("c/contract.json")["action"]["numbers"][0]["values"];
        EXPECT_EQ(steps[t]["action"], names[golden[k][t]["action"][0].get<std::size_t>()]);
      }
    }
  }
}

TEST_P(Exports, AgreeWithTheAgent) {
  train(GetParam());
  export_c();
  EXPECT_EQ(json_of("c/contract.json")["belief"].value("inside", true), GetParam().inside);
  ASSERT_EQ(json_of("c/golden.json").size(), 32u);
  expect_played();
  expect_same_bits_in_c();
  expect_agreement_in_onnx(GetParam().name);
}

const Case kCases[] = {
    {"tiger", "tiger", {}},
    {"chain", "chain", {}},
    {"semi",
     "chain",
     {"--set", "problem.tying=semi", "--set", "problem.horizon=12", "--algo", "up-mle"}},
    {"lightdark", "lightdark", {}},
    // Trained until sums in another order or precision than the agent's would show.
    {"sharp",
     "lightdark",
     {"--seed", "1", "--set", "algo.iterations=100", "--set", "optimizer.kl=0.1", "--set",
      "algo.validate_every=1000"}},
    {"leak", "lightdark", {"--set", "problem.leak=true", "--algo", "bpo-minus"}},
    {"moment", "lightdark", {"--set", "problem.filter=moment"}},
    {"particles",
     "lightdark",
     {"--set", "problem.filter=particle", "--set", "problem.particles=16"},
     false},
    {"bridges", "bridges.toml", {}},
    {"rocks", "rocksample", {"--set", "problem.n=2", "--set", "problem.k=2"}},
    {"dr", "lightdark", {"--algo", "dr"}},
};

INSTANTIATE_TEST_SUITE_P(Of, Exports, testing::ValuesIn(kCases),
                         [](const auto& c) { return c.param.name; });

/// On another kind of machine the C library's functions differ, and so may last digits.
TEST_F(ExportTest, RunsOnACortexM4) {
  if (!has("arm-none-eabi-gcc") || !has("qemu-system-arm")) {
    GTEST_SKIP() << "gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm are not there";
  }
  const std::string board = kSourcePath + std::string("/tests/export/cortex_m4/");
  for (const Case& c : {kCases[1], kCases[6]}) {
    cli::fs::remove_all(path("run"));
    cli::fs::remove_all(path("c"));
    train(c);
    export_c();
    const auto [built, words] = shell(
        in_c("arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -O2" +
             kStrict + "--specs=rdimon.specs -nostartfiles -T '" + board + "mps2.ld' '" + board +
             "startup.c' bpo_policy_test.c -lm -o m4.elf"));
    ASSERT_EQ(built, 0) << words.substr(0, 2000);
    const auto [status, said] =
        shell(in_c("timeout 60 qemu-system-arm -M mps2-an386 -nographic -monitor none "
                   "-semihosting-config enable=on,target=native -kernel m4.elf"));
    // The status of a program on the board is 0 or 1, whatever it returned.
    double largest = 1.0;
    const auto at = said.find("largest difference ");
    ASSERT_NE(at, std::string::npos) << said;
    ASSERT_EQ(std::sscanf(said.c_str() + at, "largest difference %lf", &largest), 1);
    EXPECT_LE(largest, 1e-5) << said;
    EXPECT_NE(said.find("32 sequences"), std::string::npos) << said;
    EXPECT_LE(status, 1);
    RecordProperty(c.name, said);
    std::printf("%s: %s", c.name.c_str(), said.c_str());
  }
}

TEST_F(ExportTest, ASelfTestCanFail) {
  train(kCases[0]);
  export_c();
  std::string header = cli::slurp(path("c/bpo_policy.h"));
  const auto at = header.find("0x", header.find("bpo_middle_w"));
  header.replace(at, 3, "0x1.8p-3, 0x");
  header.replace(header.find("bpo_middle_w[1024]"), 18, "bpo_middle_w[1025]");
  cli::spill(path("c/bpo_policy.h"), header);
  ASSERT_EQ(shell(in_c("gcc -O0 -std=c99 -w bpo_policy_test.c -lm -o test")).first, 0);
  EXPECT_EQ(shell(in_c("./test")).first, 2);
}

TEST_F(ExportTest, RefusesWhatItCannotExport) {
  train({"tiger", "tiger", {"--algo", "oracle"}});
  expect_refused({"export", "run", "--to", "c", "c"}, 2, {"oracle", "true latent"});
  ASSERT_EQ(run({"solve", "tiger", "--planner", "qmdp", "--out", "plan"}).status, 0);
  expect_refused({"export", "plan", "--to", "c", "c"}, 2, {"qmdp", "only networks"});
  EXPECT_FALSE(cli::fs::exists(path("c"))) << "nothing is written";
  expect_refused({"export", "absent", "--to", "c", "c"}, 2, {"absent"});
}

TEST_F(ExportTest, WritesOverNothing) {
  train(kCases[0]);
  cli::fs::create_directory(path("full"));
  cli::spill(path("full/mine"), "text");
  expect_refused({"export", "run", "--to", "c", "full"}, 2, {"full", "not empty"});
  expect_refused({"export", "run", "--to", "c", "full/mine"}, 2, {"not a directory"});
  expect_refused({"export", "run", "--to", "c", "full/mine/in"}, 2, {"cannot be made"});
  expect_refused({"export", "run", "--to", "onnx", "full"}, 2, {"name a file"});
  expect_refused({"export", "run", "--to", "onnx", "absent/p.onnx"}, 2, {"name a file"});
  expect_refused({"export", "run", "--to", "rust", "c"}, 2, {"--to"});
  EXPECT_EQ(cli::slurp(path("full/mine")), "text");
}

}  // namespace
}  // namespace bpo
