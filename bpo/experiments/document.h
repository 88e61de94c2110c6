// Tables in a document that come from results files. The document marks the place of an item's
// table by two lines, and all between them is generated:
//   <!-- table table-a2 -->
//   <!-- end of table -->
// Where an item has a smaller table, too, "table-a2 compact" is the mark of that one.
#pragma once

#include <string>
#include <string_view>

#include "bpo/experiments/findings.h"

namespace bpo::experiments {

/// What results_json() wrote for the item, as far as it goes: every seed's value, but no episodes,
/// curves or traces. `name` is the file's, for the message of the bad_input that other text is.
Findings read_results(std::string_view text, const Experiment& item, const std::string& name);

/// The document with its tables made anew from the files ITEM.json in `directory`. `name` is the
/// document's, for the message of the bad_input that a document without tables is.
std::string with_tables(std::string_view document, const std::string& name,
                        const std::string& directory);
/// Makes the tables in the file itself anew, as with_tables() does.
void refresh_tables(const std::string& document, const std::string& directory);

}  // namespace bpo::experiments
