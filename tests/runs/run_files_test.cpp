// What a run directory lists, and what becomes of it.
#include "bpo/runs/run_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bpo/core/error.h"
#include "tests/support/temporary_directory.h"

namespace bpo {
namespace {

namespace fs = std::filesystem;

const std::string kToml = "[run]\nproblem = \"tiger\"\nseed = 3\n";

class RunFilesTest : public test::TemporaryDirectory {
 protected:
  void spill(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  static ErrorCode code(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode{};
  }
};

TEST_F(RunFilesTest, WhatADirectoryIs) {
  EXPECT_EQ(occupancy(path("none")), Occupancy::kFree);
  fs::create_directory(path("empty"));
  EXPECT_EQ(occupancy(path("empty")), Occupancy::kFree);
  RunFiles::claim(path("run"), false).begin(kToml);
  EXPECT_EQ(occupancy(path("run")), Occupancy::kRun);
  fs::remove(path("run/.files"));
  EXPECT_EQ(occupancy(path("run")), Occupancy::kUnlisted);
  spill("theirs/thesis.tex", "");
  EXPECT_EQ(code([&] { occupancy(path("theirs")); }), ErrorCode::kBadInput);
}

TEST_F(RunFilesTest, AClaimThatIsRefusedLeavesNoTrace) {
  spill("theirs/thesis.tex", "");
  for (const bool force : {false, true}) {
    EXPECT_EQ(code([&] { RunFiles::claim(path("theirs"), force); }), ErrorCode::kBadInput);
  }
  EXPECT_EQ(names_in(path("theirs")), std::vector<std::string>{"thesis.tex"});
}

TEST_F(RunFilesTest, EveryFileIsListedBeforeItIsMade) {
  RunFiles files = RunFiles::claim(path("run"), false);
  files.begin(kToml);
  files.write("a", "1");
  files.write("a", "2");
  { files.append("b"); }
  files.list("c");
  const std::string list = read_file(path("run/.files"), 1000);
  EXPECT_EQ(list.substr(list.find('\n') + 1), "config.toml\na\nb\nc\n");
  EXPECT_EQ(read_file(path("run/a"), 10), "2");
}

TEST_F(RunFilesTest, AListThatBreaksOffIsGoneOnWith) {
  RunFiles::claim(path("run"), false).begin(kToml);
  std::ofstream(path("run/.files"), std::ios::app) << "poli";
  RunFiles::open(path("run")).write("policy", "1");
  EXPECT_TRUE(read_file(path("run/.files"), 1000).ends_with("\npoli\npolicy\n"));
}

TEST_F(RunFilesTest, ANewRunRemovesWhatTheOldOneListed) {
  {
    RunFiles files = RunFiles::claim(path("run"), false);
    files.begin(kToml);
    files.write("a", "1");
  }
  spill("run/theirs", "x");
  spill("run/.a.part", "half");
  EXPECT_EQ(code([&] { RunFiles::claim(path("run"), false); }), ErrorCode::kBadInput);
  RunFiles::claim(path("run"), true).begin(kToml + "more = 1\n");
  EXPECT_EQ(names_in(path("run")),
            (std::vector<std::string>{".files", ".lock", "config.toml", "theirs"}));
}

TEST_F(RunFilesTest, AListLeadsNowhereElse) {
  RunFiles::claim(path("run"), false).begin(kToml);
  spill("precious", "x");
  for (const char* name : {"../precious", "/etc/passwd", "..", ""}) {
    std::ofstream(path("run/.files")) << "bpo-run-1 " << settings_hash(kToml) << "\n"
                                      << name << "\n";
    EXPECT_EQ(code([&] { RunFiles::claim(path("run"), true); }), ErrorCode::kBadInput) << name;
  }
  EXPECT_TRUE(fs::exists(path("precious")));
}

TEST_F(RunFilesTest, SettingsAreTheirKeysAndValues) {
  RunFiles::claim(path("run"), false).begin(kToml);
  EXPECT_EQ(read_config(path("run")), kToml);
  spill("run/config.toml", "# a comment\nrun.seed = 3\nrun.problem = 'tiger'");
  EXPECT_NO_THROW(read_config(path("run")));
  for (const char* changed :
       {"", "[run]\nproblem = \"tiger\"\n", "[run]\nproblem = \"tiger\"\nseed = 4\n",
        "[run]\nproblem = \"tiger\"\nseed = 3\nmore = 1\n"}) {
    spill("run/config.toml", changed);
    EXPECT_EQ(code([&] { read_config(path("run")); }), ErrorCode::kBadInput) << changed;
  }
}

}  // namespace
}  // namespace bpo
