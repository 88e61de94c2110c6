// A network in words: how its inputs are transformed and what they go through, as a file keeps it.
#pragma once

#include <string>

#include "bpo/nn/kept_policy.h"
#include "bpo/nn/network.h"

namespace bpo {

std::string network_text(const NetworkSpec& spec, Sees sees);

}  // namespace bpo
