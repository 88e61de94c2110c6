#include "bpo/planners/point_based/solution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <stdexcept>

#include "bpo/nn/seal.h"

namespace bpo {
namespace {

constexpr const char* kFormat = "bpo-points-2";
// An iteration is so much work: little at first, later about a tenth of a second.
constexpr double kFirstWork = 1e6, kMostWork = 2e8, kWorkGrowth = 0.1;

class PointSolution final : public Solution {
 public:
  PointSolution(const AnyProblem& problem, const std::string& planner, const PointOptions& options,
                const std::function<std::unique_ptr<PointSearch>(const PointModel&)>& make)
      : problem_(problem, planner, options.precision, 1e6 * options.memory),
        options_(options),
        search_(make(problem_.model)) {}

  /// Bounds that meet from the beginning are told once all the same.
  bool finished() const override {
    if (iterations_ == 0) return false;
    return gap() <= options_.precision || megabytes() >= options_.memory || search_->exhausted();
  }
  Metrics iterate() override {
    const double until =
        search_->work() + std::clamp(kWorkGrowth * search_->work(), kFirstWork, kMostWork);
    ++iterations_;
    do {
      search_->step();
    } while (!finished() && search_->work() < until);
    Metrics out{iterations_,
                {{"trials", static_cast<double>(search_->trials())},
                 {"backups", static_cast<double>(search_->backups())},
                 {"lower", search_->lower()},
                 {"upper", search_->upper()},
                 {"gap", gap()},
                 {"vectors", static_cast<double>(search_->size())},
                 {"memory", megabytes()}}};
    std::erase_if(out.values, [](const auto& v) { return !std::isfinite(v.second); });
    return out;
  }
  std::shared_ptr<const Policy> policy() const override {
    return std::make_shared<AlphaPolicy>(problem_.reader,
                                         std::make_shared<VectorSets>(search_->policy_vectors()),
                                         problem_.model.actions(), search_->look());
  }
  std::optional<Training> training() const override {
    return Training{
        .iterations = iterations_, .steps = search_->backups(), .best_iteration = iterations_};
  }

  std::string checkpoint_bytes(const RunIdentity& run, const RunPosition& at) const override {
    std::string out;
    checkpoint(run, at)([&](std::string_view piece) { out += piece; });
    return out;
  }
  /// What the search knows goes to the file from where it lies: a second copy of it would take as
  /// much memory as the search itself.
  Pieces checkpoint(const RunIdentity& run, const RunPosition& at) const override {
    TensorFile file;
    const std::array<std::int64_t, 2> counts{iterations_,
                                             static_cast<std::int64_t>(at.metrics_bytes)};
    file.tensors["counts"] = Tensor::of<std::int64_t>(counts);
    file.tensors["seconds"] = Tensor::of<double>(std::span(&at.seconds, 1));
    const Pieces state = [this](const auto& write) {
      Wire wire([&](std::span<const std::byte> bytes) {
        write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      });
      search_->visit(wire);  // it only reads
    };
    return sealed_with(std::move(file), "state", state, kFormat, run);
  }
  RunPosition restore(const std::string& path, const RunIdentity& run) override {
    const TensorFile file =
        load_sealed(path, kFormat, "plan again, or use the version that wrote it");
    check_belongs(file, path, run);
    const auto counts = file.get<std::int64_t>("counts", {2});
    file.get<double>("seconds", {1});
    const double seconds = file.finite<double>("seconds")[0];
    if (counts[0] < 0 || counts[1] < 0) throw bad_input(path + ": counts: a negative count");
    try {
      Wire wire(std::as_bytes(file.get<std::uint8_t>("state")));
      search_->visit(wire);
    } catch (const std::length_error& error) {
      throw bad_input(path + ": state: " + error.what());
    }
    iterations_ = counts[0];
    return {static_cast<std::uint64_t>(counts[1]), seconds};
  }

 private:
  double gap() const { return search_->upper() - search_->lower(); }
  double megabytes() const { return 1e-6 * (search_->bytes() + problem_.tables_bytes); }

  const PointProblem problem_;
  const PointOptions options_;
  const std::unique_ptr<PointSearch> search_;
  std::int64_t iterations_ = 0;
};

}  // namespace

void PointOptions::visit(OptionVisitor& v) {
  v.number(
      "precision", precision, {1e-12, 1e12},
      "planning is finished once the bounds are as near as this; a horizon that changes values "
      "by less is left out");
  v.number("memory", memory, {1.0, 1e9}, "planning is finished once so many megabytes are in use");
}

std::unique_ptr<Solution> point_solution(
    const AnyProblem& problem, const std::string& planner, const PointOptions& options,
    const std::function<std::unique_ptr<PointSearch>(const PointModel&)>& make) {
  return std::make_unique<PointSolution>(problem, planner, options, make);
}

}  // namespace bpo
