// Reads, atomic writes, the append file and the lock, with the failures a run meets: a full disk, a
// directory that cannot be written, a second process.
#include "bpo/core/file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "bpo/core/error.h"
#include "tests/support/temporary_directory.h"

namespace bpo {
namespace {

namespace fs = std::filesystem;

class FileTest : public test::TemporaryDirectory {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(dir_))
      result.push_back(entry.path().filename());
    std::sort(result.begin(), result.end());
    return result;
  }
};

template <typename Call>
std::optional<Error> error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

#define EXPECT_ERROR(call, expected_code, text)                                           \
  do {                                                                                    \
    const std::optional<Error> error = error_of([&] { call; });                           \
    ASSERT_TRUE(error.has_value());                                                       \
    EXPECT_EQ(error->code(), expected_code);                                              \
    EXPECT_NE(std::string(error->what()).find(text), std::string::npos) << error->what(); \
  } while (false)

/// Runs `body` in a child, which must return from it; gives its exit status.
template <typename Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

constexpr std::size_t kNoLimit = 1 << 30;
const std::string kBytes("a\0b\n\xff", 5);

TEST_F(FileTest, WritesAndReadsBack) {
  write_file_atomic(path("a"), kBytes);
  EXPECT_EQ(read_file(path("a"), kNoLimit), kBytes);
  write_file_atomic(path("a"), "");
  EXPECT_EQ(read_file(path("a"), kNoLimit), "");
  const std::string large(300'000, 'x');
  write_file_atomic(path("a"), large);
  EXPECT_EQ(read_file(path("a"), large.size()), large);
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(FileTest, ReadsToTheEndWhereTheSizeIsUnknown) {
  EXPECT_NE(read_file("/proc/self/status", kNoLimit).find("Pid:"), std::string::npos);
  EXPECT_EQ(read_file("/dev/null", 0, Links::kFollowed), "");
  EXPECT_ERROR(read_file("/dev/zero", 200'000, Links::kFollowed), ErrorCode::kBadInput,
               "200000 bytes");
}

TEST_F(FileTest, OnlyPlainFilesUnlessAPersonNamedThem) {
  write_file_atomic(path("target"), "old");
  fs::create_symlink("target", path("link"));
  fs::create_symlink("nowhere", path("dangling"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file(path("link"), kNoLimit, Links::kFollowed), "old");
  for (const char* name : {"link", "dangling", "pipe"}) {
    EXPECT_TRUE(exists(path(name)));
    EXPECT_ERROR(read_file(path(name), kNoLimit), ErrorCode::kBadInput, "plain file");
    EXPECT_ERROR(write_file_atomic(path(name), "new"), ErrorCode::kBadInput, "plain file");
    EXPECT_ERROR(AppendFile(path(name)), ErrorCode::kBadInput, "plain file");
  }
  EXPECT_ERROR(read_file("/dev/zero", kNoLimit), ErrorCode::kBadInput, "a device");
  EXPECT_ERROR(AppendFile("/dev/full"), ErrorCode::kBadInput, "a device");
  EXPECT_ERROR(refuse_link(path("link")), ErrorCode::kBadInput, "symbolic link");
  EXPECT_NO_THROW(refuse_link(path("target")));
  remove_file(path("dangling"));
  remove_file(path("dangling"));
  EXPECT_FALSE(exists(path("dangling")));
  EXPECT_EQ(read_file(path("target"), kNoLimit), "old");
}

TEST_F(FileTest, NamesInADirectory) {
  write_file_atomic(path("b"), "");
  write_file_atomic(path("a"), "");
  EXPECT_EQ(names_in(dir_.string()), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(names_in(path("none")).empty());
  EXPECT_TRUE(names_in(path("a")).empty());
}

TEST_F(FileTest, AReplacedFileKeepsItsPermissions) {
  write_file_atomic(path("a"), "old");
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  write_file_atomic(path("a"), "new");
  EXPECT_EQ(static_cast<unsigned>(fs::status(path("a")).permissions()), 0600u);
  EXPECT_EQ(read_file(path("a"), kNoLimit), "new");
}

TEST_F(FileTest, WhatAKillLeavesBehindIsInNobodysWay) {
  std::ofstream(path(part_name("a"))) << "half";
  write_file_atomic(path("a"), "whole");
  EXPECT_EQ(read_file(path("a"), kNoLimit), "whole");
  EXPECT_EQ(read_file(path(part_name("a")), kNoLimit), "half") << "it may be another process's";
}

TEST_F(FileTest, ReadRefuses) {
  write_file_atomic(path("a"), "12345");
  EXPECT_EQ(read_file(path("a"), 5), "12345");
  EXPECT_ERROR(read_file(path("a"), 4), ErrorCode::kBadInput, path("a"));
  EXPECT_ERROR(read_file(path("none"), 4), ErrorCode::kIo, path("none") + ": cannot open: No such");
  EXPECT_ERROR(read_file(dir_, 4), ErrorCode::kBadInput, "is a directory");
  EXPECT_ERROR(read_file(dir_, 4, Links::kFollowed), ErrorCode::kIo, "Is a directory");
  EXPECT_ERROR(read_file(path("a/b"), 4), ErrorCode::kIo, "Not a directory");
  EXPECT_ERROR(read_file("", 4), ErrorCode::kIo, "No such file");
  EXPECT_ERROR(read_file(path("a") + std::string("\0b", 2), 9), ErrorCode::kIo, "NUL");
}

TEST_F(FileTest, WriteHonoursTheUmask) {
  const mode_t before = ::umask(027);
  write_file_atomic(path("a"), "x");
  ::umask(before);
  EXPECT_EQ(static_cast<unsigned>(fs::status(path("a")).permissions()), 0640u);
}

TEST_F(FileTest, WriteKeepsALinkAndReplacesItsTarget) {
  write_file_atomic(path("target"), "old");
  fs::create_symlink("target", path("link"));
  write_file_atomic(path("link"), "new", Links::kFollowed);
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("target"), kNoLimit), "new");
}

TEST_F(FileTest, WriteIntoTheWorkingDirectory) {
  const fs::path before = fs::current_path();
  fs::current_path(dir_);
  write_file_atomic("a", "x");
  fs::current_path(before);
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(FileTest, WriteRefusesAndLeavesNothing) {
  write_file_atomic(path("file"), "x");
  EXPECT_ERROR(write_file_atomic(path("file/a"), "y"), ErrorCode::kIo, "Not a directory");
  EXPECT_ERROR(write_file_atomic(path("none/a"), "y"), ErrorCode::kIo, path("none/a"));
  EXPECT_ERROR(write_file_atomic(dir_, "y"), ErrorCode::kIo, "Is a directory");
  EXPECT_ERROR(write_file_atomic("/proc/bpo_none", "y"), ErrorCode::kIo, "/proc/bpo_none");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(FileTest, WriteReportsAFullDevice) {
  fs::create_symlink("/dev/full", path("full"));
  EXPECT_ERROR(write_file_atomic(path("full"), "y", Links::kFollowed), ErrorCode::kIo,
               "No space left");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(FileTest, ShortWriteKeepsTheOldFile) {
  write_file_atomic(path("a"), "old");
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};  // write() takes 1000 bytes, then fails with EFBIG
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto error = error_of([&] { write_file_atomic(path("a"), std::string(5000, 'x')); });
    const bool right = error && error->code() == ErrorCode::kIo &&
                       std::string(error->what()).find("File too large") != std::string::npos;
    return right ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(path("a"), kNoLimit), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(FileTest, MakesDirectories) {
  make_directories(path("a/b/c"));
  make_directories(path("a/b/c/"));
  EXPECT_TRUE(fs::is_directory(path("a/b/c")));
  write_file_atomic(path("file"), "");
  EXPECT_ERROR(make_directories(path("file")), ErrorCode::kIo, "Not a directory");
  EXPECT_ERROR(make_directories(path("file/d")), ErrorCode::kIo, path("file/d"));
  EXPECT_ERROR(make_directories("/proc/bpo_none/d"), ErrorCode::kIo, "No such file");
  EXPECT_ERROR(make_directories(""), ErrorCode::kIo, "cannot create the directory");
}

TEST_F(FileTest, AppendsCountsAndCutsBack) {
  {
    AppendFile file(path("m"));
    file.write("one\n");
    EXPECT_EQ(file.size(), 4u);
    EXPECT_EQ(fs::file_size(path("m")), 0u);
    file.flush();
    EXPECT_EQ(fs::file_size(path("m")), 4u);
    file.write("two\n");
  }
  AppendFile file(path("m"));
  EXPECT_EQ(file.size(), 8u);
  file.write("three\n");
  file.truncate_to(4);
  EXPECT_EQ(file.size(), 4u);
  file.write("2\n");
  file.sync();
  EXPECT_EQ(read_file(path("m"), kNoLimit), "one\n2\n");
  EXPECT_ERROR(file.truncate_to(7), ErrorCode::kIo, "has 6 bytes, but 7");
  EXPECT_EQ(fs::file_size(path("m")), 6u);
}

TEST_F(FileTest, AppendFileMovesWithItsBuffer) {
  AppendFile first(path("m"));
  first.write("a");
  AppendFile second(std::move(first));
  second.write("b");
  second.flush();
  EXPECT_EQ(read_file(path("m"), kNoLimit), "ab");
}

TEST_F(FileTest, AppendReportsAFullDiskAndDestructionIsQuiet) {
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit nothing{0, 0};
    AppendFile file(path("m"));
    ::setrlimit(RLIMIT_FSIZE, &nothing);
    file.write("line\n");
    const auto flushed = error_of([&] { file.flush(); });
    const bool counted = file.size() == 5;
    const auto written = error_of([&] { file.write(std::string(100'000, 'x')); });
    return flushed && flushed->code() == ErrorCode::kIo && counted && written ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(FileTest, AppendGoesOnAfterAShortWrite) {
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{3, RLIM_INFINITY};
    const rlimit large{RLIM_INFINITY, RLIM_INFINITY};
    AppendFile file(path("m"));
    file.write("abcdef\n");
    ::setrlimit(RLIMIT_FSIZE, &small);
    const bool failed = error_of([&] { file.flush(); }).has_value();
    ::setrlimit(RLIMIT_FSIZE, &large);
    file.flush();
    return failed && file.size() == 7 ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(path("m"), kNoLimit), "abcdef\n");
}

TEST_F(FileTest, AppendRefusesWhatCannotBeOpened) {
  EXPECT_ERROR(AppendFile(path("none/m")), ErrorCode::kIo, path("none/m"));
  EXPECT_ERROR(AppendFile(dir_.string()), ErrorCode::kBadInput, "is a directory");
}

static_assert(std::is_move_constructible_v<RunLock> && std::is_move_assignable_v<RunLock>);
static_assert(!std::is_copy_constructible_v<RunLock> && !std::is_copy_constructible_v<AppendFile>);

TEST_F(FileTest, LockRefusesAnotherProcessAndNamesTheHolder) {
  std::optional<RunLock> lock(dir_.string());
  const std::string holder = "(pid " + std::to_string(::getpid()) + ")";
  const auto child_is_locked_out = [&] {
    const auto error = error_of([&] { RunLock second(dir_.string()); });
    if (!error) return 1;
    const std::string what = error->what();
    const bool right = error->code() == ErrorCode::kLocked && what.find(dir_.string()) == 0 &&
                       what.find(holder) != std::string::npos;
    return right ? 0 : 2;
  };
  EXPECT_EQ(in_child(child_is_locked_out), 0);
  RunLock moved(std::move(*lock));
  lock.reset();
  EXPECT_EQ(in_child(child_is_locked_out), 0);
}

TEST_F(FileTest, LockEndsWithItsObject) {
  { RunLock lock(dir_.string()); }
  RunLock again(dir_.string());
  EXPECT_ERROR(RunLock(dir_.string()), ErrorCode::kLocked, dir_.string());
}

TEST_F(FileTest, LockVanishesWithAKilledProcess) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // should the test end early
    RunLock lock(dir_.string());
    if (::write(pipe[1], "x", 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  char ready = 0;
  ASSERT_EQ(::read(pipe[0], &ready, 1), 1);
  EXPECT_ERROR(RunLock(dir_.string()), ErrorCode::kLocked, "pid " + std::to_string(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(RunLock(dir_.string()));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_F(FileTest, LockRefusesAMissingDirectory) {
  EXPECT_ERROR(RunLock(path("none")), ErrorCode::kIo, path("none"));
}

TEST_F(FileTest, LockOfAnotherProgramIsLeftAlone) {
  const std::string theirs = "999999999999999999999999 \x1b[31m";
  std::ofstream(path(".lock")) << theirs;
  EXPECT_ERROR(RunLock(dir_.string()), ErrorCode::kBadInput, "not written by bpo");
  EXPECT_ERROR(RunLock::check(dir_.string()), ErrorCode::kBadInput, "not written by bpo");
  EXPECT_EQ(read_file(path(".lock"), 100), theirs);
  std::ofstream(path(".lock")).close();  // killed between its making and its writing
  EXPECT_NO_THROW(RunLock(dir_.string()));
  EXPECT_NO_THROW(RunLock(dir_.string()));
}

TEST_F(FileTest, LockCanBeAskedForWithoutATrace) {
  EXPECT_NO_THROW(RunLock::check(dir_.string()));
  EXPECT_TRUE(names().empty());
  const RunLock lock(dir_.string());
  EXPECT_ERROR(RunLock::check(dir_.string()), ErrorCode::kLocked, dir_.string());
}

}  // namespace
}  // namespace bpo
