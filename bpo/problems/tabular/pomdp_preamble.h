// The head of a .pomdp file: what there is, by name or by number, and where an episode begins.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bpo/problems/tabular/pomdp_scanner.h"

namespace bpo {

/// The states, the actions or the observations of a file.
class PomdpNames {
 public:
  PomdpNames(const char* one, const char* statement) : one_(one), statement_(statement) {}

  bool known() const { return count_ > 0; }
  int count() const { return count_; }
  /// What follows "states:": a number, or names.
  void read(PomdpScanner& in, const Word& statement, double most);
  /// One of them, by name or number; kAny for a star.
  static constexpr int kAny = -1;
  int index(PomdpScanner& in) const;
  /// "state 'left'", or "state 3".
  std::string name(int i) const;
  /// Where the i-th stands in the file.
  std::uint32_t at(int i) const { return at_[at_.size() > 1 ? i : 0]; }
  const std::vector<std::string>& names() const { return names_; }
  const char* one() const { return one_; }
  const char* statement() const { return statement_; }

 private:
  void read_names(PomdpScanner& in, double most);

  const char *one_, *statement_;
  int count_ = 0;
  std::vector<std::string> names_;  // empty where there is a number
  std::unordered_map<std::string, int> by_name_;
  std::vector<std::uint32_t> at_;
};

/// A probability, that stands next.
double take_probability(PomdpScanner& in);

struct PomdpPreamble {
  PomdpNames states{"state", "states"}, actions{"action", "actions"},
      observations{"observation", "observations"};
  std::optional<double> discount;
  std::optional<bool> costs;
  std::vector<double> start;  // empty until it is told: then it is uniform
  std::uint32_t start_at = 0;

  /// Reads the statement that begins here, if it is one of the preamble.
  bool read(PomdpScanner& in, const TableLimits& limits);
  std::vector<double> first_belief() const;

 private:
  void read_start(PomdpScanner& in, const Word& statement);
};

}  // namespace bpo
