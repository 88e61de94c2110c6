// A model that remembers: an Elman cell (Elman 1990) on the observations alone, by plain loops in
// double. It is all that a second kind of model takes.
//   h_t = tanh(W x_t + U h_{t-1} + c),  pi(. | x_1..x_t) = softmax(V h_t + d)
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bpo/nn/heads.h"
#include "bpo/optimizers/model.h"

namespace bpo::test {

/// The cell over one episode, with its derivatives.
class ElmanCell {
 public:
  int inputs, hidden, actions;

  std::size_t u() const { return static_cast<std::size_t>(hidden) * inputs; }
  std::size_t c() const { return u() + static_cast<std::size_t>(hidden) * hidden; }
  std::size_t v() const { return c() + hidden; }
  std::size_t d() const { return v() + static_cast<std::size_t>(actions) * hidden; }
  std::size_t size() const { return d() + actions; }

  std::vector<TensorInfo> tensors() const {
    return {{"cell.input", {hidden, inputs}, 0},
            {"cell.memory", {hidden, hidden}, u()},
            {"cell.bias", {hidden}, c()},
            {"head.weight", {actions, hidden}, v()},
            {"head.bias", {actions}, d()}};
  }
  std::string text() const {
    return fmt::format("an Elman cell of {} units, {} inputs, {} actions", hidden, inputs, actions);
  }

  /// One step: h becomes the next state, p the probabilities.
  void step(const float* theta, const float* x, std::span<double> h, std::span<double> p) const {
    std::vector<double> next(hidden);
    for (int r = 0; r < hidden; ++r) {
      double z = theta[c() + r];
      for (int k = 0; k < inputs; ++k) z += theta[r * inputs + k] * x[k];
      for (int k = 0; k < hidden; ++k) z += theta[u() + r * hidden + k] * h[k];
      next[r] = std::tanh(z);
    }
    std::copy(next.begin(), next.end(), h.begin());
    double total = 0.0;
    for (int a = 0; a < actions; ++a) {
      double y = theta[d() + a];
      for (int k = 0; k < hidden; ++k) y += theta[v() + a * hidden + k] * h[k];
      total += p[a] = std::exp(y);
    }
    for (double& q : p) q /= total;
  }

  struct Trace {
    std::vector<const float*> x;
    std::vector<double> h, p;  // h starts with the state before the first step
  };
  Trace run(const float* theta, std::vector<const float*> x) const {
    Trace out{std::move(x), {}, {}};
    out.h.resize((out.x.size() + 1) * hidden);
    out.p.resize(out.x.size() * actions);
    for (std::size_t t = 0; t < out.x.size(); ++t) {
      double* h = out.h.data() + t * hidden;
      std::copy_n(h, hidden, h + hidden);
      step(theta, out.x[t], {h + hidden, static_cast<std::size_t>(hidden)},
           {out.p.data() + t * actions, static_cast<std::size_t>(actions)});
    }
    return out;
  }

  /// J v: how the logits of every step change along v.
  std::vector<double> push(const float* theta, const Trace& trace, const double* along) const {
    std::vector<double> dh(hidden, 0.0), next(hidden), out(trace.p.size());
    for (std::size_t t = 0; t < trace.x.size(); ++t) {
      const double* before = trace.h.data() + t * hidden;
      const double* h = before + hidden;
      for (int r = 0; r < hidden; ++r) {
        double dz = along[c() + r];
        for (int k = 0; k < inputs; ++k) dz += along[r * inputs + k] * trace.x[t][k];
        for (int k = 0; k < hidden; ++k) {
          dz += along[u() + r * hidden + k] * before[k] + theta[u() + r * hidden + k] * dh[k];
        }
        next[r] = (1.0 - h[r] * h[r]) * dz;
      }
      dh = next;
      for (int a = 0; a < actions; ++a) {
        double& dy = out[t * actions + a] = along[d() + a];
        for (int k = 0; k < hidden; ++k) {
          dy += along[v() + a * hidden + k] * h[k] + theta[v() + a * hidden + k] * dh[k];
        }
      }
    }
    return out;
  }

  /// out += J'dy: back through time.
  void pull(const float* theta, const Trace& trace, std::span<const double> dy, double* out) const {
    std::vector<double> dh(hidden, 0.0), earlier(hidden);
    for (int t = static_cast<int>(trace.x.size()) - 1; t >= 0; --t) {
      const double* before = trace.h.data() + static_cast<std::size_t>(t) * hidden;
      const double* h = before + hidden;
      for (int a = 0; a < actions; ++a) {
        const double g = dy[t * actions + a];
        out[d() + a] += g;
        for (int k = 0; k < hidden; ++k) {
          out[v() + a * hidden + k] += g * h[k];
          dh[k] += g * theta[v() + a * hidden + k];
        }
      }
      std::fill(earlier.begin(), earlier.end(), 0.0);
      for (int r = 0; r < hidden; ++r) {
        const double dz = (1.0 - h[r] * h[r]) * dh[r];
        out[c() + r] += dz;
        for (int k = 0; k < inputs; ++k) out[r * inputs + k] += dz * trace.x[t][k];
        for (int k = 0; k < hidden; ++k) {
          out[u() + r * hidden + k] += dz * before[k];
          earlier[k] += dz * theta[u() + r * hidden + k];
        }
      }
      dh.swap(earlier);
    }
  }
};

class ElmanActor final : public RecordingActor {
 public:
  ElmanActor(const ElmanCell& cell, std::span<const float> theta, bool greedy)
      : RecordingActor(cell.inputs, 0), cell_(cell), theta_(theta), greedy_(greedy) {}

  void set_theta(std::span<const float> theta) override {
    theta_ = theta;
    inputs_.clear();
  }
  void begin(const PolicyInputs&) override {
    memory_.assign(kLanes, std::vector<double>(cell_.hidden, 0.0));
  }
  void act(const PolicyInputs& in, Actions& actions) override {
    std::vector<double> p(cell_.actions);
    for (int lane = 0; lane < in.episodes.count; ++lane) {
      if (in.done[lane]) continue;
      const float* x = in.obs[lane].data();
      column_[lane] = inputs_.add(x, nullptr);
      cell_.step(theta_.data(), x, memory_[lane], p);
      const std::vector<float> drawn(p.begin(), p.end());
      Rng rng(in.episodes.seed, Use::kAction, in.episodes.first + lane,
              static_cast<std::uint32_t>(in.time));
      actions.index[lane] = greedy_ ? most_probable(drawn) : sample_index(drawn, rng);
    }
  }

 private:
  ElmanCell cell_;
  std::span<const float> theta_;
  bool greedy_;
  std::vector<std::vector<double>> memory_;
};

class ElmanPolicy final : public KeptPolicy {
 public:
  ElmanPolicy(const ElmanCell& cell, std::vector<float> theta, bool greedy)
      : cell_(cell), theta_(std::move(theta)), greedy_(greedy) {}
  std::unique_ptr<Actor> make_actor() const override {
    return std::make_unique<ElmanActor>(cell_, theta_, greedy_);
  }
  Sees sees() const override { return Sees::kNothing; }
  void save(TensorFile& file) const override {
    save_tensors(cell_.tensors(), theta_, file);
    file.metadata["network"] = cell_.text();
  }

 private:
  ElmanCell cell_;
  std::vector<float> theta_;
  bool greedy_;
};

/// Its units are episodes, and so a part of a batch is some of them.
class ElmanObjective final : public PolicyObjective {
 public:
  ElmanObjective(const ElmanCell& cell, ThreadPool& pool) : cell_(cell), pool_(pool) {}

  Value bind(const RatedBatch& batch, std::span<const float> theta_old) override {
    rated_ = &batch;
    episodes_.resize(batch.batch.episodes());
    std::iota(episodes_.begin(), episodes_.end(), 0);
    double kept = 0.0;
    share_ = 1.0;
    for (int i = 0; i < batch.batch.steps(); ++i) kept += weight(i);
    share_ = 1.0 / kept;
    old_.assign(theta_old.begin(), theta_old.end());
    return move(theta_old);
  }
  int units() const override { return static_cast<int>(episodes_.size()); }
  PolicyObjective& part(std::span<const int> units, std::span<const float> theta_old) override {
    part_ = std::make_unique<ElmanObjective>(cell_, pool_);
    part_->rated_ = rated_;
    for (int unit : units) part_->episodes_.push_back(episodes_[unit]);
    part_->share_ = share_ * this->units() / static_cast<double>(units.size());
    part_->old_.assign(theta_old.begin(), theta_old.end());
    part_->move(theta_old);
    return *part_;
  }
  Value move(std::span<const float> theta) override {
    theta_.assign(theta.begin(), theta.end());
    return evaluate(theta);
  }
  Value evaluate(std::span<const float> theta) override {
    Value sum;
    const auto work = [&](int e, Result& out) {
      const auto before = cell_.run(old_.data(), seen(e)), now = cell_.run(theta.data(), seen(e));
      for (std::size_t t = 0; t < now.x.size(); ++t) {
        const int i = rated_->batch.start[e] + static_cast<int>(t), a = rated_->batch.action[i];
        const double* p = before.p.data() + t * cell_.actions;
        const double* q = now.p.data() + t * cell_.actions;
        out.value.surrogate += weight(i) * rated_->advantages[i] * q[a] / p[a];
        for (int k = 0; k < cell_.actions; ++k) {
          out.value.kl += weight(i) * p[k] * std::log(p[k] / q[k]);
          out.value.entropy -= weight(i) * q[k] * std::log(q[k]);
        }
      }
    };
    each_chunk(work, [&](const Result& part) { sum += part.value; });
    return sum;
  }
  void gradient(double clip, std::span<double> out) override {
    sum_gradients(out, [&](int e, Result& result) {
      const auto before = cell_.run(old_.data(), seen(e)), now = cell_.run(theta_.data(), seen(e));
      std::vector<double> dy(now.p.size(), 0.0);
      for (std::size_t t = 0; t < now.x.size(); ++t) {
        const int i = rated_->batch.start[e] + static_cast<int>(t), a = rated_->batch.action[i];
        const double* q = now.p.data() + t * cell_.actions;
        const double advantage = rated_->advantages[i];
        const double ratio = q[a] / before.p[t * cell_.actions + a];
        if (clip > 0.0 && (advantage > 0.0 ? ratio > 1.0 + clip : ratio < 1.0 - clip)) continue;
        for (int k = 0; k < cell_.actions; ++k) {
          dy[t * cell_.actions + k] = weight(i) * advantage * ratio * ((k == a) - q[k]);
        }
      }
      cell_.pull(theta_.data(), now, dy, result.gradient.data());
    });
  }
  void fisher(std::span<const double> v, std::span<double> out) override {
    sum_gradients(out, [&](int e, Result& result) {
      const auto trace = cell_.run(old_.data(), seen(e));
      std::vector<double> dy = cell_.push(old_.data(), trace, v.data());
      for (std::size_t t = 0; t < trace.x.size(); ++t) {
        const double* p = trace.p.data() + t * cell_.actions;
        double* g = dy.data() + t * cell_.actions;
        const double mean = std::inner_product(p, p + cell_.actions, g, 0.0);
        const double share = weight(rated_->batch.start[e] + static_cast<int>(t));
        for (int k = 0; k < cell_.actions; ++k) g[k] = share * p[k] * (g[k] - mean);
      }
      cell_.pull(old_.data(), trace, dy, result.gradient.data());
    });
  }

 private:
  static constexpr int kChunks = 4;
  struct Result {
    Value value;
    std::vector<double> gradient;
    void visit(Wire& wire) {
      wire(value);
      wire(gradient);
    }
  };

  double weight(int i) const { return rated_->keep.empty() || rated_->keep[i] ? share_ : 0.0; }
  std::vector<const float*> seen(int e) const {
    const Batch& batch = rated_->batch;
    std::vector<const float*> out;
    for (int i = batch.start[e]; i < batch.start[e + 1]; ++i) {
      out.push_back(batch.inputs.states[batch.inputs.state_of[batch.column[i]]]);
    }
    return out;
  }
  /// work(episode, result of its chunk), then fold(result) chunk by chunk.
  template <class Work, class Fold>
  void each_chunk(Work work, Fold fold) {
    std::vector<Result> results(kChunks);
    map_reduce(
        pool_, kChunks, [&](int chunk) -> Result& { return results[chunk]; },
        [&](int chunk, int) {
          results[chunk].gradient.assign(cell_.size(), 0.0);
          for (int k = chunk * units() / kChunks; k < (chunk + 1) * units() / kChunks; ++k) {
            work(episodes_[k], results[chunk]);
          }
        },
        [&](int chunk) { fold(results[chunk]); });
  }
  template <class Work>
  void sum_gradients(std::span<double> out, Work work) {
    std::fill(out.begin(), out.end(), 0.0);
    each_chunk(work, [&](const Result& part) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += part.gradient[i];
    });
  }

  ElmanCell cell_;
  ThreadPool& pool_;
  const RatedBatch* rated_ = nullptr;
  std::vector<int> episodes_;
  double share_ = 0.0;
  std::vector<float> old_, theta_;
  std::unique_ptr<ElmanObjective> part_;
};

class RecurrentModel final : public Model {
 public:
  RecurrentModel(const ProblemSpec& problem, int hidden)
      : cell_{problem.obs_dim, hidden, problem.actions.size()}, tensors_(cell_.tensors()) {}

  const std::vector<TensorInfo>& tensors() const override { return tensors_; }
  InputDims inputs() const override { return {cell_.inputs, 0}; }
  bool sees_belief() const override { return false; }
  std::string text() const override { return cell_.text(); }
  std::vector<float> initialize(const Beginning& how) const override {
    std::vector<float> theta(cell_.size());
    Rng rng(how.seed, Use::kInit, 0);
    for (float& x : theta) x = static_cast<float>(0.5 * rng.normal());
    return theta;
  }
  std::unique_ptr<RecordingActor> make_actor(std::span<const float> theta) const override {
    return std::make_unique<ElmanActor>(cell_, theta, false);
  }
  std::unique_ptr<KeptPolicy> make_policy(std::vector<float> theta, bool greedy) const override {
    return std::make_unique<ElmanPolicy>(cell_, std::move(theta), greedy);
  }
  std::unique_ptr<PolicyObjective> make_objective(ThreadPool& pool) const override {
    return std::make_unique<ElmanObjective>(cell_, pool);
  }
  std::unique_ptr<Baseline> make_baseline(const BaselineOptions&, ThreadPool&) const override {
    return make_linear_baseline(cell_.inputs);
  }

 private:
  ElmanCell cell_;
  std::vector<TensorInfo> tensors_;
};

}  // namespace bpo::test
