// Where progress goes. The library never prints: it tells a Log.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bpo {

/// One iteration's numbers, in the order they should be shown.
struct Metrics {
  std::int64_t iteration = 0;
  std::vector<std::pair<std::string, double>> values;

  double operator[](const std::string& name) const;
};

class Log {
 public:
  virtual ~Log() = default;
  virtual void iteration(const Metrics& metrics) = 0;
  virtual void message(const std::string& text) = 0;
};

/// Listens and says nothing.
class NullLog final : public Log {
 public:
  void iteration(const Metrics&) override {}
  void message(const std::string&) override {}
};

}  // namespace bpo
