#include "bpo/report/table.h"

#include <algorithm>
#include <string_view>

#include "bpo/core/text.h"

namespace bpo::report {
namespace {

bool contains(const std::vector<int>& columns, std::size_t column) {
  return std::find(columns.begin(), columns.end(), static_cast<int>(column)) != columns.end();
}

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (char c : cell) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string markdown_cell(const std::string& cell) {
  std::string out;
  for (char c : cell) {
    if (std::string_view("\\|`*_<>[]#").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string latex_cell(const std::string& cell) {
  std::string out;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const char c = cell[i];
    if (cell.compare(i, 2, "+-") == 0) {
      out += "$\\pm$";
      ++i;
    } else if (c == '\\') {
      out += "\\textbackslash{}";
    } else if (c == '~' || c == '^') {
      out += std::string("\\") + c + "{}";
    } else if (c == '<' || c == '>') {
      out += std::string("$") + c + "$";
    } else if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) {
      out += std::string("\\") + c;
    } else {
      out += c == '\n' || c == '\r' ? ' ' : c;
    }
  }
  return out;
}

}  // namespace

std::string aligned(const Rows& cells, const std::vector<int>& right) {
  Rows rows = cells;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
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
      if (c > 0) line += "  ";
      line += contains(right, c) ? space + row[c] : row[c] + space;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string csv(const Rows& rows) {
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) out += ',';
      out += csv_cell(row[c]);
    }
    out += '\n';
  }
  return out;
}

std::string markdown(const Rows& rows, const std::vector<int>& right) {
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const std::string& cell : rows[r]) out += "| " + markdown_cell(cell) + " ";
    out += "|\n";
    if (r > 0) continue;
    for (std::size_t c = 0; c < rows[r].size(); ++c) out += contains(right, c) ? "|---:" : "|---";
    out += "|\n";
  }
  return out;
}

std::string latex(const Rows& rows, const std::vector<int>& right) {
  std::string columns;
  for (std::size_t c = 0; c < rows.front().size(); ++c) columns += contains(right, c) ? "r" : "l";
  std::string out = "\\begin{tabular}{" + columns + "} \\toprule\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (c > 0) out += " & ";
      out += latex_cell(rows[r][c]);
    }
    out += r == 0 ? " \\\\ \\midrule\n" : " \\\\\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace bpo::report
