// The dense kernels under the networks. Blocks are feature-major: `rows` x 64 columns, a row's
// columns contiguous. An element's result is one chain of fused multiply-adds in index order, so it
// does not depend on its position or on how many columns are computed with it.
#pragma once

#include <cstddef>

namespace bpo::kernels {

inline constexpr int kColumns = 64;

/// A matrix with any strides; only broadcast from, so transposing it is free.
struct Strided {
  const float* data;
  std::ptrdiff_t row, col;
};

/// What is done to a result before it is stored, while it is still in registers.
struct Finish {
  bool tanh = false;
  const float* slope_of = nullptr;  // scale by 1 - h^2, h laid out like C
};

/// C (m x n) = A (m x k) B (k x n). B and C are row-major and n is a multiple of 8.
void multiply(int m, int n, int k, Strided a, const float* b, std::ptrdiff_t ldb, float* c,
              std::ptrdiff_t ldc, Finish finish = {});
/// C += A B.
void multiply_add(int m, int n, int k, Strided a, const float* b, std::ptrdiff_t ldb, float* c,
                  std::ptrdiff_t ldc, Finish finish = {});
/// C = A B + bias, one number per row.
void multiply_bias(int m, int n, int k, Strided a, const float* bias, const float* b,
                   std::ptrdiff_t ldb, float* c, std::ptrdiff_t ldc, Finish finish = {});

/// out (cols x rows, stride ld_out) = in (rows x cols, stride ld_in) transposed.
void transpose(int rows, int cols, const float* in, std::ptrdiff_t ld_in, float* out,
               std::ptrdiff_t ld_out);

/// Rows x n of a block (n a multiple of 8):
void add_rows(int rows, int n, const float* values, float* c);        // c[r][.] += values[r]
void scale_rows(int rows, int n, float factor, float* c);             // c *= factor
void tanh_rows(int rows, int n, float* c);                            // c = tanh(c)
void scale_by_tanh_slope(int rows, int n, const float* h, float* c);  // c *= 1 - h^2
void sum_rows(int rows, int n, const float* c, float* sums);          // sums[r] += sum c[r][.]

}  // namespace bpo::kernels
