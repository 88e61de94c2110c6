// Micro-benchmarks of the kernels, with Eigen's product beside ours: the reason ours exists.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <vector>

#include "bpo/nn/kernels.h"

namespace {

using namespace bpo::kernels;

void flops(benchmark::State& state, double per_iteration) {
  state.counters["flop/s"] =
      benchmark::Counter(per_iteration * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
}

void ours(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  std::vector<float> w(n * n, 0.01f), x(n * kColumns, 0.02f), y(n * kColumns);
  for (auto _ : state) {
    multiply(n, kColumns, n, {w.data(), n, 1}, x.data(), kColumns, y.data(), kColumns);
    benchmark::DoNotOptimize(y.data());
  }
  flops(state, 2.0 * n * n * kColumns);
}
BENCHMARK(ours)->Arg(32)->Arg(64);

void eigen(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const Eigen::MatrixXf w = Eigen::MatrixXf::Constant(n, n, 0.01f);
  const Eigen::MatrixXf x = Eigen::MatrixXf::Constant(n, kColumns, 0.02f);
  Eigen::MatrixXf y(n, kColumns);
  for (auto _ : state) {
    y.noalias() = w * x;
    benchmark::DoNotOptimize(y.data());
  }
  flops(state, 2.0 * n * n * kColumns);
}
BENCHMARK(eigen)->Arg(32)->Arg(64);

void tanh_block(benchmark::State& state) {
  std::vector<float> y(32 * kColumns, 0.3f);
  for (auto _ : state) {
    tanh_rows(32, kColumns, y.data());
    benchmark::DoNotOptimize(y.data());
  }
  state.SetItemsProcessed(state.iterations() * 32 * kColumns);
}
BENCHMARK(tanh_block);

}  // namespace

BENCHMARK_MAIN();
