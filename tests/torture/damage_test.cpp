// Damage to those files of a run, a campaign and a sweep that are text: options, metrics, result,
// what was measured, the list of files, the lock, why a training broke off, the copy of a problem's
// file, APPL's policy, claims and notes, a campaign's results and commands; and to TensorBoard's.
// (tests/attack/mutations_test.cpp has policies and checkpoints.) What reads a damaged file refuses
// it by an Error, or what the run is stays as it was; nothing crashes, and time and memory are
// bounded.
#include <sys/resource.h>

#include "bpo/core/any_problem.h"
#include "bpo/core/claim.h"
#include "bpo/experiments/campaign_record.h"
#include "bpo/experiments/results.h"
#include "bpo/runs/cache.h"
#include "bpo/runs/history.h"
#include "bpo/runs/loaded.h"
#include "bpo/runs/result.h"
#include "bpo/runs/run_status.h"
#include "bpo/runs/sweep.h"
#include "tests/torture/text_damage.h"

namespace bpo::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSampled = 50;  // one in so many goes through the program, too
constexpr rlim_t kMemory = rlim_t{2} << 30;
constexpr long kMostMegabytes = 400;

const std::string kNone = "none";  // what was damaged is made again

/// A file below the test's directory, and what of the run may not change when it is damaged.
struct Victim {
  std::string path;
  std::function<std::string()> read;
  std::vector<std::string> verb;   // the command that reads it
  std::set<int> fine = {0, 2, 5};  // how that may end; 5: metrics are shorter than recorded
  fs::path same = {};              // what must be the same once it ended with 0
};

class Damage : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    ASSERT_EQ(run(small_training("run", 4)).status, 0);
    spill(dir_ / "sweep.toml",
          "problems = \"tiger\"\nseeds = 2\n[set]\nalgo.iterations = 1\n"
          "optimizer.batch_steps = 100\nalgo.baseline = \"linear\"\n"
          "algo.validate_episodes = 20\nproblem.horizon = 5\n");
    fs::create_directories(dir_ / "swept/tiger/bpo/seed-1");
    spill(dir_ / "swept/tiger/bpo/seed-1/mine", "so that it fails");
    ASSERT_EQ(run({"sweep", "sweep.toml", "--out", "swept", "--quiet", "--threads", "1"}).status,
              4);
    make_others();
    for (const auto& entry : fs::directory_iterator(dir_)) {
      if (entry.is_directory()) kept_.push_back(entry.path().filename().string());
    }
    for (const std::string& name : kept_) copy(name, "kept/" + name);
#ifndef BPO_SANITIZED
    const rlimit limit{kMemory, kMemory};  // a sanitizer reserves terabytes
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
#endif
  }

  void make_others() const {
    fs::copy(dir_ / "run", dir_ / "diverged", fs::copy_options::recursive);
    fs::remove(dir_ / "diverged/result.json");
    RunFiles::open(directory("diverged")).write("diverged.txt", "iteration 4: KL is nan\n");
    ASSERT_EQ(run({"write-problem", "tiger", "t.pomdp"}).status, 0);
    ASSERT_EQ(run({"solve", "t.pomdp", "--planner", "sarsop", "--gap", "1", "--episodes", "20",
                   "--threads", "1", "--out", "plan"})
                  .status,
              0);
    ASSERT_EQ(run(small_campaign("campaign")).status, 0);
    if (!has_robots()) return;
    const std::string robot =
        std::string(kSourcePath) + "/examples/robots/cart-pole/cart-pole.toml";
    ASSERT_EQ(run(training(robot, "robot", 1,
                           {"--set", "problem.horizon=5", "--set", "algo.hidden=8", "--threads",
                            "1", "--quiet"}))
                  .status,
              0);
  }
  static bool has_robots() { return problems().contains("half-cheetah"); }

  std::string directory(const char* name) const { return (dir_ / name).string(); }

  std::string policy_in(const char* name) const {
    return slurp(policy_path(load_run(directory(name)).directory));
  }
  std::string policy() const { return policy_in("run"); }
  std::string planned() const { return policy_in("plan"); }
  std::string robot() const { return policy_in("robot"); }
  std::string diverged() const {
    return divergence(directory("diverged")) ? policy_in("diverged") : "it may go on";
  }
  /// The first of the campaign's files of measurements.
  std::string measured_path() const {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / "campaign")) {
      const fs::path path = fs::relative(entry.path(), dir_);
      if (path.filename().string().starts_with("measured-")) found.insert(path.string());
    }
    return found.empty() ? "campaign/nothing-was-measured" : *found.begin();
  }
  std::string measured() const {
    const std::string run = (dir_ / measured_path()).parent_path().string();
    const auto found = recall(run, {.episodes = 50});
    return found ? found->json().dump() : kNone;
  }
  static constexpr const char* kItem = "fig-discretization";
  fs::path results(const std::string& name) const { return "campaign/results/" + name + ".json"; }
  /// What commands tell of themselves has no part in what was found.
  std::string commanded() const {
    experiments::campaign_parts(directory("campaign"));
    return measured();
  }
  /// How many series of the campaign there are once they were merged into what is there.
  std::string merged() const {
    const Json fresh = Json::parse(slurp(dir_ / "kept" / results(kItem)));
    experiments::merge_into(directory("campaign/results"), experiments::items_of({kItem}),
                            Json::array({fresh}), {});
    const Json series = Json::parse(slurp(dir_ / results(kItem))).at("series");
    std::size_t found = 0;
    for (const Json& one : fresh.at("series")) {
      found += std::find(series.begin(), series.end(), one) != series.end();
    }
    return std::to_string(found);
  }
  /// The same of the part that a command had in it.
  std::string replaced() const {
    const auto parts = [&](const fs::path& path) {
      return Json::parse(slurp(path / results("campaign"))).at("parts");
    };
    const Json part = parts(dir_ / "kept").at(0);
    experiments::replace_part(directory("campaign/results"), part);
    const Json now = parts(dir_);
    return std::find(now.begin(), now.end(), part) != now.end() ? "there" : "lost";
  }
  /// The first file of the directory whose name begins so.
  std::string path_in(const std::string& name, const std::string& begin) const {
    for (const auto& entry : fs::directory_iterator(dir_ / name)) {
      const std::string found = entry.path().filename().string();
      if (found.starts_with(begin)) return name + "/" + found;
    }
    return name + "/nothing-begins-so";
  }
  std::string trained_so_far() const {
    ThreadPool pool(1);
    return slurp(policy_path(Run::resume(directory("run"), pool)->directory()));
  }
  std::string told() const {
    load_history(directory("run"));
    return status_of_runs({directory("run")}).size() == 1 ? policy() : "no status";
  }
  /// A damaged result counts as none, and is measured again.
  std::string result() const {
    const auto stored = stored_result(directory("run"));
    return stored ? std::to_string(stored->mean) : kNone;
  }
  std::string listed() const { return RunFiles::open(directory("run")).directory() + policy(); }
  std::string locked() const {
    const RunLock lock(directory("run"));
    return policy();
  }
  std::string sweep() const {
    const SweepFile file = parse_sweep(slurp(dir_ / "sweep.toml"), "sweep.toml");
    const Sweep all = open_sweep(file, directory("swept"));
    for (const SweepRow& row : status_of(all, 60.0)) {
      if (row.state == SweepState::kDone && !(row.seconds >= 0.0)) return "no time";
    }
    return std::to_string(all.tasks.size());
  }

  std::vector<Victim> victims() const {
    const auto by = [this](std::string (Damage::*read)() const) {
      return [this, read] { return (this->*read)(); };
    };
    const std::vector<std::string> status{"status", "run"},
        table{"sweep", "sweep.toml", "--out", "swept", "--status"};
    const fs::path found = results(kItem);
    const std::string notes = "swept/.sweep/tiger/bpo/seed-";
    std::vector<Victim> out{
        {"run/config.toml", by(&Damage::policy), {"eval", "run", "--episodes", "10"}},
        {"run/metrics.jsonl", by(&Damage::trained_so_far), {"resume", "run", "--quiet"}},
        {"run/metrics.jsonl", by(&Damage::told), status},
        {"run/result.json", by(&Damage::result), status},
        {"run/.files", by(&Damage::listed), {"resume", "run", "--quiet"}},
        {"run/.lock", by(&Damage::locked), {"resume", "run", "--quiet"}},
        {notes + "0.claim-1", by(&Damage::sweep), table},
        {notes + "0.done", by(&Damage::sweep), table},
        {notes + "1.failed", by(&Damage::sweep), table},
        {"diverged/diverged.txt", by(&Damage::diverged), {"resume", "diverged", "--quiet"}, {2, 4}},
        {"plan/problem.pomdp", by(&Damage::planned), {"eval", "plan", "--episodes", "10"}},
        {"plan/appl.policy",
         by(&Damage::planned),
         {"import-policy", "t.pomdp", "plan/appl.policy", "--out", "imported", "--force"}},
        {measured_path(), by(&Damage::measured), small_campaign("campaign"), {0, 2, 5}, found},
        {path_in("campaign/commands", ""),
         by(&Damage::commanded),
         small_campaign("campaign"),
         {0, 2},
         found},
        {found.string(), by(&Damage::merged), small_campaign("campaign"), {0}, found},
        {results("campaign").string(),
         by(&Damage::replaced),
         small_campaign("campaign"),
         {0},
         found},
        {path_in("run", "events."), by(&Damage::trained_so_far), {"resume", "run", "--quiet"}, {0}},
        {path_in("run", "events."), by(&Damage::policy), {"eval", "run", "--episodes", "10"}, {0}}};
    if (has_robots()) {
      out.push_back(
          {"robot/problem.toml", by(&Damage::robot), {"eval", "robot", "--episodes", "10"}});
    }
    return out;
  }

  void copy(const std::string& from, const std::string& to) const {
    fs::create_directories((dir_ / to).parent_path());
    fs::copy(dir_ / from, dir_ / to, fs::copy_options::recursive);
  }
  /// What the verbs of a victim may have changed.
  void restore(const Victim& victim) const {
    const std::string name = victim.path.substr(0, victim.path.find('/'));
    fs::remove_all(dir_ / name);
    copy("kept/" + name, name);
  }

  std::string objection(const Victim& victim, const std::string& undamaged, bool sampled) const {
    const Clock::time_point start = Clock::now();
    try {
      const std::string now = victim.read();
      if (now != undamaged && now != kNone) return "something else was read";
    } catch (const Error&) {
    } catch (const std::exception& error) {
      return std::string("no bpo::Error: ") + error.what();
    }
    const std::chrono::duration<double> taken = Clock::now() - start;
    if (taken.count() > kMostReading) return "reading it took too long";
    if (!sampled) return "";
    const Outcome outcome = run(victim.verb);
    if (outcome.seconds > kMostRunning) return "the program took too long";
    if (outcome.peak_mb > kMostMegabytes) return std::to_string(outcome.peak_mb) + " MB";
    for (const std::string* text : {&outcome.out, &outcome.err}) {
      if (text->find('\x1b') != text->npos) return "escapes reach the terminal";
    }
    const bool same = victim.same.empty() || outcome.status != 0 ||
                      slurp(dir_ / victim.same) == slurp(dir_ / "kept" / victim.same);
    return same ? wrong_end(outcome, victim.fine) : victim.same.string() + " is another";
  }

 private:
  std::vector<std::string> kept_;
};

TEST_F(Damage, OfTextIsRefusedOrHarmless) {
  TextDamage damage;
  Tally tally("mutations of text files");
  int sampled = 0;
  for (const Victim& victim : victims()) {
    restore(victim);
    const std::string undamaged = victim.read();
    ASSERT_NE(undamaged, kNone) << victim.path;
    restore(victim);
    const std::string bytes = slurp(dir_ / victim.path);
    ASSERT_FALSE(bytes.empty()) << victim.path;
    for (int i = 0; i < amount(450, 60); ++i) {
      spill(dir_ / victim.path, damage.next(bytes));
      const bool sample = i % kSampled == 0;
      sampled += sample;
      const std::string lost = objection(victim, undamaged, sample);
      tally.count(lost.empty() ? "" : victim.path + ", number " + std::to_string(i) + ": " + lost);
      restore(victim);
    }
  }
  EXPECT_GE(sampled, 18);
}

/// Whoever prints or compares JSON does so by recursion.
TEST_F(Damage, ByJsonWithinJsonIsHarmless) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  const fs::path found = results(kItem);
  spill(dir_ / path_in("campaign/commands", ""),
        "{\"began\": 1, \"seconds\": 1, \"part\": {\"items\": " + deep + ", \"only\": []}}");
  spill(dir_ / measured_path(), "{\"checksum\": \"x\", \"a\": " + deep + "}");
  const Outcome outcome = run(small_campaign("campaign"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LT(outcome.peak_mb, kMostMegabytes);
  EXPECT_EQ(slurp(dir_ / found), slurp(dir_ / "kept" / found));
}

}  // namespace
}  // namespace bpo::cli
