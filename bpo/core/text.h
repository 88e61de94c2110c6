// Text fit to be shown. What came from a file, a directory or the command line can neither steer
// the terminal nor break a line, and large numbers are short.
#pragma once

#include <string>
#include <string_view>

namespace bpo {

/// The text with everything escaped that is not a visible character of UTF-8: control characters of
/// both sets and marks that reorder text as \u001b, bytes that are not UTF-8 as \xff.
std::string printable(std::string_view text);

/// The same as printable(), but line breaks and tabs stay.
std::string printable_lines(std::string_view text);

/// A count in few characters: "1.8M", "620k", "75".
std::string short_count(double count);
/// A duration in few characters: "1 h 05 min", "3 min 20 s", "12 s".
std::string short_time(double seconds);

}  // namespace bpo
