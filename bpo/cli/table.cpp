#include "bpo/cli/table.h"

#include <algorithm>

namespace bpo::cli {

std::string aligned(const std::vector<std::vector<std::string>>& rows,
                    const std::vector<int>& right) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(width[c] - row[c].size(), ' ');
      const bool flush_right =
          std::find(right.begin(), right.end(), static_cast<int>(c)) != right.end();
      if (c > 0) line += "  ";
      line += flush_right ? space + row[c] : row[c] + space;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace bpo::cli
