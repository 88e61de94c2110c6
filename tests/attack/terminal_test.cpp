// Standard output and standard error: nothing that came from a file reaches the terminal as a
// command, and streams that are full, closed or narrow change no exit status.
#include <pty.h>

#include "tests/cli/process.h"

namespace bpo::cli {
namespace {

class TerminalAttack : public CliTest {
 protected:
  static void open_over(const char* path, int fd) { ::dup2(::open(path, O_WRONLY), fd); }
  /// No escape, no C1 control, no line but the program's own.
  static void expect_clean(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      EXPECT_TRUE(c >= 0x20 || c == '\n' || c == '\t') << int{c} << " in " << text;
      EXPECT_NE(c, 0x7f);
      if (c == 0xc2 && i + 1 < text.size()) {
        EXPECT_GE(static_cast<unsigned char>(text[i + 1]), 0xa0) << text;
      }
    }
  }
  void expect_clean(const std::vector<std::string>& words) const {
    const Outcome outcome = run(words);
    expect_clean(outcome.out);
    expect_clean(outcome.err);
  }
};

const std::string kSteering =
    "\x1b]0;owned\x07\x1b[31m\xc2\x9b"
    "2J\x7f";

TEST_F(TerminalAttack, MetadataOfAPolicyIsQuoted) {
  ASSERT_EQ(run(training("tiger", "r", 2)).status, 0);
  std::string bytes = slurp(dir_ / "r" / "policy.safetensors");
  const auto at = bytes.find("bpo-policy");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 10,
                "\\u001b[31m\x7f"
                "\xc2\x9bx");
  spill(dir_ / "r" / "policy.safetensors", bytes);
  expect_clean({"eval", "r", "--episodes", "10"});
}

TEST_F(TerminalAttack, StringsOfAResultAreQuoted) {
  ASSERT_EQ(run(training("tiger", "s", 2, {"--seeds", "2"})).status, 0);
  for (const char* key : {"problem", "algorithm", "diverged", "commit"}) {
    auto json = nlohmann::ordered_json::parse(slurp(dir_ / "s/seed-0/result.json"));
    json[key] = kSteering + "\nforged";
    spill(dir_ / "s/seed-0/result.json", json.dump());
    const Outcome resumed = run({"resume", "s/seed-0"});
    expect_clean(resumed.out + resumed.err);
    EXPECT_EQ(resumed.out.find("\nforged"), std::string::npos) << resumed.out;
    expect_clean(training("tiger", "s", 2, {"--seeds", "2"}));
    expect_clean({"resume", "s/seed-0", "--json"});
  }
}

TEST_F(TerminalAttack, NamesOfDirectoriesAreQuoted) {
  const std::string name = "r" + kSteering + "\xff";
  ASSERT_EQ(run(training("tiger", name, 2)).status, 0);
  for (const char* verb : {"eval", "resume", "play"}) expect_clean({verb, name});
  for (const char* format : {"--json", "--csv", "--markdown", "--latex", "--quiet"}) {
    std::vector<std::string> words{"compare", name, "--episodes", "20"};
    if (format != std::string("--quiet")) words.push_back(format);
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    expect_clean(outcome.out + outcome.err);
  }
  EXPECT_FALSE(run_json({"compare", name, "--episodes", "20"}).is_discarded());
  expect_clean({"eval", "nowhere" + kSteering});
  expect_clean({"train", "tiger" + kSteering});
  expect_clean({"train", "tiger", "--algo", kSteering});
  expect_clean(std::vector<std::string>{kSteering});
  expect_clean(training("tiger", name, 2));
}

TEST_F(TerminalAttack, TextOfATomlFileIsQuoted) {
  for (const std::string& value : {std::string("\\u009b31m"), std::string("\xc2\x9b"
                                                                          "31m")}) {
    spill(dir_ / "c.toml", "[run]\nproblem = \"" + value + "\"\n");
    expect_clean({"train", "--config", "c.toml"});
    spill(dir_ / "c.toml", "[run]\n\"" + value + "\" = 1\n");
    expect_clean({"train", "--config", "c.toml"});
  }
}

TEST_F(TerminalAttack, StandardErrorThatFailsChangesNoStatus) {
  const auto full = [] { open_over("/dev/full", STDERR_FILENO); };
  const auto closed = [] { ::close(STDERR_FILENO); };
  for (const std::function<void()>& how : {std::function<void()>(full), {closed}}) {
    EXPECT_EQ(run({"eval", "nope"}, how).status, 2);
    EXPECT_EQ(run({"--bogus"}, how).status, 2);
    fs::remove_all(dir_ / "r");
    EXPECT_EQ(run(training("tiger", "r", 3), how).status, 0);
    EXPECT_EQ(run({"resume", "r"}, how).status, 0);
    EXPECT_EQ(run(training("tiger", "r", 3), how).status, 2);
    EXPECT_EQ(run({"eval", "r", "--episodes", "20"}, how).status, 0);
    const std::string lock = slurp(dir_ / "r" / ".lock");
    EXPECT_EQ(lock.find("error"), std::string::npos) << "a closed stream became a file: " << lock;
  }
}

TEST_F(TerminalAttack, APipeNobodyReadsDoesNotEndATraining) {
  const Outcome outcome = run(training("tiger", "r", 3), [] {
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(98);
    ::close(ends[0]);
    ::dup2(ends[1], STDERR_FILENO);
  });
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(fs::exists(dir_ / "r" / "result.json"));
}

TEST_F(TerminalAttack, StandardOutputThatFailsIsSaid) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"list"}, {"--help"}, {"train", "--help"}, {"--version"}}) {
    EXPECT_EQ(run(words, [] { open_over("/dev/full", STDOUT_FILENO); }).status, 5) << words[0];
    EXPECT_EQ(run(words, [] { ::close(STDOUT_FILENO); }).status, 5) << words[0];
  }
}

/// What the program writes to a terminal of that width.
std::string on_terminal(const fs::path& dir, const std::vector<std::string>& words,
                        unsigned short columns) {
  int main_end = -1;
  winsize size{24, columns, 0, 0};
  const pid_t child = ::forkpty(&main_end, nullptr, nullptr, &size);
  if (child == 0) {
    if (::chdir(dir.c_str()) != 0) ::_exit(98);
    become_program(words);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(main_end, buffer, sizeof buffer)) > 0;) text.append(buffer, n);
  ::waitpid(child, nullptr, 0);
  ::close(main_end);
  return text;
}

TEST_F(TerminalAttack, ProgressFitsTheTerminal) {
  for (const unsigned short columns : {40, 80, 200}) {
    const std::string out = "r" + std::to_string(columns);
    const std::string text = on_terminal(dir_, training("tiger", out, 150), columns);
    std::size_t lines = 0;
    for (std::size_t at = 0; (at = text.find("\r\x1b[K", at)) != std::string::npos; ++lines) {
      at += 4;
      const std::string line = text.substr(at, text.find_first_of("\r\n", at) - at);
      // What comes after a line was only cleared is the program's output, as long as it likes.
      const bool live = line.starts_with("iteration ") || line.find(" ... ") != line.npos;
      if (live) EXPECT_LT(line.size(), columns) << line;
    }
    EXPECT_GT(lines, 0u) << text;
    EXPECT_NE(text.find("iteration "), std::string::npos);
    EXPECT_EQ(text.find("belief entropy") != std::string::npos, columns == 200);
  }
}

}  // namespace
}  // namespace bpo::cli
