#include "bpo/experiments/paper_values.h"

#include <map>
#include <utility>

namespace bpo::experiments {

std::optional<PaperValue> appendix_table(const std::string& problem, const std::string& method) {
  static const std::map<std::string, std::map<std::string, PaperValue>> kTable = {
      {"Tiger",
       {{"bpo", {17.9, 0.6}},
        {"bpo-minus", {15.8, 0.6}},
        {"epopt", {-19.9, 0.0}},
        {"up-mle", {-9.8, 2.0}},
        {"sarsop", {19.0, 0.6}}}},
      {"Chain-3",
       {{"bpo", {260.1, 5.6}},
        {"bpo-minus", {268.9, 5.7}},
        {"epopt", {267.9, 13.1}},
        {"up-mle", {242.0, 11.2}}}},
      {"Chain-10",
       {{"bpo", {374.0, 6.9}},
        {"bpo-minus", {355.2, 7.0}},
        {"epopt", {267.9, 13.1}},
        {"up-mle", {378.2, 15.7}}}},
      {"Chain-1000",
       {{"bpo", {360.1, 7.1}},
        {"bpo-minus", {231.6, 4.2}},
        {"epopt", {267.9, 13.1}},
        {"up-mle", {342.4, 14.9}}}},
      {"LightDark",
       {{"bpo", {-166.7, 2.4}},
        {"bpo-minus", {-867.9, 22.1}},
        {"epopt", {-1891.2, 45.0}},
        {"up-mle", {-745.9, 22.3}}}},
      {"HalfCheetah",
       {{"bpo", {115.6, 3.5}},
        {"bpo-minus", {109.13, 3.1}},
        {"epopt", {107.0, 2.7}},
        {"up-mle", {108.9, 3.3}},
        {"trpo", {64.3, 6.1}}}},
      {"Swimmer",
       {{"bpo", {36.0, 0.4}},
        {"bpo-minus", {36.9, 0.6}},
        {"epopt", {27.9, 0.4}},
        {"up-mle", {37.6, 0.4}},
        {"trpo", {29.4, 0.6}}}},
      {"Ant",
       {{"bpo", {117.0, 2.7}},
        {"bpo-minus", {115.9, 3.9}},
        {"epopt", {112.5, 3.1}},
        {"up-mle", {111.7, 2.5}},
        {"trpo", {116.5, 7.5}}}}};
  const auto row = kTable.find(problem);
  if (row == kTable.end()) return std::nullopt;
  const auto cell = row->second.find(method);
  return cell == row->second.end() ? std::nullopt : std::optional(cell->second);
}

const std::vector<PaperProblem>& paper_problems() {
  static const std::vector<PaperProblem> kProblems = {
      {"Tiger", "tiger", {}},
      {"Chain-3", "chain", {"problem.bins=3"}},
      {"Chain-10", "chain", {"problem.bins=10"}},
      {"Chain-1000", "chain", {"problem.bins=1000"}},
      {"LightDark", "lightdark", {}},
      {"HalfCheetah", "half-cheetah", {}, true},
      {"Swimmer", "swimmer", {}, true},
      {"Ant", "ant", {}, true}};
  return kProblems;
}

const std::vector<PaperMethod>& paper_methods() {
  static const std::vector<PaperMethod> kMethods = {{"bpo", "BPO"},
                                                    {"bpo-minus", "BPO-"},
                                                    {"epopt", "EPOpt"},
                                                    {"up-mle", "UP-MLE"},
                                                    {"trpo", "TRPO"}};
  return kMethods;
}

const std::vector<PaperMethod>& compared_methods() {
  static const std::vector<PaperMethod> kMethods = [] {
    std::vector<PaperMethod> out = paper_methods();
    out.push_back({"dr", "DR"});
    out.push_back({"oracle", "oracle"});
    return out;
  }();
  return kMethods;
}

const std::vector<ChainValue>& table1_values() {
  static const std::string kPaper = "the paper's Table 1";
  static const std::string kWang = "Wang et al. 2012, Poupart et al. 2006";
  static const std::vector<ChainValue> kValues = {{"BPO", true, {364.5, 0.5}, kPaper},
                                                  {"BEETLE", true, {365.0, 0.4}, kPaper},
                                                  {"Perseus", true, {366.1, 0.2}, kPaper},
                                                  {"BEETLE", true, {365.0, 4.1}, kWang, false},
                                                  {"Perseus", true, {366.1, 2.7}, kWang, false},
                                                  {"exploit", true, {364.2, 4.3}, kWang, false},
                                                  {"BPO", false, {364.9, 0.8}, kPaper},
                                                  {"BEETLE", false, {364.8, 0.3}, kPaper},
                                                  {"Perseus", false, {365.1, 0.3}, kPaper},
                                                  {"MCBRL", false, {321.6, 6.4}, kPaper},
                                                  {"BEETLE", false, {364.8, 4.1}, kWang, false},
                                                  {"Perseus", false, {365.1, 3.2}, kWang, false},
                                                  {"exploit", false, {325.7, 12.4}, kWang, false}};
  return kValues;
}

}  // namespace bpo::experiments
