// TOML texts of unknown origin as toml++'s tables.
#pragma once

// Some assertions of toml++ 3.3 fail on mere syntax errors ("[=]"), which it reports all the same.
#define TOML_ASSERT(condition) static_assert(true)
#include <toml++/toml.h>

#include <string>
#include <string_view>

namespace bpo {

/// Throws bad_input with the place ("run.toml:3:8: ...") where it is not TOML.
toml::table parse_toml(std::string_view text, const std::string& name);

/// "run.toml:3:8".
std::string place_in(const std::string& name, const toml::source_position& place);

}  // namespace bpo
