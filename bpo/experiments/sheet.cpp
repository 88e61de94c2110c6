#include "bpo/experiments/sheet.h"

#include <fmt/format.h>

namespace bpo::experiments {

void Sheet::heading(std::string_view text) {
  page_.heading(2, text);
  text_ += fmt::format("\n{}\n", text);
}

void Sheet::paragraph(std::string_view text) {
  page_.paragraph(text);
  text_ += fmt::format("{}\n", text);
}

void Sheet::table(const report::Rows& rows, const std::vector<int>& right) {
  page_.table(rows, right);
  text_ += report::aligned(rows, right);
}

void Sheet::figure(std::string_view svg, std::string_view caption, bool paper) {
  page_.figure(svg, caption, paper);
  text_ += fmt::format("[figure] {}\n", caption);
}

void Sheet::replay(const report::Replay& replay, std::string_view caption) {
  page_.replay(replay, caption);
  text_ += fmt::format("[figure] {}\n", caption);
}

std::string seeds_cell(const Group* finding) {
  if (finding == nullptr) return "-";
  const Measurement& first = finding->runs.front();
  if (!first.training && finding->runs.size() == 1 && first.ci95) {
    return fmt::format("{:.2f} +- {:.2f} (over episodes)", first.mean, *first.ci95);
  }
  if (!enough_seeds(*finding)) return fmt::format("{:.2f} (not enough seeds)", finding->mean());
  const report::Mean mean = report::over_seeds(finding->values());
  return fmt::format("{:.2f} +- {:.2f}", mean.mean, mean.half);
}

std::string best_cell(const Group* finding) {
  return finding == nullptr ? "-" : fmt::format("{:.2f}", finding->best().value());
}

std::string number_cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

std::string difference_cell(const Group* first, const Group* other) {
  if (first == nullptr || other == nullptr || first == other) return "-";
  if (enough_seeds(*first) && enough_seeds(*other)) {
    const report::Mean gap = report::seed_difference(first->values(), other->values());
    return fmt::format("{:.2f} +- {:.2f}", gap.mean, gap.half);
  }
  if (first->exact() && other->exact()) {
    return fmt::format("{:.2f} (not enough seeds)", first->mean() - other->mean());
  }
  const report::Mean gap = report::paired_difference(first->returns(), other->returns());
  return fmt::format("{:.2f} +- {:.2f} (episodes only)", gap.mean, gap.half);
}

void add_point(report::Line& line, double x, const std::vector<double>& by_seed) {
  const report::Mean mean = report::over_seeds(by_seed);
  const double half = by_seed.size() >= report::kEnoughSeeds ? mean.half : 0.0;
  line.x.push_back(x);
  line.y.push_back(mean.mean);
  line.low.push_back(mean.mean - half);
  line.high.push_back(mean.mean + half);
}

std::string how_cell(const Group* finding) {
  if (finding == nullptr) return "-";
  return finding->exact() ? "exact" : fmt::format("{} episodes", finding->runs.front().episodes);
}

}  // namespace bpo::experiments
