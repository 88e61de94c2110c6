// Any bytes are a recording or are refused with a bpo::Error; one that is read is written and read
// again to the same numbers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bpo/core/error.h"
#include "bpo/core/recording.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  bpo::RecordingFormat format;
  format.seconds = 0.1;
  format.controls = {{"control:u", -1.0, 1.0}};
  format.observation = {{.column = "x"},
                        {.control = 0, .steps_before = 1},
                        {.same_as = 0},
                        {.column = "y", .needed = false}};
  try {
    const bpo::Recording read = bpo::read_recording(text, "fuzzed.csv", format);
    const bpo::Recording again =
        bpo::read_recording(bpo::recording_text(read, format), "written.csv", format);
    if (again.observations.size() != read.observations.size()) std::abort();
    for (std::size_t t = 0; t < read.observations.size(); ++t) {
      if (again.observations[t][0] != read.observations[t][0]) std::abort();
    }
  } catch (const bpo::Error& error) {
    if (error.code() != bpo::ErrorCode::kBadInput) std::abort();
  }
  return 0;
}
