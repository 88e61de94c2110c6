// A problem from a file stands among the registered ones and keeps the same promises.
#include "bpo/core/any_problem.h"
#include "bpo/problems/tabular/pomdp_reader.h"
#include "bpo/problems/tabular/tabular_problem.h"

namespace bpo {
namespace {

const char* const kCorridor =
    "discount: 0.9\nvalues: reward\nstates: west middle east end\nactions: left right stop\n"
    "observations: wall open\nstart: 0.4 0.4 0.2 0\n"
    "T: left\n0.9 0.1 0 0\n0.8 0.2 0 0\n0 0.8 0.2 0\n0 0 0 1\n"
    "T: right\n0.2 0.8 0 0\n0 0.2 0.8 0\n0 0.1 0.9 0\n0 0 0 1\n"
    "T: stop : * : end 1\n"
    "O: *\n0.8 0.2\n0.1 0.9\n0.8 0.2\n0.5 0.5\n"
    "R: * : * : * : * -0.1\nR: stop : east : * : * 10\nR: stop : west : * : * -5\n"
    "R: * : end : * : * 0\n";

const RegisterProblem kProblem{
    tabular_entry("corridor", "a corridor whose ends look alike",
                  usable(read_pomdp(kCorridor, "corridor.pomdp"), "corridor.pomdp"))};

}  // namespace
}  // namespace bpo
