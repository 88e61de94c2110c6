// Scalars for TensorBoard: an events file of TFRecords (length, masked CRC-32C, payload, CRC), each
// a protobuf Event. A resumed run writes a new file into the same directory; the caller passes the
// wall time, so nothing here reads a clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bpo/core/file.h"

namespace bpo {

/// The Castagnoli checksum, as in RFC 3720, of these bytes behind those that gave `so_far`.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t so_far = 0);

/// A name for a new file in the directory. `wall_time` is in seconds since 1970; a clock that is
/// set to another age only makes an odd name.
std::string fresh_events_name(const std::string& directory, double wall_time);

class TensorBoardWriter {
 public:
  /// Begins an empty file. A resumed run passes its first step: TensorBoard then forgets what
  /// earlier files hold from that step on, which the killed run wrote after its last checkpoint.
  TensorBoardWriter(AppendFile file, double wall_time, std::int64_t first_step = 0);

  void scalar(std::string_view tag, double value, std::int64_t step, double wall_time);
  void flush() { file_.flush(); }

 private:
  void write_event(double wall_time, std::int64_t step, std::string_view what);

  AppendFile file_;
};

}  // namespace bpo
