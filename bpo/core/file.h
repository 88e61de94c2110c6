// Files as a run directory needs them: whole reads with a limit, writes that are either complete or
// absent (temporary name, sync, rename), a log that can be cut back to a checkpoint, and a lock
// that one process holds. Every failure is an Error that names the path and the system's reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bpo {

/// What the last part of a path may be. A path that a person typed may be a link, a pipe or a
/// device. A path that the program made up, such as a file of a run directory, must be a plain
/// file: a directory that came from elsewhere could otherwise point it anywhere.
enum class Links { kRefused, kFollowed };

/// The whole file. A failure is kIo; more than `max_bytes`, or a file that is not plain, is
/// kBadInput.
std::string read_file(const std::string& path, std::size_t max_bytes,
                      Links links = Links::kRefused);

/// Replaces the file and keeps its permissions, or leaves it as it was and throws. A link that is
/// followed keeps pointing at the replaced file; devices and pipes are then written to directly.
/// What a kill leaves behind is called part_name().
void write_file_atomic(const std::string& path, std::string_view bytes,
                       Links links = Links::kRefused);
/// The content of a file that is nowhere as a whole: calls its argument with one piece after the
/// other, the same ones every time.
using Pieces = std::function<void(const std::function<void(std::string_view)>&)>;
void write_file_atomic(const std::string& path, const Pieces& pieces,
                       Links links = Links::kRefused);
/// ".policy.safetensors.part" for "policy.safetensors".
std::string part_name(const std::string& name);

/// Whether there is anything of that name, be it a link to nowhere. Not to be told is kIo.
bool exists(const std::string& path);

/// Removes a file or a link; that there is none is fine.
void remove_file(const std::string& path);

/// Throws bad_input if there is a link of that name, to be asked of directories that the program
/// made up the name of.
void refuse_link(const std::string& path);

/// The names in a directory, sorted; none where there is no directory.
std::vector<std::string> names_in(const std::string& directory);

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

/// A plain file that only grows, save for the cut at a resume. Writes are buffered; `size` counts
/// them.
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
/// behind. A file of the lock's name that another program made is refused as it is.
class RunLock {
 public:
  static constexpr const char* kName = ".lock";

  explicit RunLock(const std::string& directory);
  /// Throws where the directory is locked or its lock cannot be one; writes nothing.
  static void check(const std::string& directory);

 private:
  FileHandle file_;
};

/// Whether somebody has the RunLock of a directory, which need not be there.
bool is_locked(const std::string& directory);

}  // namespace bpo
