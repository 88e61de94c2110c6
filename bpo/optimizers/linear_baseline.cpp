// The linear feature baseline. Features of an input and features of the time are separate columns
// of the design matrix, so its Gram matrix needs each distinct input once, weighted by its visits.
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

#include "bpo/core/error.h"
#include "bpo/optimizers/baseline.h"

namespace bpo {
namespace {

constexpr int kTimeFeatures = 4;
constexpr double kRidge = 1e-5;

using TimeFeatures = Eigen::Matrix<double, kTimeFeatures, 1>;

TimeFeatures time_features(int t) {
  const double s = t / 100.0;
  return {s, s * s, s * s * s, 1.0};
}

class LinearBaseline final : public Baseline {
 public:
  explicit LinearBaseline(int dim) : dim_(dim) {}

  void bind(const Batch& batch) override {
    batch_ = &batch;
    features_ = features(batch.inputs);
  }

  std::vector<double> predict() override {
    const Batch& batch = *batch_;
    std::vector<double> out(batch.steps(), 0.0);
    if (weights_.size() == 0) return out;
    const Eigen::VectorXd base = features_ * weights_.head(2 * dim_);
    const TimeFeatures time_weights = weights_.tail<kTimeFeatures>();
    each_step(batch, [&](int i, int t) {
      out[i] = base[batch.column[i]] + time_features(t).dot(time_weights);
    });
    return out;
  }

  void fit(const std::vector<double>& targets) override {
    const Batch& batch = *batch_;
    const Eigen::MatrixXd& f = features_;
    const int inputs = batch.inputs.size(), n = 2 * dim_;
    Eigen::VectorXd visits = Eigen::VectorXd::Zero(inputs), target_sum = visits;
    Eigen::MatrixXd time_sum = Eigen::MatrixXd::Zero(inputs, kTimeFeatures);
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n + kTimeFeatures, n + kTimeFeatures);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(n + kTimeFeatures);
    each_step(batch, [&](int i, int t) {
      const TimeFeatures g = time_features(t);
      const int c = batch.column[i];
      visits[c] += 1.0;
      target_sum[c] += targets[i];
      time_sum.row(c) += g.transpose();
      gram.bottomRightCorner<kTimeFeatures, kTimeFeatures>() += g * g.transpose();
      right.tail<kTimeFeatures>() += g * targets[i];
    });
    gram.topLeftCorner(n, n).noalias() = f.transpose() * visits.asDiagonal() * f;
    gram.topRightCorner(n, kTimeFeatures).noalias() = f.transpose() * time_sum;
    gram.bottomLeftCorner(kTimeFeatures, n) = gram.topRightCorner(n, kTimeFeatures).transpose();
    right.head(n).noalias() = f.transpose() * target_sum;
    gram.diagonal().array() += kRidge;
    weights_ = gram.ldlt().solve(right);
  }

  void save(SavedNumbers& state) const override {
    state["baseline.linear"] = {weights_.data(), weights_.data() + weights_.size()};
  }
  void load(const SavedNumbers& state) override {
    const auto& w = state.at("baseline.linear");
    if (!w.empty() && static_cast<int>(w.size()) != 2 * dim_ + kTimeFeatures) {
      throw bad_input("baseline.linear: the checkpoint's baseline does not fit the problem");
    }
    weights_ = Eigen::Map<const Eigen::VectorXd>(w.data(), static_cast<Eigen::Index>(w.size()));
  }

 private:
  Eigen::MatrixXd features(const Inputs& inputs) const {
    Eigen::MatrixXd f(inputs.size(), 2 * dim_);
    const int states = inputs.states.dim();
    for (int c = 0; c < inputs.size(); ++c) {
      const float* o = inputs.states[inputs.state_of[c]];
      const float* b = inputs.beliefs[inputs.belief_of[c]];
      for (int k = 0; k < dim_; ++k) {
        const double x = std::clamp(double{k < states ? o[k] : b[k - states]}, -10.0, 10.0);
        f(c, k) = x;
        f(c, dim_ + k) = x * x;
      }
    }
    return f;
  }

  template <class Visit>
  static void each_step(const Batch& batch, Visit visit) {
    for (int e = 0; e < batch.episodes(); ++e) {
      for (int i = batch.start[e]; i < batch.start[e + 1]; ++i) visit(i, i - batch.start[e]);
    }
  }

  int dim_;
  const Batch* batch_ = nullptr;
  Eigen::MatrixXd features_;  // by distinct input
  Eigen::VectorXd weights_;
};

}  // namespace

std::unique_ptr<Baseline> make_linear_baseline(int dim) {
  return std::make_unique<LinearBaseline>(dim);
}

}  // namespace bpo
