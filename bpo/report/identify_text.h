// What a log says of a robot's latents: as text, as JSON and as a page.
#pragma once

#include <string>

#include "bpo/core/json.h"
#include "bpo/runs/identify.h"

namespace bpo::report {

std::string identification_text(const Identification& found);
Json identification_json(const Identification& found);
/// A page with every posterior narrowing over time.
std::string identification_page(const Identification& found, const std::string& log);

}  // namespace bpo::report
