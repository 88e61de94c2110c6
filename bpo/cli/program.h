// All of a program but its beginning and its end, which ranks take together.
#pragma once

#include "bpo/comm/comm.h"

namespace bpo::cli {

/// Finds the verb, runs it, and turns what goes wrong into a message and an exit status: 2 bad
/// input, 3 locked, 4 diverged, 5 input or output.
Ending run_program(int argc, char** argv);

}  // namespace bpo::cli
