// A struct of every kind of option, and how texts are read into it or refused.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "bpo/core/config.h"
#include "bpo/core/error.h"

namespace bpo {

struct Options {
  double rate = 0.5;
  double scale = 1.0;
  std::int64_t bins = 20;
  std::int64_t seed = 1;
  bool noisy = false;
  std::string kind = "tiger";
  std::optional<double> mass;

  void visit(OptionVisitor& v) {
    v.number("rate", rate, {0, 1}, "a probability");
    v.number("scale", scale, {}, "any number");
    v.integer("bins", bins, {1, 1000000}, "cells of the grid");
    v.integer("seed", seed, {}, "any integer");
    v.flag("noisy", noisy, "adds noise");
    v.choice("kind", kind, {"tiger", "maze"}, "which one");
    v.number_or("mass", mass, "prior", {0, 1e300}, "known, or drawn from the prior");
  }
};

inline Options read(Config config) {
  Options options;
  config.read("problem", options);
  config.finish();
  return options;
}
inline Options read_toml(const std::string& text) {
  return read(Config::from_toml(text, "run.toml"));
}
inline Options read_set(const std::string& assignment) {
  Config config;
  config.set(assignment);
  return read(config);
}

/// The message of the bpo::Error that `call` throws; its code must be kBadInput.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}
inline std::string refused_set(const std::string& assignment) {
  return refusal([&] { read_set(assignment); });
}
inline std::string refused_toml(const std::string& text) {
  return refusal([&] { read_toml(text); });
}
inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace bpo
