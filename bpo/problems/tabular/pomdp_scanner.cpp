#include "bpo/problems/tabular/pomdp_scanner.h"

#include <fmt/format.h>

#include <algorithm>
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
bool is_sign(char c) { return c == '-' || c == '+'; }
bool in_name(char c) {
  return is_letter(c) || is_digit(c) ||
         std::string_view("-.,;=/()[]{}<>+!?@&|~^%$'\"").find(c) != std::string_view::npos;
}

}  // namespace

std::string shown(const Word& word) {
  if (word.is(Word::Kind::kEnd)) return "the end of the file";
  // A sign and its number may stand on two lines.
  const std::string_view line = word.text.substr(0, word.text.find_first_of("\r\n"));
  return fmt::format("'{}'", line.substr(0, 60));
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

void PomdpScanner::skip_layout() {
  while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '#')) {
    if (text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      ++at_;
    }
  }
}

std::string_view PomdpScanner::next_text() {
  const std::size_t begin = at_++;
  const bool alone = text_[begin] == ':' || text_[begin] == '*';
  while (!alone && at_ < text_.size() && !ends_word(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

Word PomdpScanner::scan() {
  skip_layout();
  Word word{.at = static_cast<std::uint32_t>(at_)};
  if (at_ == text_.size()) return word;
  word.text = next_text();
  const char first = word.text[0];
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
  std::string_view digits = word.text;
  if (is_sign(first)) digits.remove_prefix(1);
  if (digits.empty()) {  // A sign may stand apart.
    skip_layout();
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) {
      digits = next_text();
      word.text = text_.substr(word.at, at_ - word.at);
    }
  }
  const char* const stop = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), stop, word.number);
  if (digits.empty() || is_sign(digits[0]) || rest != stop ||
      error == std::errc::invalid_argument) {
    fail(word,
         fmt::format("{} is neither a number nor a name, which begins with a letter", shown(word)));
  }
  if (error == std::errc::result_out_of_range) {
    word.number = std::strtod(std::string(digits).c_str(), nullptr);  // 0 or infinite
  }
  if (first == '-') word.number = -word.number;
  if (!std::isfinite(word.number)) fail(word, fmt::format("{} is not finite", shown(word)));
  return word;
}

}  // namespace bpo
