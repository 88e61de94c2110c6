// Where the tests find the program and the sources. Only paths.cpp is compiled with them, so the
// compiler's cache serves every other test of any clone.
#pragma once

namespace bpo {

extern const char* const kBinaryPath;
/// The program for several ranks; empty where it is not built.
extern const char* const kMpiBinaryPath;
extern const char* const kSourcePath;
/// What runs the program where it is not of this machine's kind, word by word; usually nothing.
extern const char* const kEmulator;
/// The library that makes calls of the system fail.
extern const char* const kFailCallsPath;
/// The library that makes clocks jump.
extern const char* const kJumpClockPath;

}  // namespace bpo
