// A file that says which runs to make: problems x methods x grids of options x seeds.
//
//   problems = ["tiger", "chain"]
//   methods = ["bpo", "up-mle"]     # or planners
//   seeds = 5                       # 0 to 4, or a list: [0, 7, 9]
//   [set]
//   algo.iterations = 100           # of every run
//   [grid]
//   optimizer.kl = [0.01, 0.02]     # every combination
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bpo {

struct SweepFile {
  std::vector<std::string> problems, methods;
  std::vector<std::int64_t> seeds;
  std::vector<std::string> sets;                                       // key=value
  std::vector<std::pair<std::string, std::vector<std::string>>> grid;  // key, values

  /// Every choice of one value per key of the grid, the last key the fastest.
  std::vector<std::vector<std::string>> combinations() const;
  std::size_t runs() const;
};

/// Whatever is wrong is bad_input as `name`:line:column.
SweepFile parse_sweep(const std::string& text, const std::string& name);

}  // namespace bpo
