// Any bytes, as a TOML file and as --set assignments (one per line), are read or refused with a
// bpo::Error; what was read prints to TOML that reads back and prints the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "bpo/core/config.h"
#include "bpo/core/error.h"

namespace {

struct Options {
  double x = 0.5;
  std::int64_t n = 3;
  bool flag = false;
  std::string word = "abc";
  std::optional<double> mass;

  void visit(bpo::OptionVisitor& v) {
    v.number("x", x, {}, "");
    v.integer("n", n, {}, "");
    v.flag("f", flag, "");
    v.choice("w", word, {"abc", "abd"}, "");
    v.number_or("m", mass, "prior", {0, 1}, "");
  }
};

std::string resolved(bpo::Config config) {
  Options top, inner;
  config.read("", top);
  config.read("a", inner);
  config.finish();
  return config.to_toml();
}

void check(const bpo::Config& config) {
  std::string once;
  try {
    once = resolved(config);
  } catch (const bpo::Error&) {
    return;
  }
  if (resolved(bpo::Config::from_toml(once, "resolved.toml")) != once) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check(bpo::Config::from_toml(text, "run.toml"));
  } catch (const bpo::Error& error) {
    if (error.code() != bpo::ErrorCode::kBadInput) std::abort();
  }
  bpo::Config config;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + (line.size() < text.size()));
    try {
      config.set(line);
    } catch (const bpo::Error& error) {
      if (error.code() != bpo::ErrorCode::kBadInput) std::abort();
    }
  }
  check(config);
  return 0;
}
