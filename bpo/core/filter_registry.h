// The filters by name, for who asks what there is (`bpo list filters`). A filter's header ends in
// its registration.
#pragma once

#include <string>
#include <utility>

#include "bpo/core/registry.h"

namespace bpo {

struct FilterEntry {
  std::string name, summary;
};

inline Registry<FilterEntry>& filters() {
  static Registry<FilterEntry> registry("filter");
  return registry;
}

struct RegisterFilter {
  explicit RegisterFilter(FilterEntry entry) { filters().add(std::move(entry)); }
};

}  // namespace bpo
