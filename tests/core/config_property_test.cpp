// Options of any value, and texts of any bytes.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bpo/core/config.h"
#include "bpo/core/error.h"
#include "tests/support/options.h"

namespace bpo {
namespace {

/// Any finite double, subnormals and both zeros included.
rc::Gen<double> finite() {
  const auto bits =
      rc::gen::map(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()),
                   [](std::uint64_t x) { return std::bit_cast<double>(x); });
  return rc::gen::oneOf(
      rc::gen::suchThat(bits, [](double x) { return std::isfinite(x); }),
      rc::gen::arbitrary<double>(),
      rc::gen::element(0.0, -0.0, 1e3, 5e-324, -2.2250738585072014e-308, 0x1p53, 0x1p63,
                       std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()));
}

struct Anything {
  double x = 0, y = 0;
  std::int64_t n = 0;
  bool flag = false;
  std::string word = "a";
  std::optional<double> maybe;

  void visit(OptionVisitor& v) {
    v.number("x", x, {}, "");
    v.number("y", y, {}, "");
    v.integer("n", n, {}, "");
    v.flag("flag", flag, "");
    v.choice("word", word, {"a", "quote\"d", "back\\slash", "t\tb\n", "caf\xC3\xA9", ""}, "");
    v.number_or("maybe", maybe, "prior", {}, "");
  }
};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST(ConfigProperty, TomlGivesBackTheSameBits) {
  EXPECT_TRUE(rc::check([] {
    Anything in;
    in.x = *finite();
    in.y = *finite();
    in.n = *rc::gen::oneOf(
        rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                     [](std::uint64_t x) { return std::bit_cast<std::int64_t>(x); }),
        rc::gen::element(std::numeric_limits<std::int64_t>::min(),
                         std::numeric_limits<std::int64_t>::max()));
    in.flag = *rc::gen::arbitrary<bool>();
    in.word =
        *rc::gen::element<std::string>("a", "quote\"d", "back\\slash", "t\tb\n", "caf\xC3\xA9", "");
    if (*rc::gen::arbitrary<bool>()) in.maybe = *finite();
    const std::string group = *rc::gen::element<std::string>("", "algo", "algo.net");

    Config before;
    before.read(group, in);
    Config after = Config::from_toml(before.to_toml(), "resolved.toml");
    Anything out;
    after.read(group, out);
    after.finish();

    RC_ASSERT(same_bits(in.x, out.x));
    RC_ASSERT(same_bits(in.y, out.y));
    RC_ASSERT(in.n == out.n);
    RC_ASSERT(in.flag == out.flag);
    RC_ASSERT(in.word == out.word);
    RC_ASSERT(in.maybe.has_value() == out.maybe.has_value());
    RC_ASSERT(same_bits(in.maybe.value_or(0), out.maybe.value_or(0)));
    RC_ASSERT(before.to_toml() == after.to_toml());
  }));
}

TEST(ConfigProperty, AnyBytesAreReadOrRefused) {
  EXPECT_TRUE(rc::check([](const std::string& bytes, const std::string& tail) {
    for (const std::string& text :
         {bytes, "problem.scale = " + bytes, "[problem]\n" + bytes + tail}) {
      try {
        read_toml(text);
      } catch (const Error& error) {
        RC_ASSERT(error.code() == ErrorCode::kBadInput);
      }
    }
    for (const std::string& text : {bytes, "problem.scale=" + bytes, bytes + "=" + tail}) {
      try {
        read_set(text);
      } catch (const Error& error) {
        RC_ASSERT(error.code() == ErrorCode::kBadInput);
      }
    }
  }));
}

}  // namespace
}  // namespace bpo
