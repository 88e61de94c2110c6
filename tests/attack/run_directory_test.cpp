// A run directory and what may lie in it: files of others are never lost, links and pipes are never
// followed, and files that do not belong together are refused by name.
#include <sys/stat.h>

#include <algorithm>

#include "tests/cli/process.h"

namespace bpo::cli {
namespace {

class RunDirectoryAttack : public CliTest {
 protected:
  void train(const std::string& out, const std::vector<std::string>& more = {}) const {
    const Outcome outcome = run(training("tiger", out, 3, more));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  std::vector<std::string> names(const std::string& out) const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(dir_ / out)) {
      all.push_back(entry.path().filename().string());
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  void edit(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = slurp(dir_ / file);
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    spill(dir_ / file, text.replace(at, from.size(), to));
  }
};

TEST_F(RunDirectoryAttack, FilesOfOthersAreNeverTouched) {
  const std::vector<std::pair<std::string, std::string>> foreign{
      {"events.out.tfevents.1700000000.host", "a log"},
      {"result.json", "{}"},
      {".tmp.1.0", "half a thesis"},
      {".lock", "12345\n"},
      {"metrics.jsonl", "x"},
      {"policy.safetensors", "x"},
      {".files", "names of mine\n"}};
  for (const auto& [name, content] : foreign) {
    fs::create_directory(dir_ / "theirs");
    spill(dir_ / "theirs" / name, content);
    for (const bool force : {false, true}) {
      std::vector<std::string> words = training("tiger", "theirs", 2);
      if (force) words.push_back("--force");
      expect_refused(words, 2, {"theirs"});
      words = {"solve",      "lightdark", "--planner", "belief-ilqg",
               "--episodes", "1",         "--out",     "theirs"};
      if (force) words.push_back("--force");
      expect_refused(words, 2, {"theirs"});
    }
    EXPECT_EQ(names("theirs"), std::vector<std::string>{name});
    EXPECT_EQ(slurp(dir_ / "theirs" / name), content);
    fs::remove_all(dir_ / "theirs");
  }
}

TEST_F(RunDirectoryAttack, ForceRemovesOnlyWhatTheRunWrote) {
  train("r");
  const std::vector<std::string> before = names("r");
  for (const char* name : {"events.out.tfevents.1700000000.host", ".tmp.1.0", "notes.txt"}) {
    spill(dir_ / "r" / name, "mine");
  }
  train("r", {"--force", "--seed", "4"});
  for (const char* name : {"events.out.tfevents.1700000000.host", ".tmp.1.0", "notes.txt"}) {
    EXPECT_EQ(slurp(dir_ / "r" / name), "mine") << name;
    fs::remove(dir_ / "r" / name);
  }
  std::size_t events = 0;
  for (const std::string& name : names("r")) events += name.starts_with("events.");
  EXPECT_EQ(events, 1u) << "the log of the replaced run is gone";
  EXPECT_EQ(names("r").size(), before.size());
}

TEST_F(RunDirectoryAttack, ARunWithoutItsListIsNotReplaced) {
  train("r");
  fs::remove(dir_ / "r" / ".files");
  expect_refused(training("tiger", "r", 3, {"--force"}), 2, {"r:", "list"});
  EXPECT_EQ(run({"resume", "r"}).status, 0) << "but it can be continued";
  train("r", {"--force"});
}

TEST_F(RunDirectoryAttack, AStartThatWasKilledCanBeRepeated) {
  train("r");
  for (const char* name : {"config.toml", "policy.safetensors", "metrics.jsonl"}) {
    fs::remove(dir_ / "r" / name);
  }
  spill(dir_ / "r" / ".policy.safetensors.part", "half");
  train("r");
  EXPECT_FALSE(fs::exists(dir_ / "r" / ".policy.safetensors.part"));
}

TEST_F(RunDirectoryAttack, LinksAreNotFollowed) {
  train("good");
  for (const char* name : {".lock", ".files", "config.toml", "metrics.jsonl", "policy.safetensors",
                           "checkpoint.safetensors", "result.json"}) {
    fs::remove_all(dir_ / "r");
    fs::copy(dir_ / "good", dir_ / "r");
    spill(dir_ / "precious", "precious");
    fs::remove(dir_ / "r" / name);
    fs::create_symlink(dir_ / "precious", dir_ / "r" / name);
    expect_refused({"resume", "r"}, 2, {name, "symbolic link"});
    expect_refused(training("tiger", "r", 2), 2, {"r"});
    EXPECT_EQ(slurp(dir_ / "precious"), "precious") << name;
    EXPECT_TRUE(fs::is_symlink(dir_ / "r" / name)) << name;
  }
  fs::create_directory(dir_ / "empty");
  fs::create_symlink(dir_ / "precious", dir_ / "empty" / ".lock");
  expect_refused(training("tiger", "empty", 2), 2, {".lock", "symbolic link"});
  EXPECT_EQ(slurp(dir_ / "precious"), "precious");
  fs::create_directory(dir_ / "parent");
  fs::create_directory_symlink(dir_ / "good", dir_ / "parent" / "seed-0");
  expect_refused(training("tiger", "parent", 2, {"--seeds", "1"}), 2, {"seed-0", "symbolic link"});
}

TEST_F(RunDirectoryAttack, OnlyPlainFilesAreRead) {
  train("good");
  for (const char* name : {"policy.safetensors", "config.toml"}) {
    for (const char* kind : {"zero", "pipe", "directory"}) {
      fs::remove_all(dir_ / "r");
      fs::copy(dir_ / "good", dir_ / "r");
      const fs::path path = dir_ / "r" / name;
      fs::remove(path);
      if (kind == std::string("zero")) fs::create_symlink("/dev/zero", path);
      if (kind == std::string("pipe")) ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
      if (kind == std::string("directory")) fs::create_directory(path);
      expect_refused({"eval", "r", "--episodes", "10"}, 2, {name, "plain file"});
    }
  }
}

TEST_F(RunDirectoryAttack, AMissingCheckpointDoesNotStartOver) {
  train("r");
  const std::string metrics = slurp(dir_ / "r" / "metrics.jsonl");
  fs::remove(dir_ / "r" / "checkpoint.safetensors");
  expect_refused({"resume", "r"}, 2, {"checkpoint.safetensors", "--force"});
  EXPECT_EQ(slurp(dir_ / "r" / "metrics.jsonl"), metrics);
  const Outcome over =
      run({"train", "--config", "r/config.toml", "--out", "r", "--force", "--quiet"});
  EXPECT_EQ(over.status, 0) << "the advice works: " << over.err;
}

TEST_F(RunDirectoryAttack, SettingsThatWereCutOrEditedAreRefused) {
  train("r");
  const std::string config = slurp(dir_ / "r" / "config.toml");
  for (std::size_t end = config.find('\n'); end + 1 < config.size();
       end = config.find('\n', end + 1)) {
    spill(dir_ / "r" / "config.toml", config.substr(0, end + 1));
    if (config.substr(end + 1).find_first_not_of("[]abcdefghijklmnopqrstuvwxyz\n") ==
        std::string::npos) {
      continue;  // nothing but a heading is missing
    }
    expect_refused({"resume", "r"}, 2, {"config.toml"});
  }
  spill(dir_ / "r" / "config.toml", config);
  edit("r/config.toml", "accuracy = 0.85", "accuracy = 0.8");
  for (const char* verb : {"resume", "eval", "play"}) {
    expect_refused({verb, "r"}, 2, {"config.toml", "changed"});
  }
  // Without the list the policy and the checkpoint tell.
  fs::remove(dir_ / "r" / ".files");
  expect_refused({"eval", "r"}, 2, {"policy.safetensors", "config.toml"});
  expect_refused({"resume", "r"}, 2, {"checkpoint.safetensors", "config.toml"});
  spill(dir_ / "r" / "config.toml", "# a comment changes nothing\n" + config);
  EXPECT_EQ(run({"eval", "r", "--episodes", "10"}).status, 0);
}

TEST_F(RunDirectoryAttack, APolicyOfAnotherRunIsRefusedAndAMissingOneComesBack) {
  train("r");
  train("other", {"--seed", "9"});
  const std::string policy = slurp(dir_ / "r" / "policy.safetensors");
  fs::copy_file(dir_ / "other" / "policy.safetensors", dir_ / "r" / "policy.safetensors",
                fs::copy_options::overwrite_existing);
  expect_refused({"resume", "r"}, 2, {"policy.safetensors", "seed"});
  fs::remove(dir_ / "r" / "policy.safetensors");
  EXPECT_EQ(run({"resume", "r"}).status, 0);
  EXPECT_EQ(slurp(dir_ / "r" / "policy.safetensors"), policy);
}

TEST_F(RunDirectoryAttack, ADamagedResultIsMeasuredAgain) {
  train("parent", {"--seeds", "1"});
  const fs::path path = dir_ / "parent/seed-0/result.json";
  const nlohmann::json good = nlohmann::json::parse(slurp(path));
  nlohmann::json of_another = good;
  of_another["policy"] = "0123456789abcdef";
  for (const std::string& bad :
       {std::string("{"), std::string("{}"), of_another.dump(), std::string("\xff\x00", 2),
        std::string(100000, '['), std::string(2 << 20, ' ')}) {
    spill(path, bad);
    EXPECT_EQ(run({"report", "parent", "-o", "p.html", "--episodes", "20"}).status, 0);
    EXPECT_EQ(slurp(path), bad) << "a report writes nothing into a run";
    EXPECT_EQ(run({"resume", "parent/seed-0"}).status, 0);
    const auto again = nlohmann::json::parse(slurp(path));
    EXPECT_EQ(again["mean"], good["mean"]);
    spill(path, bad);
    EXPECT_EQ(run(training("tiger", "parent", 3, {"--seeds", "1"})).status, 0);
    EXPECT_EQ(nlohmann::json::parse(slurp(path))["exact_value"], good["exact_value"]);
  }
}

TEST_F(RunDirectoryAttack, AnEmptyPathIsRefused) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"train", "tiger", "--force", "--out", ""},
           {"train", "--config", ""},
           {"solve", "lightdark", "--planner", "belief-ilqg", "--out", ""},
           {"reproduce", "--quick", "--out", ""},
           {"report", "r", "-o", ""},
           {"play", "r", "--svg", ""},
           {"bench", "--policy", ""},
           {"eval", ""},
           {"resume", ""},
           {"compare", "", ""}}) {
    expect_refused(words, 2, {"empty"});
  }
  EXPECT_FALSE(fs::exists(dir_ / "runs"));
}

TEST_F(RunDirectoryAttack, APageKeepsItsPermissions) {
  train("r");
  spill(dir_ / "p.html", "private");
  fs::permissions(dir_ / "p.html", fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_EQ(run({"report", "r", "-o", "p.html", "--episodes", "20"}).status, 0);
  EXPECT_EQ(static_cast<unsigned>(fs::status(dir_ / "p.html").permissions()), 0600u);
  EXPECT_GT(fs::file_size(dir_ / "p.html"), 1000u);
}

TEST_F(RunDirectoryAttack, ADirectoryThatCannotBeReadIsAFailureOfInput) {
  train("r");
  fs::permissions(dir_, fs::perms::owner_all | fs::perms::others_all);
  fs::permissions(dir_ / "r", fs::perms::none);
  const Outcome outcome = run({"eval", "r"}, [] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(98);
  });
  fs::permissions(dir_ / "r", fs::perms::owner_all);
  EXPECT_EQ(outcome.status, 5) << outcome.err;
  EXPECT_NE(outcome.err.find("Permission denied"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace bpo::cli
