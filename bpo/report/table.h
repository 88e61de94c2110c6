// Rows of text as a table: aligned for people, or for a program or a document to read.
#pragma once

#include <string>
#include <vector>

namespace bpo::report {

using Rows = std::vector<std::vector<std::string>>;

/// Rows, the first of which is the header, and the indices of the columns that are flushed right.
struct Table {
  Rows rows;
  std::vector<int> right;
};

/// The rows as text with two spaces between columns; a column whose index is in `right` is flushed
/// right. The first row may be a header.
std::string aligned(const Rows& rows, const std::vector<int>& right = {});

/// The rows as CSV (RFC 4180): a cell with a comma, a quote or a line break is quoted.
std::string csv(const Rows& rows);
/// The rows as a table of GitHub's Markdown; the first row is its header.
std::string markdown(const Rows& rows, const std::vector<int>& right = {});
/// The rows as a LaTeX tabular of booktabs; the first row is its header. "+-" becomes $\pm$.
std::string latex(const Rows& rows, const std::vector<int>& right = {});

}  // namespace bpo::report
