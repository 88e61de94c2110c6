#include "bpo/core/posix.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace bpo {
namespace {

const char* kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

void check_path(const std::string& path) {
  if (path.find('\0') != std::string::npos) throw failed(path.c_str(), "use a NUL", EINVAL);
}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

int FileHandle::release() { return std::exchange(fd_, -1); }

Error failed(const std::string& path, std::string_view what, int error) {
  return io_error(
      fmt::format("{}: cannot {}: {}", path, what, std::generic_category().message(error)));
}

FileHandle try_open(const std::string& path, int flags, mode_t mode) {
  return FileHandle(uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); }));
}

FileHandle open_file(const std::string& path, int flags) {
  check_path(path);
  FileHandle file = try_open(path, flags);
  if (!file.open()) throw failed(path, "open", errno);
  return file;
}

struct stat status(const FileHandle& file, const std::string& path) {
  struct stat result {};
  if (::fstat(file.get(), &result) != 0) throw failed(path, "stat", errno);
  return result;
}

std::optional<struct stat> link_status(const std::string& path) {
  check_path(path);
  struct stat result {};
  if (::lstat(path.c_str(), &result) == 0) return result;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw failed(path, "stat", errno);
}

double seconds_since_written(const std::string& path) {
  const auto there = link_status(path);
  if (!there) return 0.0;
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return std::max(0.0, now.count() - static_cast<double>(there->st_mtim.tv_sec));
}

void check_plain(const std::string& path, mode_t mode) {
  if (S_ISREG(mode)) return;
  throw bad_input(
      fmt::format("{}: is {}; only a plain file is accepted here", path, kind_of(mode)));
}

FileHandle open_plain(const std::string& path, int flags) {
  if (const auto there = link_status(path)) check_plain(path, there->st_mode);
  // O_NONBLOCK: to open a pipe would wait for its other end.
  FileHandle file = open_file(path, flags | O_NOFOLLOW | O_NONBLOCK);
  check_plain(path, status(file, path).st_mode);
  return file;
}

void write_all(const FileHandle& file, const std::string& path, std::string_view& bytes) {
  while (!bytes.empty()) {
    const ssize_t n =
        uninterrupted([&] { return ::write(file.get(), bytes.data(), bytes.size()); });
    if (n <= 0) throw failed(path, "write", n < 0 ? errno : EIO);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void sync_file(const FileHandle& file, const std::string& path) {
  // EINVAL: devices, pipes and the directories of some file systems have nothing to sync.
  if (uninterrupted([&] { return ::fsync(file.get()); }) != 0 && errno != EINVAL) {
    throw failed(path, "sync", errno);
  }
}

void close_file(FileHandle file, const std::string& path) {
  // Network file systems report a full disk only here. After EINTR the descriptor is gone.
  if (::close(file.release()) != 0 && errno != EINTR) throw failed(path, "close", errno);
}

}  // namespace bpo
