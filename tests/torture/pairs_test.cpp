// Every verb beside every other one, at the same time and at the same run, which is half trained:
// one of them may find it in use, and neither harms it.
#include "bpo/core/any_problem.h"
#include "tests/torture/torture.h"

namespace bpo::cli {
namespace {

struct VerbCase {
  std::vector<std::string> words;
  std::set<int> fine{0};  // how it may end
};

class Pairs : public CliTest {
 protected:
  static constexpr int kIterations = 12;
  const std::string kCartPole =
      std::string(kSourcePath) + "/examples/robots/cart-pole/cart-pole.toml";
  static bool has_robots() { return problems().contains("half-cheetah"); }

  void SetUp() override {
    CliTest::SetUp();
    make(small_training("whole", kIterations));
    std::vector<std::string> half = small_training("half", kIterations);
    half.insert(half.end(), {"--steps", "6000"});
    make(half);
    make({"write-problem", "tiger", "t.pomdp"});
    make({"solve", "t.pomdp", "--planner", "sarsop", "--out", "plan", "--episodes", "20",
          "--threads", "1"});
    spill(dir_ / "sweep.toml",
          "problems = \"tiger\"\nseeds = 1\n[set]\nalgo.iterations = 1\n"
          "optimizer.batch_steps = 100\nalgo.baseline = \"linear\"\n"
          "algo.validate_episodes = 20\nproblem.horizon = 5\n");
    if (has_robots()) {
      make(training(
          kCartPole, "robot", 1,
          {"--set", "problem.horizon=20", "--set", "algo.hidden=8", "--threads", "1", "--quiet"}));
      make({"play", "robot", "--log", "log.csv"});
    }
    spill(dir_ / "m.xml",
          "<mujoco><worldbody><body><joint name='j' type='hinge' axis='0 1 0'/><geom size='.1'/>"
          "</body></worldbody><actuator><motor joint='j'/></actuator></mujoco>");
    wanted_ = artifacts(dir_ / "whole");
  }

  void make(const std::vector<std::string>& words) const {
    const Outcome outcome = run(words);
    ASSERT_EQ(outcome.status, 0) << words[0] << ": " << outcome.err;
  }

  /// All that `bpo --help` lists, as a user might give them while a run is under way.
  std::vector<VerbCase> verbs() const {
    std::vector<VerbCase> out{
        {{"list"}},
        {small_training("run", kIterations), {2, 3}},
        {{"solve", "t.pomdp", "--planner", "qmdp", "--out", "run", "--threads", "1"}, {2, 3}},
        {{"resume", "run", "--threads", "1", "--quiet"}, {0, 3}},
        {{"eval", "run", "--episodes", "100", "--threads", "1"}},
        {{"play", "run"}},
        {{"compare", "run", "run", "--episodes", "50", "--threads", "1"}},
        {{"report", "run", "-o", "page.html", "--episodes", "20", "--threads", "1"}},
        {small_campaign("campaign"), {0, 3}},
        {{"check", "t.pomdp"}},
        {{"write-problem", "tiger", "written.pomdp"}},
        {{"import-policy", "t.pomdp", "plan/appl.policy", "--out", "run"}, {2, 3}},
        {{"bench", "tiger", "--seconds", "0.01"}},
        {{"doctor"}, {0, 4}},
        {{"sweep", "sweep.toml", "--out", "swept", "--threads", "1", "--quiet"}},
        {{"status", "run"}},
        {{"export", "run", "--to", "onnx", "policy.onnx"}}};
    if (has_robots()) {
      out.push_back({{"init", "m.xml"}});
      out.push_back({{"identify", kCartPole, "log.csv"}});
    }
    return out;
  }

  std::string beside(const VerbCase& a, const VerbCase& b) {
    for (const char* made : {"run", "swept", "campaign"}) fs::remove_all(dir_ / made);
    fs::copy(dir_ / "half", dir_ / "run", fs::copy_options::recursive);
    Process first(dir_, a.words), second(dir_, b.words);
    const Outcome one = first.wait(), other = second.wait();
    for (const auto& [verb, end] : {std::pair(&a, &one), std::pair(&b, &other)}) {
      const std::string wrong = wrong_end(*end, verb->fine);
      if (!wrong.empty()) return verb->words[0] + " " + wrong;
    }
    const Outcome end = run({"resume", "run", "--threads", "1", "--quiet"});
    if (end.status != 0) return "resume " + wrong_end(end, {0});
    return difference(wanted_, artifacts(dir_ / "run"));
  }

 private:
  Artifacts wanted_;
};

TEST_F(Pairs, OfVerbsAtOneRun) {
  const std::vector<VerbCase> all = verbs();
  if (has_robots()) {
    const std::string help = run({"--help"}).out;
    for (const VerbCase& verb : all) {
      EXPECT_NE(help.find("\n  " + verb.words[0] + " "), std::string::npos) << verb.words[0];
    }
    const std::size_t begin = help.find("Subcommands:\n"), end = help.find("\n\n", begin);
    EXPECT_EQ(std::count(help.begin() + static_cast<std::ptrdiff_t>(begin),
                         help.begin() + static_cast<std::ptrdiff_t>(end), '\n'),
              static_cast<std::ptrdiff_t>(all.size()))
        << "a verb is missing here";
  }
  Tally tally("two programs at one run");
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a; b < all.size(); ++b) {
      if (!full_torture() && b != 2 * a) continue;  // a part that has most verbs
      const std::string lost = beside(all[a], all[b]);
      tally.count(lost.empty() ? "" : all[a].words[0] + " and " + all[b].words[0] + ": " + lost);
    }
  }
}

}  // namespace
}  // namespace bpo::cli
