// The numbers that the paper prints, and those of the solvers it quotes. Returns are of the best
// seed, with a 95 % interval over evaluation episodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bpo::experiments {

struct PaperValue {
  double mean = 0.0, half = 0.0;
};

/// A cell of Appendix Table 2, or what Sec. 5 says of SARSOP; nothing where the paper has a dash.
/// `problem` is a name of
/// paper_problems().
std::optional<PaperValue> appendix_table(const std::string& problem, const std::string& method);

/// A row of the appendix table: the paper's name and how it is set up here.
struct PaperProblem {
  std::string name;     // "Chain-10"
  std::string problem;  // "chain"
  std::vector<std::string> sets;
  bool robot = false;
};
const std::vector<PaperProblem>& paper_problems();

/// A column of the appendix table: our name of the method and the paper's, as "bpo" and "BPO". Not
/// every method applies to every problem.
struct PaperMethod {
  std::string method, name;
};
const std::vector<PaperMethod>& paper_methods();
/// These, and what the paper lacks: domain randomisation, which tells what the belief is worth, and
/// the oracle, which tells what is left to gain.
const std::vector<PaperMethod>& compared_methods();

/// A line of Table 1, or a published value that it goes back to: Chain at slip 0.2, 1000 steps,
/// over 10.
struct ChainValue {
  std::string solver;
  bool tied = true;
  PaperValue value;
  std::string source;
  bool reread = true;  // false: quoted, not read again in the original
};
const std::vector<ChainValue>& table1_values();

}  // namespace bpo::experiments
