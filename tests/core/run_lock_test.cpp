// The lock of a run directory beside those who only ask whether there is one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <chrono>
#include <optional>
#include <thread>

#include "bpo/core/file.h"
#include "tests/support/temporary_directory.h"

namespace bpo {
namespace {

namespace fs = std::filesystem;

using RunLockTest = test::TemporaryDirectory;

/// Holds the lock as `bpo status` does while it asks.
FileHandle shared_lock(const fs::path& directory) {
  FileHandle file(
      ::open((directory / RunLock::kName).c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(::flock(file.get(), LOCK_SH | LOCK_NB), 0);
  return file;
}

TEST_F(RunLockTest, WhoOnlyAsksKeepsNobodyOutForLong) {
  std::optional<FileHandle> asks(shared_lock(dir_));
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    asks.reset();
  });
  EXPECT_NO_THROW(RunLock(dir_.string()));
  ends.join();
}

TEST_F(RunLockTest, TwoMayAskAtOnce) {
  const FileHandle asks = shared_lock(dir_);
  EXPECT_NO_THROW(RunLock::check(dir_.string()));
  EXPECT_FALSE(is_locked(dir_.string()));
}

}  // namespace
}  // namespace bpo
