// Damage to those files of a run and of a sweep that are text: options, metrics, result, the list
// of files, the lock, claims and notes. (tests/attack/mutations_test.cpp has policies and
// checkpoints.) What reads a damaged file refuses it by an Error, or what the run is stays as it
// was; nothing crashes, and time and memory are bounded.
#include <sys/resource.h>

#include "bpo/core/claim.h"
#include "bpo/runs/history.h"
#include "bpo/runs/loaded.h"
#include "bpo/runs/result.h"
#include "bpo/runs/run_status.h"
#include "bpo/runs/sweep.h"
#include "tests/torture/torture.h"

namespace bpo::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSampled = 50;  // one in so many goes through the program, too
constexpr rlim_t kMemory = rlim_t{2} << 30;
constexpr std::chrono::seconds kMostTime{5};
constexpr long kMostMegabytes = 400;

/// Bytes of a text after an accident or an attack.
class TextDamage : public Luck {
 public:
  std::string next(const std::string& original) {
    for (;;) {
      std::string out = original;
      (this->*kKinds[turn_++ % kKinds.size()])(out);
      if (out != original) return out;
    }
  }

 private:
  using Kind = void (TextDamage::*)(std::string&);
  static const std::vector<Kind> kKinds;

  std::size_t place(const std::string& text) {
    return text.empty() ? 0 : static_cast<std::size_t>(below(static_cast<int>(text.size())));
  }
  void flip(std::string& text) {
    if (!text.empty()) text[place(text)] ^= static_cast<char>(1 << below(8));
  }
  void flip_many(std::string& text) {
    for (int n = 2 + below(30); n > 0; --n) flip(text);
  }
  void cut(std::string& text) { text.resize(place(text)); }
  void append(std::string& text) {
    for (int n = 1 + below(100); n > 0; --n) text += static_cast<char>(below(256));
  }
  void lose_block(std::string& text) { text.erase(place(text), 1 + place(text) / 4); }
  void double_block(std::string& text) {
    const std::size_t at = place(text);
    text.insert(at, text.substr(at, 1 + place(text)));
  }
  void zeros(std::string& text) {
    const std::size_t at = place(text), size = std::min(text.size() - at, place(text) + 1);
    text.replace(at, size, size, '\0');
  }
  /// Numbers beyond all bounds where there was a digit.
  void other_number(std::string& text) {
    static const std::vector<std::string> kNumbers{
        "-1",    "0", "1e999", "-1e999", "nan", "99999999999999999999", "9223372036854775807",
        "1e-400"};
    const std::size_t digit = text.find_first_of("0123456789", place(text));
    if (digit == text.npos) return;
    text.replace(digit, 1, kNumbers[place(text) % kNumbers.size()]);
  }
  void nest(std::string& text) { text.insert(place(text), std::string(100'000, '[')); }
  void long_line(std::string& text) { text.insert(place(text), std::string(1 << 20, 'x')); }
  void escapes(std::string& text) {
    text.insert(place(text), "\x1b]0;owned\a\x1b[2J\xff\xfe</script><script>alert(1)</script>\r\n");
  }
  void replace_all(std::string& text) {
    for (char& c : text) c = static_cast<char>(below(256));
  }

  std::size_t turn_ = 0;
};

const std::vector<TextDamage::Kind> TextDamage::kKinds{
    &TextDamage::flip,         &TextDamage::flip_many, &TextDamage::cut,
    &TextDamage::append,       &TextDamage::zeros,     &TextDamage::lose_block,
    &TextDamage::double_block, &TextDamage::nest,      &TextDamage::other_number,
    &TextDamage::long_line,    &TextDamage::escapes,   &TextDamage::replace_all};

/// A file below the test's directory, and what of the run may not change when it is damaged.
struct Victim {
  std::string path;
  std::function<std::string()> read;
  std::vector<std::string> verb;  // the command that reads it
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
    fs::copy(dir_ / "run", dir_ / "kept", fs::copy_options::recursive);
    fs::copy(dir_ / "swept", dir_ / "kept-swept", fs::copy_options::recursive);
#ifndef BPO_SANITIZED
    const rlimit limit{kMemory, kMemory};  // a sanitizer reserves terabytes
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
#endif
  }

  std::string directory(const char* name) const { return (dir_ / name).string(); }

  std::string policy() const { return slurp(policy_path(load_run(directory("run")).directory)); }
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
    return stored ? std::to_string(stored->mean) : "none";
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
    const std::string notes = "swept/.sweep/tiger/bpo/seed-";
    return {{"run/config.toml", by(&Damage::policy), {"eval", "run", "--episodes", "10"}},
            {"run/metrics.jsonl", by(&Damage::trained_so_far), {"resume", "run", "--quiet"}},
            {"run/metrics.jsonl", by(&Damage::told), status},
            {"run/result.json", by(&Damage::result), status},
            {"run/.files", by(&Damage::listed), {"resume", "run", "--quiet"}},
            {"run/.lock", by(&Damage::locked), {"resume", "run", "--quiet"}},
            {notes + "0.claim-1", by(&Damage::sweep), table},
            {notes + "0.done", by(&Damage::sweep), table},
            {notes + "1.failed", by(&Damage::sweep), table}};
  }

  void restore() const {
    for (const auto& [kept, name] : {std::pair("kept", "run"), {"kept-swept", "swept"}}) {
      fs::remove_all(dir_ / name);
      fs::copy(dir_ / kept, dir_ / name, fs::copy_options::recursive);
    }
  }

  std::string objection(const Victim& victim, const std::string& undamaged, bool sampled) const {
    const Clock::time_point start = Clock::now();
    try {
      const std::string now = victim.read();
      if (now != undamaged && !(victim.path.ends_with("result.json") && now == "none")) {
        return "something else was read";
      }
    } catch (const Error&) {
    } catch (const std::exception& error) {
      return std::string("no bpo::Error: ") + error.what();
    }
    if (Clock::now() - start > kMostTime) return "it took too long";
    if (!sampled) return "";
    const Outcome outcome = run(victim.verb);
    if (outcome.peak_mb > kMostMegabytes) return std::to_string(outcome.peak_mb) + " MB";
    for (const std::string* text : {&outcome.out, &outcome.err}) {
      if (text->find('\x1b') != text->npos) return "escapes reach the terminal";
    }
    return wrong_end(outcome, {0, 2, 5});  // 5: metrics that are shorter than recorded
  }
};

TEST_F(Damage, OfTextIsRefusedOrHarmless) {
  TextDamage damage;
  Tally tally("mutations of text files");
  int sampled = 0;
  for (const Victim& victim : victims()) {
    restore();
    const std::string undamaged = victim.read();
    restore();
    const std::string bytes = slurp(dir_ / victim.path);
    ASSERT_FALSE(bytes.empty()) << victim.path;
    for (int i = 0; i < amount(450, 60); ++i) {
      spill(dir_ / victim.path, damage.next(bytes));
      const bool sample = i % kSampled == 0;
      sampled += sample;
      const std::string lost = objection(victim, undamaged, sample);
      tally.count(lost.empty() ? "" : victim.path + ", number " + std::to_string(i) + ": " + lost);
      restore();
    }
  }
  EXPECT_GE(sampled, 18);
}

}  // namespace
}  // namespace bpo::cli
