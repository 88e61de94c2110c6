// Exported policies against the agent and `bpo play`: C by two compilers and on a Cortex-M4, ONNX
// by onnxruntime. What a machine lacks is skipped with a sentence.
#include "tests/export/exporting.h"

namespace bpo {
namespace {

using test::ExportTest, test::has, test::kStrict, test::shell;
using Case = test::Exportable;
using Json = nlohmann::json;

class Exports : public ExportTest, public testing::WithParamInterface<Case> {};

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
    {"bridges", "problems/bridges.toml", {}},
    {"rocks", "rocksample", {"--set", "problem.n=2", "--set", "problem.k=2"}},
    {"dr", "lightdark", {"--algo", "dr"}},
};

INSTANTIATE_TEST_SUITE_P(Of, Exports, testing::ValuesIn(kCases),
                         [](const auto& c) { return c.param.name; });

/// Where there is no clang this says so; the tests above then compile by GCC alone.
TEST(Compilers, ClangIsThere) {
  if (!has("clang")) GTEST_SKIP() << "clang is not there: the exported C is compiled by GCC alone";
}

/// On another kind of machine the C library's functions differ, and so may last digits.
class CortexM4 : public ExportTest {
 protected:
  void SetUp() override {
    ExportTest::SetUp();
    if (has("arm-none-eabi-gcc") && has("qemu-system-arm")) return;
    GTEST_SKIP() << "gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm are not there";
  }
  /// What the exported self-test prints there. The status of a program on the board need not be
  /// what it returned.
  std::string run_on_the_board() const {
    const std::string board = kSourcePath + std::string("/tests/export/cortex_m4/");
    const auto [built, words] = shell(
        in_c("arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -O2" +
             kStrict + "--specs=rdimon.specs -nostartfiles -T '" + board + "mps2.ld' '" + board +
             "startup.c' bpo_policy_test.c -lm -o m4.elf"));
    EXPECT_EQ(built, 0) << words.substr(0, 2000);
    const auto [status, said] =
        shell(in_c("timeout 60 qemu-system-arm -M mps2-an386 -nographic -monitor none "
                   "-semihosting-config enable=on,target=native -kernel m4.elf"));
    EXPECT_LE(status, 2) << said;
    EXPECT_NE(said.find("32 sequences"), std::string::npos) << said;
    return said;
  }
};

TEST_F(CortexM4, DecidesAsTheAgent) {
  for (const Case& c : {kCases[1], kCases[3], kCases[6]}) {
    cli::fs::remove_all(path("run"));
    cli::fs::remove_all(path("c"));
    train(c);
    export_c();
    const std::string said = run_on_the_board();
    const bool same = said.find("verdict 0") != said.npos,
               near = said.find("verdict 1") != said.npos;
    EXPECT_TRUE(same || near) << said;
    EXPECT_NE(said.find(": 0 other choices, 0 other verdicts"), std::string::npos) << said;
    double largest = 1.0;
    const auto at = said.find("largest difference ");
    ASSERT_NE(at, std::string::npos) << said;
    ASSERT_EQ(std::sscanf(said.c_str() + at, "largest difference %lf", &largest), 1);
    EXPECT_LE(largest, 1e-5) << said;
    std::printf("%s: %s", c.name.c_str(), said.c_str());
  }
}

/// Golden evidence that says otherwise, and a weight that is no number.
TEST_F(CortexM4, TellsADamagedPolicy) {
  train(kCases[0]);
  export_c();
  change_text("c/bpo_policy_golden.h", "bpo_golden_flags", "5,", "1,");
  std::string said = run_on_the_board();
  EXPECT_NE(said.find("verdict 2: 0 other choices, 1 other verdicts"), std::string::npos) << said;
  change_text("c/bpo_policy_golden.h", "bpo_golden_flags", "1,", "5,");
  change_text("c/bpo_policy.h", "bpo_middle_w", "0x", "NAN, 0x");
  change_text("c/bpo_policy.h", "bpo_middle_w", "1024", "1025");
  said = run_on_the_board();
  EXPECT_NE(said.find("verdict 2"), std::string::npos) << said;
  EXPECT_NE(said.find("largest difference inf"), std::string::npos) << said;
}

TEST_F(ExportTest, ASelfTestCanFail) {
  train(kCases[0]);
  export_c();
  const std::string sound = cli::slurp(path("c/bpo_policy.h"));
  for (const char* weight : {"0x1.8p-3, 0x", "NAN, 0x", "INFINITY, 0x"}) {
    cli::spill(path("c/bpo_policy.h"), sound);
    change_text("c/bpo_policy.h", "bpo_middle_w", "0x", weight);
    change_text("c/bpo_policy.h", "bpo_middle_w", "1024", "1025");
    ASSERT_EQ(shell(in_c("gcc -O0 -std=c99 -w bpo_policy_test.c -lm -o test")).first, 0);
    const auto [status, said] = shell(in_c("./test"));
    EXPECT_EQ(status, 2) << weight << said;
    EXPECT_NE(said.find("verdict 2"), std::string::npos) << said;
  }
}

/// A choice that is an index, and the verdict on the evidence, are judged by themselves.
TEST_F(ExportTest, ASelfTestJudgesChoicesAndEvidence) {
  train(kCases[0]);
  export_c();
  const std::string sound = cli::slurp(path("c/bpo_policy_golden.h"));
  const auto verdict = [&](const char* array, const char* from, const char* to) {
    cli::spill(path("c/bpo_policy_golden.h"), sound);
    change_text("c/bpo_policy_golden.h", array, from, to);
    EXPECT_EQ(shell(in_c("gcc -O0 -std=c99 -w bpo_policy_test.c -lm -o test")).first, 0);
    const auto [status, said] = shell(in_c("./test"));
    EXPECT_EQ(status, 2) << said;
    return said.substr(said.find("verdict"));
  };
  EXPECT_TRUE(verdict("bpo_golden_flags", "5,", "1,").starts_with("verdict 2: 0 other choices, 1"));
  EXPECT_TRUE(verdict("bpo_golden_action", "0x0p+0", "0x1p+0").starts_with("verdict 2: 1 other"));
}

/// Every function that refuses: -1, the policy as it was, and no action.
constexpr const char* kRefusals = R"(
#include <math.h>
#include <stdio.h>
#include <string.h>
#define BPO_POLICY_IMPLEMENTATION
#include "bpo_policy.h"

static bpo_policy p, before;
static double o[BPO_POLICY_OBSERVATIONS], action[BPO_POLICY_ACTIONS];
static int refusals;

static void refused(const char* call, int status) {
  if (status == -1 && memcmp(&p, &before, sizeof p) == 0 && action[0] == 77) ++refusals;
  else printf("%s: %d\n", call, status);
}
#define REFUSED(call) (memcpy(&before, &p, sizeof p), action[0] = 77, refused(#call, call))

int main(void) {
  const double wrong[] = {NAN, INFINITY, -INFINITY, 0.5, -1, 3};
#ifdef BPO_POLICY_CHOICE_COUNT /* three sounds and three actions */
  const int count = 6;
#else
  const int count = 3;
#endif
  int i, t;
  bpo_policy_reset(&p, 1, 0);
  for (t = 0; t < 3; ++t) {
    for (i = 0; i < count; ++i) {
      double executed[BPO_POLICY_ACTIONS] = {0};
      o[BPO_POLICY_OBSERVATIONS - 1] = executed[BPO_POLICY_ACTIONS - 1] = wrong[i];
      REFUSED(bpo_policy_step(&p, o, action));
      REFUSED(bpo_policy_executed(&p, executed));
#if BPO_POLICY_BELIEFS > 0 && !BPO_POLICY_FILTER_INSIDE
      if (!isfinite(wrong[i])) {
        float belief[BPO_POLICY_BELIEFS] = {0};
        belief[BPO_POLICY_BELIEFS - 1] = (float)wrong[i];
        REFUSED(bpo_policy_set_belief(&p, belief));
      }
#endif
    }
    o[BPO_POLICY_OBSERVATIONS - 1] = 0;
    if (bpo_policy_step(&p, o, action) == -1) puts("a right step is refused");
  }
  printf("%d refused\n", refusals);
  return 0;
}
)";

TEST_F(ExportTest, CRefusesWhatItsContractDoesNotKnow) {
  for (const auto& [c, refused] : {std::pair{kCases[0], 36}, {kCases[7], 27}}) {
    cli::fs::remove_all(path("run"));
    cli::fs::remove_all(path("c"));
    train(c);
    export_c();
    cli::spill(path("c/refusals.c"), kRefusals);
    const auto [built, words] = shell(in_c("gcc -O1" + kStrict + "refusals.c -lm -o refusals"));
    ASSERT_EQ(built, 0) << words.substr(0, 2000);
    EXPECT_EQ(shell(in_c("./refusals")).second, std::to_string(refused) + " refused\n") << c.name;
  }
}

TEST_F(ExportTest, TwoPoliciesGoIntoOneProgram) {
  std::string sources, declared, called = "0";
  for (const Case& c : {kCases[0], kCases[3]}) {
    cli::fs::remove_all(path("run"));
    train(c);
    export_c();
    cli::fs::rename(path("c"), path(c.name));
    cli::spill(path(c.name + ".c"),
               "#define BPO_POLICY_API static\n"
               "#define BPO_POLICY_IMPLEMENTATION\n#include \"" +
                   c.name + "/bpo_policy.h\"\n#include \"" + c.name +
                   "/bpo_policy_golden.h\"\nint " + c.name + "(void);\nint " + c.name +
                   "(void) {\n  bpo_policy_report r;\n  const int verdict = "
                   "bpo_policy_self_test(&r);\n"
                   "  return r.sequences == 32 ? verdict : 8;\n}\n");
    sources += c.name + ".c ";
    declared += "int " + c.name + "(void);\n";
    called += " + 10 * " + c.name + "()";
  }
  cli::spill(path("main.c"), declared + "int main(void) { return " + called + "; }\n");
  const std::string in = "cd '" + path("") + "' && ";
  const auto [built, words] =
      shell(in + "gcc -O1 -march=x86-64-v3" + kStrict + sources + "main.c -lm -o both");
  ASSERT_EQ(built, 0) << words.substr(0, 2000);
  EXPECT_EQ(shell(in + "./both").first, 0);
}

TEST_F(ExportTest, OnnxIsHeldToNumbersThatAreFinite) {
  train(kCases[0]);
  export_c();
  expect_agreement_in_onnx("tiger");
  Json golden = json_of("c/golden.json");
  golden[3][2]["output"][1] = 12345.5;
  cli::spill(path("c/golden.json"), golden.dump());
  change_text("c/golden.json", "output", "12345.5", "NaN");  // Python reads it
  const auto [status, said] = check_onnx("c/golden.json");
  if (status == 77) GTEST_SKIP() << said;
  EXPECT_EQ(status, 1) << said;
  EXPECT_NE(said.find("largest difference inf"), std::string::npos) << said;
}

/// What the contract says, number by number, and that it is true.
TEST_F(ExportTest, TheContractSaysWhatNumbersAre) {
  train(kCases[0]);
  export_c();
  const Json tiger = json_of("c/contract.json");
  EXPECT_EQ(tiger["observation"]["numbers"].size(), 1u);
  EXPECT_EQ(tiger["observation"]["numbers"][0]["name"], "sound");
  EXPECT_EQ(tiger["observation"]["numbers"][0]["values"],
            (Json{"heard left", "heard right", "nothing"}));
  EXPECT_EQ(tiger["action"]["numbers"][0]["values"], (Json{"listen", "open-left", "open-right"}));
  EXPECT_EQ(tiger["action"]["clipping"], "none: it is always an index");
  EXPECT_EQ(tiger["belief"]["prior"], (Json{0.5, 0.5}));
  int heard_first = 0;  // the door behind which something was heard becomes the likelier
  for (const Json& sequence : json_of("c/golden.json")) {
    for (std::size_t t = 1; t < sequence.size(); ++t) {
      const Json &before = sequence[t - 1], &step = sequence[t];
      const double heard = step["observation"][0];
      if (step["first"] || heard == 2.0 || before["belief"] != tiger["belief"]["prior"]) continue;
      ASSERT_EQ(before["executed"][0], 0.0) << "only who listens hears";
      EXPECT_GT(step["belief"][heard == 0.0 ? 0 : 1], 0.8);
      ++heard_first;
    }
  }
  EXPECT_GT(heard_first, 10);
  EXPECT_TRUE(tiger["delay"]["unknown"].empty());
  EXPECT_TRUE(tiger["delay"]["known"].get<std::string>().starts_with("none: "));
  EXPECT_TRUE(tiger["rate"].is_string()) << "it has no clock";

  cli::fs::remove_all(path("run"));
  cli::fs::remove_all(path("c"));
  train(kCases[3]);
  export_c();
  const Json light = json_of("c/contract.json");
  std::vector<std::string> names;
  for (const Json& number : light["observation"]["numbers"]) names.push_back(number["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"measured x", "measured y", "goal x", "goal y"}));
  for (const Json& number : light["action"]["numbers"]) {
    EXPECT_EQ(number["low"], -0.5);
    EXPECT_EQ(number["high"], 0.5);
  }
  EXPECT_EQ(light["action"]["numbers"].size(), 2u);
  EXPECT_EQ(light["belief"]["meaning"], "the mean of each factor, then the one variance of all");
  EXPECT_EQ(light["belief"]["size"], 3);
  EXPECT_EQ(light["belief"]["prior"], json_of("c/golden.json")[0][0]["belief"]);
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
