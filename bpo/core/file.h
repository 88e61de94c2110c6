// Files as a run directory needs them: whole reads with a limit, writes that are either complete or
// absent (temporary name, sync, rename), a log that can be cut back to a checkpoint, and a lock
// that one process holds. Every failure is an Error that names the path and the system's reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bpo {

/// The whole file. A directory or a failure is kIo; more than `max_bytes` is kBadInput.
std::string read_file(const std::string& path, std::size_t max_bytes);

/// Replaces the file, or leaves it as it was and throws. A symbolic link keeps pointing at the
/// replaced file. Devices and pipes cannot be replaced; they are written to directly.
void write_file_atomic(const std::string& path, std::string_view bytes);

/// Creates the directory and its parents; an existing directory is fine.
void make_directories(const std::string& path);

/// Owns a file descriptor.
class FileHandle {
 public:
  explicit FileHandle(int fd) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(other.release()) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  int release();

 private:
  int fd_;
};

/// A file that only grows, save for the cut at a resume. Writes are buffered; `size` counts them.
class AppendFile {
 public:
  explicit AppendFile(const std::string& path);
  AppendFile(AppendFile&&) = default;
  AppendFile& operator=(AppendFile&&) = delete;
  /// Flushes, but cannot report a failure: call flush() first.
  ~AppendFile();

  /// Appends exactly these bytes; a line brings its own newline.
  void write(std::string_view bytes);
  /// Hands the bytes to the system: they survive the end of the process.
  void flush();
  /// Flushes and waits for the disk: the bytes survive the end of power. Do it before recording
  /// size().
  void sync();
  /// Drops everything after the first `size` bytes. A file shorter than that is an error.
  void truncate_to(std::uint64_t size);
  std::uint64_t size() const { return written_ + buffer_.size(); }

 private:
  std::string path_;
  FileHandle file_;
  std::uint64_t written_ = 0;
  std::string buffer_;
};

/// An exclusive lock on a directory for the life of the object. Another holder is Error kLocked
/// with its process id. The system drops the lock with the process, so kill -9 leaves nothing
/// behind.
class RunLock {
 public:
  explicit RunLock(const std::string& directory);

 private:
  FileHandle file_;
};

}  // namespace bpo
