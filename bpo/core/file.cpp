#include "bpo/core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "bpo/core/error.h"
#include "bpo/core/posix.h"
#include "bpo/core/ranks.h"

namespace bpo {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunkBytes = 1 << 16;
constexpr mode_t kPrivateMode = 0600;

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

/// Small pieces are gathered, for each call of the system costs something.
void write_pieces(const FileHandle& file, const std::string& path, const Pieces& pieces) {
  std::string gathered;
  const auto write = [&](std::string_view piece) { write_all(file, path, piece); };
  pieces([&](std::string_view piece) {
    if (gathered.size() + piece.size() > kChunkBytes) {
      write(gathered);
      gathered.clear();
    }
    if (piece.size() > kChunkBytes) return write(piece);
    gathered += piece;
  });
  write(gathered);
}

/// What a person's path leads to: itself, or where its links end.
std::string followed(const std::string& path) {
  std::error_code error;
  const fs::path end = fs::canonical(path, error);
  return error ? path : end.string();
}

std::string read_here(const std::string& path, std::size_t max_bytes, Links links) {
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

std::vector<std::string> names_here(const std::string& directory) {
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

}  // namespace

std::string read_file(const std::string& path, std::size_t max_bytes, Links links) {
  return by_root([&] { return read_here(path, max_bytes, links); });
}

std::string part_name(const std::string& name) { return fmt::format(".{}.part", name); }

void write_file_atomic(const std::string& path, std::string_view bytes, Links links) {
  write_file_atomic(
      path, [&](const auto& write) { write(bytes); }, links);
}

void write_file_atomic(const std::string& path, const Pieces& pieces, Links links) {
  if (!comm().is_root()) return;
  const AtDisk at_disk;
  check_path(path);
  const std::string target = links == Links::kFollowed ? followed(path) : path;
  const std::optional<struct stat> old = link_status(target);
  if (old && S_ISDIR(old->st_mode)) throw failed(path, "write", EISDIR);
  if (old && links == Links::kRefused) check_plain(target, old->st_mode);
  if (old && !S_ISREG(old->st_mode)) {
    FileHandle device = open_file(target, O_WRONLY);
    write_pieces(device, path, pieces);
    return close_file(std::move(device), path);
  }

  TemporaryFile temporary(target, old ? kPrivateMode : kFileMode);
  if (old) keep_permissions(temporary.file, path, *old);
  write_pieces(temporary.file, path, pieces);
  sync_file(temporary.file, path);
  close_file(std::move(temporary.file), path);
  if (::rename(temporary.name.c_str(), target.c_str()) != 0) throw failed(path, "replace", errno);
  temporary.name.clear();
  const std::string parent = fs::path(target).parent_path().string();
  const std::string directory = parent.empty() ? "." : parent;
  sync_file(open_file(directory, O_RDONLY | O_DIRECTORY), directory);
}

bool exists(const std::string& path) {
  return by_root([&] { return link_status(path).has_value(); });
}

void refuse_link(const std::string& path) {
  by_root([&] {
    const auto there = link_status(path);
    if (there && S_ISLNK(there->st_mode)) {
      throw bad_input(path + ": is a symbolic link; a directory is expected here");
    }
  });
}

void remove_file(const std::string& path) {
  if (!comm().is_root()) return;
  check_path(path);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw failed(path, "remove", errno);
}

std::vector<std::string> names_in(const std::string& directory) {
  return by_root([&] { return names_here(directory); });
}

void make_directories(const std::string& path) {
  if (!comm().is_root()) return;
  check_path(path);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw failed(path, "create the directory", error.value());
}

}  // namespace bpo
