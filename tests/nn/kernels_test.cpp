// Each kernel against a plain loop: all remainders, odd strides, and the promise that an element is
// one chain of multiply-adds in index order wherever it stands.
#include "bpo/nn/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bpo/core/simd.h"
#include "tests/support/networks.h"

namespace bpo::kernels {
namespace {

using test::random_floats;

enum class Start { kZero, kAdd, kBias };
enum class End { kPlain, kTanh, kSlope };

struct Product {
  int m, n, k;
  std::ptrdiff_t lda, ldb, ldc;
  bool transposed;
  std::vector<float> a, b, c, bias, h;

  Product(int rows, int cols, int inner, bool transpose_a)
      : m(rows),
        n(cols),
        k(inner),
        lda((transpose_a ? m : k) + 3),
        ldb(n + 5),
        ldc(n + 2),
        transposed(transpose_a) {
    a = random_floats((transposed ? k : m) * lda, 1);
    b = random_floats(k * ldb + 1, 2);
    c = random_floats(m * ldc, 3);
    bias = random_floats(m, 4);
    h = random_floats(m * ldc, 5);
  }
  Strided strided() const {
    return transposed ? Strided{a.data(), 1, lda} : Strided{a.data(), lda, 1};
  }
  float at(int r, int p) const { return transposed ? a[p * lda + r] : a[r * lda + p]; }

  std::vector<float> compute(Start start, End end) const {
    std::vector<float> out = c;
    const Finish finish{.tanh = end == End::kTanh,
                        .slope_of = end == End::kSlope ? h.data() : nullptr};
    if (start == Start::kBias) {
      multiply_bias(m, n, k, strided(), bias.data(), b.data(), ldb, out.data(), ldc, finish);
    } else {
      (start == Start::kAdd ? multiply_add : multiply)(m, n, k, strided(), b.data(), ldb,
                                                       out.data(), ldc, finish);
    }
    return out;
  }
};

void check(const Product& x, Start start, End end) {
  const std::vector<float> c = x.compute(start, end);
  for (int r = 0; r < x.m; ++r) {
    for (int j = 0; j < x.ldc; ++j) {
      const int i = static_cast<int>(r * x.ldc) + j;
      if (j >= x.n) {
        ASSERT_EQ(c[i], x.c[i]) << "wrote beyond the row";
        continue;
      }
      const float first =
          start == Start::kZero ? 0.0f : (start == Start::kAdd ? x.c[i] : x.bias[r]);
      double sum = first, size = std::abs(sum);
      float chain = first;
      for (int p = 0; p < x.k; ++p) {
        const float y = x.b[p * x.ldb + j];
        sum += double{x.at(r, p)} * y;
        size += std::abs(double{x.at(r, p)} * y);
        chain = std::fma(x.at(r, p), y, chain);
      }
      const double slope = 1.0 - double{x.h[i]} * x.h[i];
      if (end == End::kTanh) sum = std::tanh(sum);
      if (end == End::kSlope) sum *= slope, size *= std::abs(slope) + 1.0;
      ASSERT_NEAR(c[i], sum, 1e-6 * (size + 1e-3) + 1e-7) << x.m << " " << x.n << " " << x.k;
      if (end == End::kTanh) chain = simd::tanh(simd::broadcast(chain))[0];
      if (end != End::kSlope) {
        ASSERT_EQ(c[i], chain) << x.m << " " << x.n << " " << x.k;
      }
    }
  }
}

TEST(Kernels, ProductsAreChainsOfMultiplyAdds) {
  for (int m : {1, 2, 3, 4, 5, 7, 8, 9, 32}) {
    for (int n : {8, 16, 24, 40, 64}) {
      for (int k : {0, 1, 2, 5, 32, 33}) {
        for (bool transposed : {false, true}) {
          const Product x(m, n, k, transposed);
          for (Start start : {Start::kZero, Start::kAdd, Start::kBias}) {
            for (End end : {End::kPlain, End::kTanh, End::kSlope}) check(x, start, end);
          }
        }
      }
    }
  }
}

TEST(Kernels, AColumnsProductDoesNotDependOnItsPlaceOrOnTheOthers) {
  const int m = 11, k = 13;
  const auto a = random_floats(m * k, 4), column = random_floats(k, 5);
  std::vector<float> first;
  for (int n : {8, 16, 24, 64}) {
    for (int j = 0; j < n; ++j) {
      auto b = random_floats(k * n, 6 + j);
      for (int p = 0; p < k; ++p) b[p * n + j] = column[p];
      std::vector<float> c(m * n), mine(m);
      multiply(m, n, k, {a.data(), k, 1}, b.data(), n, c.data(), n);
      for (int r = 0; r < m; ++r) mine[r] = c[r * n + j];
      if (first.empty()) first = mine;
      ASSERT_EQ(mine, first) << j << " of " << n;
    }
  }
}

TEST(Kernels, Transpose) {
  for (int rows : {0, 1, 3, 7, 8, 9, 16, 23, 64}) {
    for (int cols : {0, 1, 5, 8, 10, 16, 31}) {
      const int ld_in = cols + 3, ld_out = rows + 1;
      const auto in = random_floats(rows * ld_in + 1, 7);
      std::vector<float> out(cols * ld_out + 1, -9.0f);
      transpose(rows, cols, in.data(), ld_in, out.data(), ld_out);
      for (int c = 0; c < cols; ++c) {
        for (int r = 0; r < rows; ++r) ASSERT_EQ(out[c * ld_out + r], in[r * ld_in + c]);
        ASSERT_EQ(out[c * ld_out + rows], -9.0f) << "wrote beyond the row";
      }
    }
  }
}

class Rows : public testing::TestWithParam<int> {
 protected:
  static constexpr int kRows = 5;
  int n_ = GetParam();
  std::vector<float> block_ = random_floats(kRows * kColumns, 8), other_ = random_floats(320, 9);
  std::vector<float> values_ = random_floats(kRows, 10), before_ = block_;

  /// Elements beyond n must stay; the others must be expected(row, column).
  template <class Expected>
  void expect(double tolerance, Expected expected) {
    for (int r = 0; r < kRows; ++r) {
      for (int j = 0; j < kColumns; ++j) {
        const int i = r * kColumns + j;
        if (j >= n_) {
          ASSERT_EQ(block_[i], before_[i]);
        } else {
          ASSERT_NEAR(block_[i], expected(r, i), tolerance);
        }
      }
    }
  }
};

TEST_P(Rows, Add) {
  add_rows(kRows, n_, values_.data(), block_.data());
  expect(0.0, [&](int r, int i) { return before_[i] + values_[r]; });
}

TEST_P(Rows, Tanh) {
  tanh_rows(kRows, n_, block_.data());
  expect(1.2e-7, [&](int, int i) { return std::tanh(double{before_[i]}); });
}

TEST_P(Rows, TanhSlope) {
  scale_by_tanh_slope(kRows, n_, other_.data(), block_.data());
  expect(2e-6,
         [&](int, int i) { return before_[i] * (1.0 - double{other_[i]} * double{other_[i]}); });
}

TEST_P(Rows, Sum) {
  std::vector<float> sums = values_;
  sum_rows(kRows, n_, block_.data(), sums.data());
  for (int r = 0; r < kRows; ++r) {
    double expected = values_[r];
    for (int j = 0; j < n_; ++j) expected += before_[r * kColumns + j];
    EXPECT_NEAR(sums[r], expected, 1e-5);
  }
  expect(0.0, [&](int, int i) { return before_[i]; });
}

INSTANTIATE_TEST_SUITE_P(Columns, Rows, testing::Values(8, 16, 40, 64));

}  // namespace
}  // namespace bpo::kernels
