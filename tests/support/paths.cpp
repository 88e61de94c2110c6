#include "tests/support/paths.h"

namespace bpo {

const char* const kBinaryPath = BPO_BINARY;
const char* const kMpiBinaryPath = BPO_MPI_BINARY;
const char* const kSourcePath = BPO_SOURCE_DIR;
const char* const kEmulator = BPO_EMULATOR;
const char* const kFailCallsPath = BPO_FAIL_CALLS;
const char* const kJumpClockPath = BPO_JUMP_CLOCK;

}  // namespace bpo
