// The words of a .pomdp file: numbers, names, colons and stars, with comments left out. Two of them
// can be looked at before they are taken, which is what the format needs: a list of names ends
// where a word is followed by a colon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bpo/problems/tabular/file_tables.h"

namespace bpo {

struct Word {
  enum class Kind { kEnd, kColon, kStar, kNumber, kName };
  Kind kind = Kind::kEnd;
  std::string_view text;
  std::uint32_t at = 0;
  double number = 0.0;  // what a kNumber is worth

  bool is(Kind k) const { return kind == k; }
  bool is(std::string_view name) const { return kind == Kind::kName && text == name; }
};

class PomdpScanner {
 public:
  PomdpScanner(std::string_view text, std::string file);

  const Word& peek() const { return next_[0]; }
  const Word& peek_second() const { return next_[1]; }
  Word take();
  /// Takes a colon, or says after what there should be one.
  void colon(std::string_view after);

  [[noreturn]] void fail(const Word& word, const std::string& what) const;
  Place place(std::size_t at) const { return place_of(text_, at); }
  const std::string& file() const { return file_; }

 private:
  Word scan();
  void skip_layout();
  std::string_view next_text();

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  Word next_[2];
};

/// "'listen'", or "the end of the file".
std::string shown(const Word& word);
/// The whole number that the word is, if it is one and not negative.
std::optional<double> whole_number(const Word& word);

}  // namespace bpo
