#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "bpo/core/file.h"
#include "bpo/core/posix.h"
#include "bpo/core/ranks.h"

namespace bpo {
namespace {

constexpr std::string_view kLockMark = "bpo lock, process ";

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

void lock(const FileHandle& file, const std::string& directory) {
  if (uninterrupted([&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); }) == 0) return;
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
    lock(file_, directory);
    holder_of(file_, path);
    // The file is never removed: a process that opened it earlier would then lock a deleted file.
    if (::ftruncate(file_.get(), 0) != 0) throw failed(path, "truncate", errno);
    const std::string text = fmt::format("{}{}\n", kLockMark, ::getpid());
    std::string_view rest = text;
    write_all(file_, path, rest);
  });
}

void RunLock::check(const std::string& directory) {
  by_root([&] {
    const std::string path = lock_path(directory);
    if (!link_status(path)) return;
    const FileHandle file = open_plain(path, O_RDONLY);
    lock(file, directory);
    holder_of(file, path);
  });
}

}  // namespace bpo
