// The exception of the library. It says what is wrong, where, and what would work; its code is
// the exit status of the command line.
#pragma once

#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bpo/core/text.h"

namespace bpo {

enum class ErrorCode { kBadInput = 2, kLocked = 3, kDiverged = 4, kIo = 5 };

class Error : public std::runtime_error {
 public:
  /// The message is one line, whatever names and values it quotes.
  Error(ErrorCode code, const std::string& message)
      : std::runtime_error(printable(message)), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

inline Error bad_input(const std::string& message) { return {ErrorCode::kBadInput, message}; }
inline Error io_error(const std::string& message) { return {ErrorCode::kIo, message}; }

/// Not an error: a person asked to stop while something was being computed.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// " (did you mean 'tiger'?)" when one of `names` is near `word`, otherwise an empty string.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace bpo
