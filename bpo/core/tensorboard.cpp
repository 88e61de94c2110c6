// The few protobuf fields of tensorflow/core/util/event.proto and summary.proto that scalars need,
// encoded by hand. A field opens with the byte (number << 3 | wire type).
#include "bpo/core/tensorboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace bpo {
namespace {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

enum WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr std::array<std::uint32_t, 256> crc_table() {
  constexpr std::uint32_t kReversedPolynomial = 0x82f63b78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? kReversedPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

template <typename T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// TFRecord masks a checksum because a payload may itself hold checksums.
std::string masked_crc(std::string_view bytes) {
  return raw(std::rotr(crc32c(bytes), 15) + 0xa282ead8u);
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes += static_cast<char>(value);
}

std::string field(int number, WireType type, std::string_view payload) {
  std::string bytes(1, static_cast<char>(number << 3 | type));
  if (type == kBytes) bytes += varint(payload.size());
  return bytes += payload;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t so_far) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t crc = ~so_far;
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~crc;
}

std::string fresh_events_name(const std::string& directory, double wall_time) {
  const double seconds = std::isfinite(wall_time) ? std::clamp(wall_time, 0.0, 1e15) : 0.0;
  for (int n = 0;; ++n) {
    const std::string name =
        fmt::format("events.out.tfevents.{:010}.bpo.{}", static_cast<std::int64_t>(seconds), n);
    if (!exists(directory + "/" + name)) return name;
  }
}

TensorBoardWriter::TensorBoardWriter(AppendFile file, double wall_time, std::int64_t first_step)
    : file_(std::move(file)) {
  write_event(wall_time, 0, field(3, kBytes, "brain.Event:2"));  // file_version
  if (first_step > 0) {
    const std::string start = field(1, kVarint, varint(1));  // SessionLog.status = START
    write_event(wall_time, first_step, field(7, kBytes, start));
  }
  flush();
}

void TensorBoardWriter::scalar(std::string_view tag, double value, std::int64_t step,
                               double wall_time) {
  const std::string entry =
      field(1, kBytes, tag) + field(2, kFixed32, raw(static_cast<float>(value)));
  const std::string summary = field(1, kBytes, entry);
  write_event(wall_time, step, field(5, kBytes, summary));
}

void TensorBoardWriter::write_event(double wall_time, std::int64_t step, std::string_view what) {
  std::string event = field(1, kFixed64, raw(wall_time));
  event += field(2, kVarint, varint(static_cast<std::uint64_t>(step)));
  event += what;
  const std::string length = raw(static_cast<std::uint64_t>(event.size()));
  file_.write(length + masked_crc(length) + event + masked_crc(event));
}

}  // namespace bpo
