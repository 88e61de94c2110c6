// Names as they may stand in a problem file: letters, digits, '_', '-' and '.', the first a letter.
#pragma once

#include <string>
#include <vector>

namespace bpo {

/// `count` names that files accept, made from `names` where those tell things apart; otherwise
/// `prefix` and a number.
std::vector<std::string> file_names(const std::vector<std::string>& names, const char* prefix,
                                    int count);

}  // namespace bpo
