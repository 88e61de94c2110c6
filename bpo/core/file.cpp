// Plain POSIX calls, each checked. Everything is opened close-on-exec, and calls that a signal
// interrupted are repeated.
#include "bpo/core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "bpo/core/error.h"

namespace bpo {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunkBytes = 1 << 16;
constexpr mode_t kFileMode = 0666;  // less the umask

Error failed(const std::string& path, std::string_view what, int error) {
  return io_error(
      fmt::format("{}: cannot {}: {}", path, what, std::generic_category().message(error)));
}

template <typename Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// The system would silently take the part before a NUL for the whole path.
void check_path(const std::string& path) {
  if (path.find('\0') != std::string::npos) throw failed(path.c_str(), "use a NUL", EINVAL);
}

FileHandle try_open(const std::string& path, int flags) {
  return FileHandle(
      uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, kFileMode); }));
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

/// Writes from the front of `bytes` and drops what was written from it, also when it throws.
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

/// A file of a new name in `directory`, removed again unless it was renamed.
struct TemporaryFile {
  explicit TemporaryFile(const fs::path& directory, const std::string& target) {
    for (int n = 0; !file.open(); ++n) {
      name = (directory / fmt::format(".tmp.{}.{}", ::getpid(), n)).string();
      file = try_open(name, O_WRONLY | O_CREAT | O_EXCL);
      if (!file.open() && errno != EEXIST) throw failed(target, "write", errno);
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!name.empty()) ::unlink(name.c_str());
  }

  std::string name;
  FileHandle file{-1};
};

}  // namespace

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

int FileHandle::release() { return std::exchange(fd_, -1); }

std::string read_file(const std::string& path, std::size_t max_bytes) {
  const FileHandle file = open_file(path, O_RDONLY);
  const struct stat info = status(file, path);
  if (S_ISDIR(info.st_mode)) throw failed(path, "read", EISDIR);
  const auto too_large = [&] {
    return bad_input(fmt::format("{}: larger than the limit of {} bytes", path, max_bytes));
  };
  const auto expected = static_cast<std::size_t>(info.st_size);
  if (expected > max_bytes) throw too_large();

  // Read to the end, not to st_size: pipes and /proc report 0, and the file may be growing.
  std::string bytes(std::max(kChunkBytes, expected + 1), '\0');
  std::size_t size = 0;
  while (true) {
    if (size == bytes.size()) bytes.resize(2 * size);
    const ssize_t n =
        uninterrupted([&] { return ::read(file.get(), bytes.data() + size, bytes.size() - size); });
    if (n < 0) throw failed(path, "read", errno);
    size += static_cast<std::size_t>(n);
    if (size > max_bytes) throw too_large();
    if (n == 0) break;
  }
  bytes.resize(size);
  return bytes;
}

void write_file_atomic(const std::string& path, std::string_view bytes) {
  check_path(path);
  std::error_code ignored;
  const fs::file_status target_status = fs::status(path, ignored);
  if (fs::is_directory(target_status)) throw failed(path, "write", EISDIR);
  if (fs::exists(target_status) && !fs::is_regular_file(target_status)) {
    FileHandle device = open_file(path, O_WRONLY);
    write_all(device, path, bytes);
    return close_file(std::move(device), path);
  }

  const fs::path target = fs::exists(target_status) ? fs::canonical(path, ignored) : fs::path(path);
  const fs::path directory = target.has_parent_path() ? target.parent_path() : ".";
  TemporaryFile temporary(directory, path);
  write_all(temporary.file, path, bytes);
  sync_file(temporary.file, path);
  close_file(std::move(temporary.file), path);
  if (::rename(temporary.name.c_str(), target.c_str()) != 0) throw failed(path, "replace", errno);
  temporary.name.clear();
  sync_file(open_file(directory.string(), O_RDONLY | O_DIRECTORY), directory.string());
}

void make_directories(const std::string& path) {
  check_path(path);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw failed(path, "create the directory", error.value());
}

AppendFile::AppendFile(const std::string& path)
    : path_(path), file_(open_file(path, O_WRONLY | O_CREAT | O_APPEND)) {
  written_ = static_cast<std::uint64_t>(status(file_, path_).st_size);
}

AppendFile::~AppendFile() {
  try {
    if (file_.open()) flush();
  } catch (const Error&) {
  }
}

void AppendFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kChunkBytes) flush();
}

void AppendFile::flush() {
  std::string_view rest = buffer_;
  const auto keep_rest = [&] {
    written_ += buffer_.size() - rest.size();
    buffer_.erase(0, buffer_.size() - rest.size());
  };
  try {
    write_all(file_, path_, rest);
  } catch (const Error&) {
    keep_rest();  // a later flush goes on where this one stopped
    throw;
  }
  keep_rest();
}

void AppendFile::sync() {
  flush();
  sync_file(file_, path_);
}

void AppendFile::truncate_to(std::uint64_t size) {
  flush();
  if (size > written_) {
    throw io_error(fmt::format("{}: has {} bytes, but {} were recorded; its end is lost", path_,
                               written_, size));
  }
  const auto length = static_cast<off_t>(size);
  if (uninterrupted([&] { return ::ftruncate(file_.get(), length); }) != 0) {
    throw failed(path_, "truncate", errno);
  }
  written_ = size;
}

RunLock::RunLock(const std::string& directory)
    : file_(open_file((fs::path(directory) / ".lock").string(), O_RDWR | O_CREAT)) {
  const std::string path = (fs::path(directory) / ".lock").string();
  if (uninterrupted([&] { return ::flock(file_.get(), LOCK_EX | LOCK_NB); }) != 0) {
    if (errno != EWOULDBLOCK) throw failed(path, "lock", errno);
    char pid[20] = {};
    const ssize_t n = ::pread(file_.get(), pid, sizeof pid, 0);
    const std::string_view digits(pid, n > 0 ? static_cast<std::size_t>(n) : 0);
    const std::string_view holder = digits.substr(0, digits.find_first_not_of("0123456789"));
    throw Error(ErrorCode::kLocked,
                fmt::format("{}: in use by another process (pid {}); wait for it or stop it",
                            directory, holder.empty() ? "unknown" : holder));
  }
  // The file is never removed: a process that opened it earlier would then lock a deleted file.
  if (::ftruncate(file_.get(), 0) != 0) throw failed(path, "truncate", errno);
  const std::string pid = fmt::format("{}\n", ::getpid());
  std::string_view rest = pid;
  write_all(file_, path, rest);
}

}  // namespace bpo
