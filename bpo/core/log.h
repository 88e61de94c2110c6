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
  /// Something that may take long begins, and ends; Activity calls both.
  virtual void begin(const std::string& /*what*/) {}
  virtual void end() {}
};

/// What is being done, for the life of the object.
class Activity {
 public:
  Activity(Log& log, const std::string& what) : log_(log) { log_.begin(what); }
  ~Activity() { log_.end(); }
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

 private:
  Log& log_;
};

/// Listens and says nothing.
class NullLog final : public Log {
 public:
  void iteration(const Metrics&) override {}
  void message(const std::string&) override {}
};

}  // namespace bpo
