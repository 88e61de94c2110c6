#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "bpo/core/file.h"
#include "bpo/core/posix.h"
#include "bpo/core/ranks.h"

namespace bpo {
namespace {

constexpr std::size_t kChunkBytes = 1 << 16;

}  // namespace

AppendFile::AppendFile(const std::string& path) : path_(path), file_(-1) {
  if (!comm().is_root()) return;
  file_ = open_plain(path, O_WRONLY | O_CREAT | O_APPEND);
  written_ = static_cast<std::uint64_t>(status(file_, path_).st_size);
}

AppendFile::~AppendFile() {
  try {
    if (file_.open()) flush();
  } catch (const Error&) {
  }
}

void AppendFile::write(std::string_view bytes) {
  if (!comm().is_root()) return;
  buffer_ += bytes;
  if (buffer_.size() >= kChunkBytes) flush();
}

void AppendFile::flush() {
  if (!comm().is_root()) return;
  const AtDisk at_disk;
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
  if (!comm().is_root()) return;
  flush();
  const AtDisk at_disk;
  sync_file(file_, path_);
}

void AppendFile::truncate_to(std::uint64_t size) {
  if (!comm().is_root()) return;
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

}  // namespace bpo
