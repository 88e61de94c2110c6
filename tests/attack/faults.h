// What is made to fail: calls of the system, with the error that they then report, and the streams
// of a program.
#pragma once

#include <string>
#include <vector>

namespace bpo::cli {

/// The longest list has about twenty calls on files of a kind. Where it matters little which one it
/// is, the first few will do.
inline constexpr int kMost = 30, kSome = 8, kFew = 2;

struct Fault {
  std::string call, error;
  bool harmless = false, for_good = false;

  int most() const {
    if (call == "memory") return kSome;
    return harmless || for_good ? kFew : kMost;
  }
};

inline const std::vector<Fault> kFaults{
    {"open", "EMFILE"},
    {"open", "EINTR", true},
    {"read", "EIO"},
    {"read", "EINTR", true},
    {"read", "SHORT", true},
    {"write", "ENOSPC"},
    {"write", "ENOSPC", false, true},
    {"write", "EINTR", true},
    {"write", "SHORT", true},
    {"fsync", "EIO"},
    {"close", "EIO"},
    {"rename", "EACCES"},
    {"ftruncate", "EIO"},
    {"fstat", "EIO"},
    {"stat", "EIO"},
    {"stat", "EACCES", false, true},
    {"mkdir", "ENOSPC"},
    {"unlink", "EACCES"},
    {"flock", "ENOLCK"},
    {"flock", "EINTR", true},
    {"flock", "EAGAIN"},
    {"realpath", "EACCES"},
    {"readdir", "EIO"},
    {"thread", "EAGAIN"},
    {"thread", "EAGAIN", false, true},
    {"memory", "ENOMEM"},
};

struct Stream {
  std::string name;
  std::vector<int> descriptors;
  bool closed = false;  // or else full
};

/// A closed one is the next descriptor that the system gives to a file of the run: what is then
/// said to the terminal must not end up in there.
inline const std::vector<Stream> kStreams{{"stdout full", {1}},
                                          {"stderr full", {2}},
                                          {"both full", {1, 2}},
                                          {"stdout closed", {1}, true},
                                          {"stderr closed", {2}, true},
                                          {"both closed", {1, 2}, true},
                                          {"stdin and stderr closed", {0, 2}, true},
                                          {"all closed", {0, 1, 2}, true}};

}  // namespace bpo::cli
