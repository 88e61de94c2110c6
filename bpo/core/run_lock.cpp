#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <thread>

#include "bpo/core/file.h"
#include "bpo/core/posix.h"
#include "bpo/core/ranks.h"

namespace bpo {
namespace {

constexpr std::string_view kLockMark = "bpo lock, process ";
constexpr int kTries = 20;
constexpr std::chrono::milliseconds kBetweenTries{10};

std::string lock_path(const std::string& directory) {
  return (std::filesystem::path(directory) / RunLock::kName).string();
}

/// Throws unless the file is an empty one or a lock that this program wrote; returns whose.
std::string holder_of(const FileHandle& file, const std::string& path) {
  std::array<char, 64> text{};
  const ssize_t n = uninterrupted([&] { return ::pread(file.get(), text.data(), text.size(), 0); });
  if (n < 0) throw failed(path, "read", errno);
  std::string_view content(text.data(), static_cast<std::size_t>(n));
  if (!content.empty() && !content.starts_with(kLockMark)) {
    throw bad_input(path + ": was not written by bpo; remove it or choose another directory");
  }
  content.remove_prefix(std::min(content.size(), kLockMark.size()));
  return std::string(content.substr(0, content.find_first_not_of("0123456789")));
}

/// Whoever only asks (`bpo status`) has a shared lock for a moment, so a writer looks more than
/// once.
void lock(const FileHandle& file, const std::string& directory, int how) {
  const auto locked = [&] {
    return uninterrupted([&] { return ::flock(file.get(), how | LOCK_NB); }) == 0;
  };
  const int tries = how == LOCK_EX ? kTries : 1;
  for (int i = 0; i < tries; ++i) {
    if (locked()) return;
    if (errno != EWOULDBLOCK) break;
    if (i + 1 < tries) std::this_thread::sleep_for(kBetweenTries);
  }
  const std::string path = lock_path(directory);
  if (errno != EWOULDBLOCK) throw failed(path, "lock", errno);
  const std::string holder = holder_of(file, path);
  throw Error(ErrorCode::kLocked,
              fmt::format("{}: in use by another process ({}); wait for it or stop it", directory,
                          holder.empty() ? "pid unknown" : "pid " + holder));
}

}  // namespace

RunLock::RunLock(const std::string& directory) : file_(-1) {
  by_root([&] {
    const std::string path = lock_path(directory);
    file_ = open_plain(path, O_RDWR | O_CREAT);
    lock(file_, directory, LOCK_EX);
    holder_of(file_, path);
    // The file is never removed: a process that opened it earlier would then lock a deleted file.
    if (::ftruncate(file_.get(), 0) != 0) throw failed(path, "truncate", errno);
    const std::string text = fmt::format("{}{}\n", kLockMark, ::getpid());
    std::string_view rest = text;
    write_all(file_, path, rest);
  });
}

bool is_locked(const std::string& directory) {
  try {
    RunLock::check(directory);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kLocked) throw;
    return true;
  }
  return false;
}

void RunLock::check(const std::string& directory) {
  by_root([&] {
    const std::string path = lock_path(directory);
    if (!link_status(path)) return;
    const FileHandle file = open_plain(path, O_RDONLY);
    // Over NFS an exclusive lock would need a file that is open for writing.
    lock(file, directory, LOCK_SH);
    holder_of(file, path);
  });
}

}  // namespace bpo
