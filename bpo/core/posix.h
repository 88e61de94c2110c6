// Plain POSIX calls, each checked. Everything is opened close-on-exec, and calls that a signal
// interrupted are repeated. For the files of core that touch the disk.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>

#include "bpo/core/error.h"
#include "bpo/core/file.h"

namespace bpo {

inline constexpr mode_t kFileMode = 0666;  // less the umask

Error failed(const std::string& path, std::string_view what, int error);

template <typename Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Refuses a NUL: the system would silently take the part before it for the whole path.
void check_path(const std::string& path);

FileHandle try_open(const std::string& path, int flags, mode_t mode = kFileMode);
FileHandle open_file(const std::string& path, int flags);
/// Opens what must be a plain file; a link, a pipe, a device or a directory is bad_input.
FileHandle open_plain(const std::string& path, int flags);

struct stat status(const FileHandle& file, const std::string& path);
/// The file itself rather than what a link points to; nothing where there is none.
std::optional<struct stat> link_status(const std::string& path);
void check_plain(const std::string& path, mode_t mode);
/// By this machine's clock, and never negative; 0 where there is no such file.
double seconds_since_written(const std::string& path);

/// Writes from the front of `bytes` and drops what was written from it, also when it throws.
void write_all(const FileHandle& file, const std::string& path, std::string_view& bytes);
void sync_file(const FileHandle& file, const std::string& path);
void close_file(FileHandle file, const std::string& path);

}  // namespace bpo
