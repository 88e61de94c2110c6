// What README and docs/reproduce.md claim, one table. A training from scratch must reach the
// claimed mean over seeds minus a tolerance, which is the claim's own 95 % interval over seeds:
// within it another commit's bits are the same result. A claim that changes there changes here.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace bpo::test {

struct Claim {
  std::string name, problem, method;
  std::vector<std::string> sets;   // what the training was told
  std::vector<std::string> world;  // changes to it for the measurement
  int seeds = 1;
  double mean = 0.0, tolerance = 0.0;

  double bar() const { return mean - tolerance; }
  friend std::ostream& operator<<(std::ostream& out, const Claim& c) { return out << c.name; }
};

inline const std::vector<Claim>& claims() {
  static const std::vector<std::string> kTable1{"problem.slip=0.2", "problem.horizon=1000"};
  static const std::vector<Claim> kClaims{
      {"Tiger", "tiger", "bpo", {}, {}, 10, 19.195, 0.063},
      {"Chain", "chain", "bpo", {}, {}, 5, 363.31, 0.21},
      {"ChainAtSlipTwoTenths", "chain", "bpo", {}, kTable1, 5, 3661.5, 2.5},
      {"ChainThousandBins", "chain", "bpo", {"problem.bins=1000"}, {}, 3, 363.37, 0.36},
      {"ChainSemiTied", "chain", "bpo", {"problem.tying=semi"}, {}, 3, 338.7, 1.5},
      {"LightDark", "lightdark", "bpo", {}, {}, 5, -151.2, 9.5},
      {"LightDarkNoiseTold", "lightdark", "bpo", {"problem.leak=true"}, {}, 3, -105.3, 58.6},
      {"HalfCheetah", "half-cheetah", "bpo", {}, {}, 10, 417.2, 21.7},
      {"Swimmer", "swimmer", "bpo", {}, {}, 3, 81.7, 5.3},
      {"Ant", "ant", "bpo", {}, {}, 3, 380.1, 64.4}};
  return kClaims;
}

}  // namespace bpo::test
