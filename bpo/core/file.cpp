// Plain POSIX calls, each checked. Everything is opened close-on-exec, and calls that a signal
// interrupted are repeated.
#include "bpo/core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "bpo/core/error.h"

namespace bpo {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunkBytes = 1 << 16;
constexpr mode_t kFileMode = 0666;  // less the umask
constexpr mode_t kPrivateMode = 0600;

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

FileHandle try_open(const std::string& path, int flags, mode_t mode = kFileMode) {
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

/// The file itself rather than what a link points to; nothing where there is none.
std::optional<struct stat> link_status(const std::string& path) {
  check_path(path);
  struct stat result {};
  if (::lstat(path.c_str(), &result) == 0) return result;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw failed(path, "stat", errno);
}

const char* kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

void check_plain(const std::string& path, mode_t mode) {
  if (S_ISREG(mode)) return;
  throw bad_input(
      fmt::format("{}: is {}; only a plain file is accepted here", path, kind_of(mode)));
}

/// Opens what must be a plain file. O_NONBLOCK: to open a pipe would wait for its other end.
FileHandle open_plain(const std::string& path, int flags) {
  if (const auto there = link_status(path)) check_plain(path, there->st_mode);
  FileHandle file = open_file(path, flags | O_NOFOLLOW | O_NONBLOCK);
  check_plain(path, status(file, path).st_mode);
  return file;
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

/// A new file beside its target, removed again unless it was renamed.
struct TemporaryFile {
  TemporaryFile(const fs::path& target, mode_t mode) {
    for (int n = 0; !file.open(); ++n) {
      const std::string base = target.filename().string();
      name = target.parent_path() / part_name(n == 0 ? base : fmt::format("{}.{}", base, n));
      file = try_open(name.string(), O_WRONLY | O_CREAT | O_EXCL, mode);
      if (!file.open() && errno != EEXIST) {
        const int error = errno;
        name.clear();
        throw failed(target.string(), "write", error);
      }
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!name.empty()) ::unlink(name.c_str());
  }

  fs::path name;
  FileHandle file{-1};
};

/// The permissions that the target has go to the new file before its content does. Its owner stays
/// too where the system lets it.
void keep_permissions(const FileHandle& file, const std::string& path, const struct stat& old) {
  if (::fchown(file.get(), old.st_uid, old.st_gid) != 0 && errno != EPERM && errno != EINVAL) {
    throw failed(path, "keep the owner", errno);
  }
  if (::fchmod(file.get(), old.st_mode & 07777) != 0) throw failed(path, "keep the mode", errno);
}

/// What a person's path leads to: itself, or where its links end.
std::string followed(const std::string& path) {
  std::error_code error;
  const fs::path end = fs::canonical(path, error);
  return error ? path : end.string();
}

}  // namespace

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

int FileHandle::release() { return std::exchange(fd_, -1); }

std::string read_file(const std::string& path, std::size_t max_bytes, Links links) {
  const FileHandle file =
      links == Links::kFollowed ? open_file(path, O_RDONLY) : open_plain(path, O_RDONLY);
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

std::string part_name(const std::string& name) { return fmt::format(".{}.part", name); }

void write_file_atomic(const std::string& path, std::string_view bytes, Links links) {
  check_path(path);
  const std::string target = links == Links::kFollowed ? followed(path) : path;
  const std::optional<struct stat> old = link_status(target);
  if (old && S_ISDIR(old->st_mode)) throw failed(path, "write", EISDIR);
  if (old && links == Links::kRefused) check_plain(target, old->st_mode);
  if (old && !S_ISREG(old->st_mode)) {
    FileHandle device = open_file(target, O_WRONLY);
    write_all(device, path, bytes);
    return close_file(std::move(device), path);
  }

  TemporaryFile temporary(target, old ? kPrivateMode : kFileMode);
  if (old) keep_permissions(temporary.file, path, *old);
  write_all(temporary.file, path, bytes);
  sync_file(temporary.file, path);
  close_file(std::move(temporary.file), path);
  if (::rename(temporary.name.c_str(), target.c_str()) != 0) throw failed(path, "replace", errno);
  temporary.name.clear();
  const std::string parent = fs::path(target).parent_path().string();
  const std::string directory = parent.empty() ? "." : parent;
  sync_file(open_file(directory, O_RDONLY | O_DIRECTORY), directory);
}

bool exists(const std::string& path) { return link_status(path).has_value(); }

void refuse_link(const std::string& path) {
  const auto there = link_status(path);
  if (there && S_ISLNK(there->st_mode)) {
    throw bad_input(path + ": is a symbolic link; a directory is expected here");
  }
}

void remove_file(const std::string& path) {
  check_path(path);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw failed(path, "remove", errno);
}

std::vector<std::string> names_in(const std::string& directory) {
  check_path(directory);
  std::error_code error;
  std::vector<std::string> out;
  fs::directory_iterator entry(directory, error);
  while (error == std::errc::interrupted) entry = fs::directory_iterator(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    out.push_back(entry->path().filename().string());
  }
  if (error && error != std::errc::no_such_file_or_directory &&
      error != std::errc::not_a_directory) {
    throw failed(directory, "list", error.value());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void make_directories(const std::string& path) {
  check_path(path);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw failed(path, "create the directory", error.value());
}

AppendFile::AppendFile(const std::string& path)
    : path_(path), file_(open_plain(path, O_WRONLY | O_CREAT | O_APPEND)) {
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

namespace {

constexpr std::string_view kLockMark = "bpo lock, process ";

std::string lock_path(const std::string& directory) {
  return (fs::path(directory) / RunLock::kName).string();
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

RunLock::RunLock(const std::string& directory)
    : file_(open_plain(lock_path(directory), O_RDWR | O_CREAT)) {
  const std::string path = lock_path(directory);
  lock(file_, directory);
  holder_of(file_, path);
  // The file is never removed: a process that opened it earlier would then lock a deleted file.
  if (::ftruncate(file_.get(), 0) != 0) throw failed(path, "truncate", errno);
  const std::string text = fmt::format("{}{}\n", kLockMark, ::getpid());
  std::string_view rest = text;
  write_all(file_, path, rest);
}

void RunLock::check(const std::string& directory) {
  const std::string path = lock_path(directory);
  if (!exists(path)) return;
  const FileHandle file = open_plain(path, O_RDONLY);
  lock(file, directory);
  holder_of(file, path);
}

}  // namespace bpo
