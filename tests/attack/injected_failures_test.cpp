// Every call on a file, every new thread and the large allocations of a verb fail, one at a time.
// An injection is one run of the program in which the N-th call of a function fails (with a '+', it
// and all later ones) or a standard stream is full or closed; N grows until there is no such call.
// fail_calls.cpp says what counts as a call.
//
// It holds when the program ends by itself with 0 or 5 (input or output failed); 2 is right only
// where the verb has to refuse anyway, 3 for a lock that somebody else has, and 4 for a sweep that
// says which of its runs failed. A failed `stat` is
// no proof that a file is absent, so it may not end with 2 ("not a run directory"). Calls that were
// interrupted or cut short change nothing at all. After a failure, what was not to be replaced is
// there byte for byte, no file is torn, and nothing half written stays. The next command that a
// user would give then ends with the files of an undisturbed run, and a resumed training keeps the
// iterations that it had.
#include <algorithm>
#include <cstdio>
#include <set>

#include "bpo/runs/run.h"
#include "tests/attack/faults.h"
#include "tests/support/paths.h"
#include "tests/torture/torture.h"

namespace bpo::cli {
namespace {

using Arguments = std::vector<std::string>;

constexpr int kFewest = 254;

struct Verb {
  std::string name, before;  // the directory to begin with
  Arguments arguments;
  /// What a user does after a failure, by what is in the directory.
  std::function<Arguments(const fs::path&)> next;
  bool replaces = false;     // or else all files of before stay as they are
  bool same_output = false;  // save for its first line, which tells of the training if it can
  int undisturbed = 0;       // its status
  bool runs = false;         // makes many runs, which takes its time: some faults will do
};

class InjectedFailuresTest : public CliTest {
 protected:
  InjectedFailuresTest() {
    for (const char* before : {"empty", "old", "stopped", "two", "seeds", "sweep"}) {
      fs::create_directories(before_ / before);
    }
    spill(before_ / "sweep" / "sweep.toml",
          "problems = \"tiger\"\nseeds = 2\n[set]\nalgo.iterations = 1\nalgo.hidden = 8\n"
          "optimizer.batch_steps = 100\nalgo.baseline = \"linear\"\n"
          "algo.validate_episodes = 20\nproblem.horizon = 4\n");
    make("old", train("run", 1, {"--seed", "7"}));
    make("two", train("a", 1, {"--seed", "1"}));
    make("two", train("b", 1, {"--seed", "2"}));
    make("seeds", train("run", 1));
    fs::rename(before_ / "seeds" / "run", before_ / "seeds" / "seed-0");
    stop_early(before_ / "stopped" / "run");
  }

  static Arguments train(const std::string& out, int iterations, const Arguments& more = {}) {
    Arguments all = training("tiger", out, iterations,
                             {"--set", "problem.horizon=4", "--checkpoint-seconds", "0", "--set",
                              "algo.validate_every=1"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  void make(const std::string& before, const Arguments& arguments) const {
    const Outcome outcome = Process(before_ / before, arguments).wait();
    if (outcome.status != 0) throw std::runtime_error(outcome.err);
  }

  /// A training of two iterations that was stopped after the first.
  void stop_early(const fs::path& directory) const {
    make("stopped", train("run", 2));
    RunPlan plan = load_plan(directory.string());
    fs::remove_all(directory);
    ThreadPool pool(1);
    NullLog nobody;
    Run::create(directory.string(), std::move(plan), /*force=*/false, pool)
        ->solve(Budget{.iterations = 1}, 0.0, nobody);
  }

  std::vector<Verb> verbs() const {
    const auto again = [](const Arguments& a) { return [a](const fs::path&) { return a; }; };
    const auto resume_or = [](const Arguments& a) {
      return [a](const fs::path& work) {
        return fs::exists(work / "run" / "config.toml") ? Arguments{"resume", "run"} : a;
      };
    };
    const Arguments fresh = train("run", 1), forced = train("run", 1, {"--force"}),
                    resume{"resume", "run", "--checkpoint-seconds", "0"},
                    seeds = train(".", 1, {"--seeds", "2"}), eval{"eval", "a", "--episodes", "100"},
                    report{"report", "a", "-o", "page.html", "--episodes", "100"},
                    compare{"compare", "a", "b", "--episodes", "100"}, status{"status", "a", "b"},
                    onnx{"export", "a", "--to", "onnx", "policy.onnx"},
                    sweep{"sweep", "sweep.toml", "--out", "out", "--quiet", "--stale-after", "1"},
                    solve{"solve", "lightdark", "--planner",         "belief-ilqg", "--episodes",
                          "1",     "--set",     "problem.horizon=2", "--out",       "run"};
    Arguments retry = sweep, campaign = small_campaign("out");
    retry.push_back("--retry-failed");
    const auto threads = std::find(campaign.begin(), campaign.end(), "--threads");
    campaign.erase(threads, threads + 2);  // their number is with_threads' to choose
    Arguments solve_forced = solve;
    solve_forced.push_back("--force");
    const auto solve_again = [=](const fs::path& work) {
      return fs::exists(work / "run") ? solve_forced : solve;
    };
    return {
        {"train", "empty", fresh, resume_or(fresh)},
        {"train --force", "old", forced, again(forced), true},
        {"train over a run", "old", fresh, again(fresh), false, false, 2},
        {"train --seeds", "seeds", seeds, again(seeds)},
        {"resume", "stopped", resume, again(resume), true},
        {"resume a finished run", "old", {"resume", "run"}, again({"resume", "run"}), false, true},
        {"eval", "two", eval, again(eval), false, true},
        {"report", "two", report, again(report), false, true},
        {"compare", "two", compare, again(compare), false, true},
        {"solve", "empty", solve, solve_again, false, true},
        {"status", "two", status, again(status)},
        {"export", "two", onnx, again(onnx), false, true},
        {.name = "sweep",
         .before = "sweep",
         .arguments = sweep,
         .next = again(retry),
         .runs = true},
        {.name = "reproduce",
         .before = "empty",
         .arguments = campaign,
         .next = again(campaign),
         .runs = true}};
  }

  fs::path fresh_copy(const Verb& verb) const {
    const fs::path work = dir_ / "work";
    fs::remove_all(work);
    fs::copy(before_ / verb.before, work, fs::copy_options::recursive);
    return work;
  }

  /// The files and the output that the verb leaves when nothing fails.
  struct Reference {
    Artifacts before, after;
    std::string out, metrics_before;
  };
  Reference reference(const Verb& verb) const {
    const fs::path work = fresh_copy(verb);
    Reference out{.before = artifacts(work),
                  .metrics_before = slurp(work / "run" / "metrics.jsonl")};
    const Outcome outcome = Process(work, with_threads(verb.arguments, {})).wait();
    EXPECT_EQ(outcome.status, verb.undisturbed) << verb.name << ": " << outcome.err;
    out.after = lasting_artifacts(work);
    out.out = outcome.out;
    return out;
  }

  static std::set<int> accepted(const Verb& verb, const Fault& fault) {
    std::set<int> out{verb.undisturbed};
    if (!fault.harmless) out.insert(5);
    if (fault.call == "flock" && fault.error == "EAGAIN") out.insert(3);
    if (verb.name == "sweep" && !fault.harmless) out.insert(4);
    return out;
  }

  static std::string torn_file(const fs::path& work) {
    for (const auto& entry : fs::recursive_directory_iterator(work)) {
      if (entry.path().extension() != ".safetensors") continue;
      try {
        TensorFile::load(entry.path().string());
      } catch (const Error& error) {
        return error.what();
      }
    }
    return "";
  }

  static std::string left_over(const fs::path& work) {
    for (const auto& entry : fs::recursive_directory_iterator(work)) {
      if (is_temporary(entry.path())) return entry.path().filename().string() + " was left behind";
    }
    return "";
  }

  static std::string rest(const std::string& text) {
    return text.substr(std::min(text.size(), text.find('\n')));
  }

  /// Iterations that were done again are told by their times, which are others.
  static std::string wrong_end(const Verb& verb, const Reference& wanted, const fs::path& work) {
    if (verb.before == "stopped" &&
        !slurp(work / "run" / "metrics.jsonl").starts_with(wanted.metrics_before)) {
      return "the training started over";
    }
    return difference(wanted.after, lasting_artifacts(work));
  }

  /// What is wrong with the state that a run of the verb left in `work`; empty when nothing is.
  static std::string objection(const Verb& verb, const Fault& fault, const Reference& wanted,
                               const Outcome& outcome, bool output_counts, const fs::path& work) {
    if (!accepted(verb, fault).contains(outcome.status)) {
      return "ends with " + std::to_string(outcome.status) + ": " + outcome.err;
    }
    if (outcome.status == 0 && output_counts && verb.same_output &&
        rest(outcome.out) != rest(wanted.out)) {
      return "prints something else: " + outcome.out;
    }
    if (outcome.status == verb.undisturbed) return wrong_end(verb, wanted, work);
    const bool told = outcome.err.find("bpo: error: ") != std::string::npos ||
                      (outcome.status == 4 && outcome.out.find("failed 1,") != std::string::npos);
    if (output_counts && !told) {
      return "does not say what is wrong: " + outcome.err;
    }
    if (std::string torn = torn_file(work); !torn.empty()) return torn;
    if (fault.call != "unlink") {
      if (std::string file = left_over(work); !file.empty()) return file;
    }
    if (!verb.replaces) {
      const Artifacts now = artifacts(work);
      for (const auto& [path, bytes] : wanted.before) {
        if (!now.contains(path) || now.at(path) != bytes) return path + " was lost or changed";
      }
    }
    const Outcome next = Process(work, with_threads(verb.next(work), {})).wait();
    if (next.status != verb.undisturbed) {
      return "the next command ends with " + std::to_string(next.status) + ": " + next.err;
    }
    const std::string wrong = wrong_end(verb, wanted, work);
    return wrong.empty() ? wrong : "after the next command " + wrong;
  }

  void count(const Verb& verb, const std::string& what, const std::string& objection) {
    ++injected_;
    if (objection.empty()) return;
    ++failed_;
    ADD_FAILURE() << verb.name << ", " << what << ": " << objection;
  }

  /// One thread is faster for work this small; the second of two new ones may fail beside the
  /// first, which is there already.
  static Arguments with_threads(Arguments arguments, const Fault& fault) {
    if (arguments[0] == "status" || arguments[0] == "export") return arguments;
    arguments.insert(arguments.end(), {"--threads", fault.call == "thread" ? "3" : "1"});
    return arguments;
  }

  /// False when there was no such call.
  bool inject(const Verb& verb, const Fault& fault, int n, const Reference& wanted) {
    const fs::path work = fresh_copy(verb), told = dir_ / "told";
    fs::remove(told);
    const std::string plan =
        fault.call + ":" + std::to_string(n) + (fault.for_good ? "+:" : ":") + fault.error;
    const Outcome outcome = Process(work, with_threads(verb.arguments, fault), [&] {
                              ::setenv("BPO_FAIL", plan.c_str(), 1);
                              ::setenv("BPO_FAIL_TOLD", told.c_str(), 1);
                              ::setenv("LD_PRELOAD", kFailCallsPath, 1);
                            }).wait();
    if (!fs::exists(told)) return false;
    count(verb, plan + " (" + slurp(told) + ")",
          objection(verb, fault, wanted, outcome, true, work));
    return true;
  }

  void break_stream(const Verb& verb, const Stream& stream, const Reference& wanted) {
    const fs::path work = fresh_copy(verb);
    const Outcome outcome = Process(work, with_threads(verb.arguments, {}), [&] {
                              for (const int fd : stream.descriptors) {
                                if (stream.closed) {
                                  ::close(fd);
                                } else {
                                  ::dup2(::open("/dev/full", O_RDWR), fd);
                                }
                              }
                            }).wait();
    count(verb, stream.name, objection(verb, {}, wanted, outcome, false, work));
  }

  fs::path before_ = dir_ / "before";
  int injected_ = 0, failed_ = 0;
};

TEST_F(InjectedFailuresTest, LoseNothing) {
#ifdef BPO_SANITIZED
  GTEST_SKIP() << "a sanitizer replaces the same functions as the preloaded library";
#endif
  for (const Verb& verb : verbs()) {
    const Reference wanted = reference(verb);
    const int before = injected_;
    for (const Stream& stream : kStreams) break_stream(verb, stream, wanted);
    for (const Fault& fault : kFaults) {
      const int most = verb.runs ? std::min(fault.most(), amount(4, 1)) : fault.most();
      for (int n = 1; n <= most && inject(verb, fault, n, wanted); ++n) {
      }
    }
    std::printf("(%d into %s)\n", injected_ - before, verb.name.c_str());
  }
  EXPECT_GE(injected_, kFewest);
  std::printf("injected failures: %d of %d\n", injected_ - failed_, injected_);
}

}  // namespace
}  // namespace bpo::cli
