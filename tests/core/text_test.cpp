#include "bpo/core/text.h"

#include <gtest/gtest.h>

#include "bpo/core/error.h"

namespace bpo {
namespace {

TEST(Text, VisibleCharactersStay) {
  for (const char* text :
       {"", "plain", "a\\b", "na\xc3\xafve", "\xe2\x88\x9e", "\xf0\x9f\x90\x85"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable_lines(text), text);
  }
}

TEST(Text, WhatSteersATerminalIsEscaped) {
  EXPECT_EQ(printable("\x1b[31m"), "\\u001b[31m");
  EXPECT_EQ(printable("a\nb\tc\r"), "a\\u000ab\\u0009c\\u000d");
  EXPECT_EQ(printable_lines("a\nb\tc\r"), "a\nb\tc\\u000d");
  EXPECT_EQ(printable("\x7f"), "\\u007f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e") << "it would turn the text round";
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\\u2028");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\u0000");
}

TEST(Text, BytesThatAreNotUtf8AreEscapedOneByOne) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\x9b"), "\\x9b");
  EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut short";
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80") << "longer than it need be";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last one";
}

TEST(Text, AnErrorIsOneLineWhateverItQuotes) {
  EXPECT_STREQ(bad_input("no '\x1b[2J\nforged'").what(), "no '\\u001b[2J\\u000aforged'");
}

TEST(Counts, AreShort) {
  EXPECT_EQ(short_count(1830000), "1.8M");
  EXPECT_EQ(short_count(620000), "620k");
  EXPECT_EQ(short_count(75), "75");
  EXPECT_EQ(short_time(12), "12 s");
  EXPECT_EQ(short_time(200), "3 min 20 s");
  EXPECT_EQ(short_time(3900), "1 h 05 min");
}

}  // namespace
}  // namespace bpo
