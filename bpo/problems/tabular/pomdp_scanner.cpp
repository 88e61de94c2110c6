#include "bpo/problems/tabular/pomdp_scanner.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace bpo {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
bool ends_word(char c) { return is_space(c) || c == ':' || c == '#' || c == '*'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) {
  return is_letter(c) || is_digit(c) ||
         std::string_view("-.,;=/()[]{}<>+!?@&|~^%$'\"").find(c) != std::string_view::npos;
}

}  // namespace

std::string shown(const Word& word) {
  if (word.is(Word::Kind::kEnd)) return "the end of the file";
  return fmt::format("'{}'", word.text.substr(0, 60));
}

std::optional<double> whole_number(const Word& word) {
  const bool whole = word.is(Word::Kind::kNumber) && word.number >= 0.0 && word.number < 1e15 &&
                     word.number == std::floor(word.number);
  return whole ? std::optional(word.number) : std::nullopt;
}

PomdpScanner::PomdpScanner(std::string_view text, std::string file)
    : text_(text), file_(std::move(file)) {
  if (text_.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw bad_input(file_ + ": a .pomdp file has less than 4 GB");
  }
  if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // a byte order mark
  next_[0] = scan();
  next_[1] = scan();
}

Word PomdpScanner::take() {
  const Word taken = next_[0];
  next_[0] = next_[1];
  next_[1] = scan();
  return taken;
}

void PomdpScanner::colon(std::string_view after) {
  if (!peek().is(Word::Kind::kColon)) {
    fail(peek(), fmt::format("there must be a ':' after {}, not {}", after, shown(peek())));
  }
  take();
}

void PomdpScanner::fail(const Word& word, const std::string& what) const {
  throw bad_place(file_, place(word.at), what);
}

Word PomdpScanner::scan() {
  while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '#')) {
    if (text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      ++at_;
    }
  }
  Word word{.at = static_cast<std::uint32_t>(at_)};
  if (at_ == text_.size()) return word;
  std::size_t end = at_ + 1;
  const char first = text_[at_];
  if (first != ':' && first != '*') {
    while (end < text_.size() && !ends_word(text_[end])) ++end;
  }
  word.text = text_.substr(at_, end - at_);
  at_ = end;
  if (first == ':' || first == '*') {
    word.kind = first == ':' ? Word::Kind::kColon : Word::Kind::kStar;
    return word;
  }
  if (is_letter(first)) {
    word.kind = Word::Kind::kName;
    for (const char c : word.text) {
      if (!in_name(c)) {
        fail(word, fmt::format("{}: a name has letters, digits, '_', '-' and '.'", shown(word)));
      }
    }
    return word;
  }
  word.kind = Word::Kind::kNumber;
  const char* begin = word.text.data() + (first == '+');
  const char* const stop = word.text.data() + word.text.size();
  const auto [rest, error] = std::from_chars(begin, stop, word.number);
  const bool number = error == std::errc() && rest == stop && begin != stop && *begin != '+';
  if (error == std::errc::result_out_of_range && rest == stop) {
    word.number = std::strtod(std::string(word.text).c_str(), nullptr);  // 0 or infinite
  } else if (!number) {
    fail(word,
         fmt::format("{} is neither a number nor a name, which begins with a letter", shown(word)));
  }
  if (!std::isfinite(word.number)) fail(word, fmt::format("{} is not finite", shown(word)));
  return word;
}

}  // namespace bpo
