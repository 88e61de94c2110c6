// Damaged copies of a text. The same ones every time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/torture/torture.h"

namespace bpo::cli {

/// Bytes of a text after an accident or an attack.
class TextDamage : public Luck {
 public:
  std::string next(const std::string& original) {
    for (;;) {
      std::string out = original;
      (this->*kKinds[turn_++ % kKinds.size()])(out);
      if (out != original) return out;
    }
  }

 private:
  using Kind = void (TextDamage::*)(std::string&);
  static const std::vector<Kind> kKinds;

  std::size_t place(const std::string& text) {
    return text.empty() ? 0 : static_cast<std::size_t>(below(static_cast<int>(text.size())));
  }
  void flip(std::string& text) {
    if (!text.empty()) text[place(text)] ^= static_cast<char>(1 << below(8));
  }
  void flip_many(std::string& text) {
    for (int n = 2 + below(30); n > 0; --n) flip(text);
  }
  void cut(std::string& text) { text.resize(place(text)); }
  void append(std::string& text) {
    for (int n = 1 + below(100); n > 0; --n) text += static_cast<char>(below(256));
  }
  void lose_block(std::string& text) { text.erase(place(text), 1 + place(text) / 4); }
  void double_block(std::string& text) {
    const std::size_t at = place(text);
    text.insert(at, text.substr(at, 1 + place(text)));
  }
  void zeros(std::string& text) {
    const std::size_t at = place(text), size = std::min(text.size() - at, place(text) + 1);
    text.replace(at, size, size, '\0');
  }
  /// Numbers beyond all bounds where there was a digit.
  void other_number(std::string& text) {
    static const std::vector<std::string> kNumbers{
        "-1",    "0", "1e999", "-1e999", "nan", "99999999999999999999", "9223372036854775807",
        "1e-400"};
    const std::size_t digit = text.find_first_of("0123456789", place(text));
    if (digit == text.npos) return;
    text.replace(digit, 1, kNumbers[place(text) % kNumbers.size()]);
  }
  void nest(std::string& text) { text.insert(place(text), std::string(100'000, '[')); }
  void long_line(std::string& text) { text.insert(place(text), std::string(1 << 20, 'x')); }
  void escapes(std::string& text) {
    text.insert(place(text), "\x1b]0;owned\a\x1b[2J\xff\xfe</script><script>alert(1)</script>\r\n");
  }
  void replace_all(std::string& text) {
    for (char& c : text) c = static_cast<char>(below(256));
  }

  std::size_t turn_ = 0;
};

inline const std::vector<TextDamage::Kind> TextDamage::kKinds{
    &TextDamage::flip,         &TextDamage::flip_many, &TextDamage::cut,
    &TextDamage::append,       &TextDamage::zeros,     &TextDamage::lose_block,
    &TextDamage::double_block, &TextDamage::nest,      &TextDamage::other_number,
    &TextDamage::long_line,    &TextDamage::escapes,   &TextDamage::replace_all};

}  // namespace bpo::cli
