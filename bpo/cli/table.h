// Rows of text in aligned columns.
#pragma once

#include <string>
#include <vector>

namespace bpo::cli {

/// Two spaces between columns; a column whose index is in `right` is flushed right. The first row
/// may be a header.
std::string aligned(const std::vector<std::vector<std::string>>& rows,
                    const std::vector<int>& right = {});

}  // namespace bpo::cli
