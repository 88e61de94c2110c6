#include "bpo/nn/kernels.h"

#include "bpo/core/simd.h"

namespace bpo::kernels {
namespace {

using simd::Vec;

enum class Start { kZero, kAdd, kBias };
enum class End { kPlain, kTanh, kSlope };

// One product as the kernels see it; the pointers move from panel to panel.
struct Operands {
  int k;
  Strided a;
  const float* b;
  std::ptrdiff_t ldb;
  float* c;
  std::ptrdiff_t ldc;
  const float* bias;
  const float* h;

  Operands row(int i) const {
    return {k,
            {a.data + i * a.row, a.row, a.col},
            b,
            ldb,
            c + i * ldc,
            ldc,
            bias ? bias + i : nullptr,
            h ? h + i * ldc : nullptr};
  }
  Operands column(int j) const { return {k, a, b + j, ldb, c + j, ldc, bias, h ? h + j : nullptr}; }
};

// The derivative of tanh where its value is h.
inline Vec slope(Vec h) { return simd::fma(-h, h, simd::broadcast(1.0f)); }

// Up to 6 x 16 accumulators: enough to hide the latency of the multiply-adds on two ports, and as
// many as there are registers for.
template <int kRows, int kVecs, Start kStart, End kEnd>
inline void micro(const Operands& o) {
  Vec sum[kRows][kVecs];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVecs; ++v) {
      if constexpr (kStart == Start::kZero) sum[r][v] = Vec{};
      if constexpr (kStart == Start::kAdd) sum[r][v] = simd::load(o.c + r * o.ldc + 8 * v);
      // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): who starts from a bias has one
      if constexpr (kStart == Start::kBias) sum[r][v] = simd::broadcast(o.bias[r]);
    }
  }
  for (int p = 0; p < o.k; ++p) {
    Vec row[kVecs];
    for (int v = 0; v < kVecs; ++v) row[v] = simd::load(o.b + p * o.ldb + 8 * v);
    for (int r = 0; r < kRows; ++r) {
      const float x = o.a.data[r * o.a.row + p * o.a.col];
      for (int v = 0; v < kVecs; ++v) sum[r][v] = simd::fma(row[v], x, sum[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVecs; ++v) {
      Vec result = sum[r][v];
      if constexpr (kEnd == End::kTanh) result = simd::tanh(result);
      if constexpr (kEnd == End::kSlope) result *= slope(simd::load(o.h + r * o.ldc + 8 * v));
      simd::store(o.c + r * o.ldc + 8 * v, result);
    }
  }
}

template <int kVecs, Start kStart, End kEnd>
inline void panel(int m, const Operands& o) {
  int i = 0;
  for (; m - i > 8; i += 6) micro<6, kVecs, kStart, kEnd>(o.row(i));
  if (m - i > 6) {  // two of about the same height
    micro<4, kVecs, kStart, kEnd>(o.row(i));
    i += 4;
  }
  switch (m - i) {
    case 6:
      return micro<6, kVecs, kStart, kEnd>(o.row(i));
    case 5:
      return micro<5, kVecs, kStart, kEnd>(o.row(i));
    case 4:
      return micro<4, kVecs, kStart, kEnd>(o.row(i));
    case 3:
      return micro<3, kVecs, kStart, kEnd>(o.row(i));
    case 2:
      return micro<2, kVecs, kStart, kEnd>(o.row(i));
    case 1:
      return micro<1, kVecs, kStart, kEnd>(o.row(i));
    default:
      return;
  }
}

template <Start kStart, End kEnd>
void panels(int m, int n, const Operands& o) {
  int j = 0;
  for (; j + 16 <= n; j += 16) panel<2, kStart, kEnd>(m, o.column(j));
  if (j < n) panel<1, kStart, kEnd>(m, o.column(j));
}

template <Start kStart>
void product(int m, int n, Operands o, Finish finish) {
  o.h = finish.slope_of;
  if (finish.tanh) return panels<kStart, End::kTanh>(m, n, o);
  if (finish.slope_of) return panels<kStart, End::kSlope>(m, n, o);
  panels<kStart, End::kPlain>(m, n, o);
}

inline void transpose8(const float* in, std::ptrdiff_t ld_in, float* out, std::ptrdiff_t ld_out) {
  Vec r[8], s[8];
  for (int i = 0; i < 8; ++i) r[i] = simd::load(in + i * ld_in);
  for (int i = 0; i < 8; i += 2) {
    s[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    s[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = __builtin_shufflevector(s[i], s[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    r[i + 1] = __builtin_shufflevector(s[i], s[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    r[i + 2] = __builtin_shufflevector(s[i + 1], s[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    r[i + 3] = __builtin_shufflevector(s[i + 1], s[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; ++i) {
    simd::store(out + i * ld_out,
                __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11));
    simd::store(out + (i + 4) * ld_out,
                __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15));
  }
}

}  // namespace

void multiply(int m, int n, int k, Strided a, const float* b, std::ptrdiff_t ldb, float* c,
              std::ptrdiff_t ldc, Finish finish) {
  product<Start::kZero>(m, n, {k, a, b, ldb, c, ldc, nullptr, nullptr}, finish);
}

void multiply_add(int m, int n, int k, Strided a, const float* b, std::ptrdiff_t ldb, float* c,
                  std::ptrdiff_t ldc, Finish finish) {
  product<Start::kAdd>(m, n, {k, a, b, ldb, c, ldc, nullptr, nullptr}, finish);
}

void multiply_bias(int m, int n, int k, Strided a, const float* bias, const float* b,
                   std::ptrdiff_t ldb, float* c, std::ptrdiff_t ldc, Finish finish) {
  product<Start::kBias>(m, n, {k, a, b, ldb, c, ldc, bias, nullptr}, finish);
}

void transpose(int rows, int cols, const float* in, std::ptrdiff_t ld_in, float* out,
               std::ptrdiff_t ld_out) {
  const int whole_rows = rows / 8 * 8, whole_cols = cols / 8 * 8;
  for (int r = 0; r < whole_rows; r += 8) {
    for (int c = 0; c < whole_cols; c += 8) {
      transpose8(in + r * ld_in + c, ld_in, out + c * ld_out + r, ld_out);
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int c = r < whole_rows ? whole_cols : 0; c < cols; ++c) {
      out[c * ld_out + r] = in[r * ld_in + c];
    }
  }
}

void add_rows(int rows, int n, const float* values, float* c) {
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < n; i += 8) {
      float* p = c + r * kColumns + i;
      simd::store(p, simd::load(p) + values[r]);
    }
  }
}

void scale_rows(int rows, int n, float factor, float* c) {
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < n; i += 8) {
      float* p = c + r * kColumns + i;
      simd::store(p, factor * simd::load(p));
    }
  }
}

void tanh_rows(int rows, int n, float* c) {
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < n; i += 8) {
      float* p = c + r * kColumns + i;
      simd::store(p, simd::tanh(simd::load(p)));
    }
  }
}

void scale_by_tanh_slope(int rows, int n, const float* h, float* c) {
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < n; i += 8) {
      float* p = c + r * kColumns + i;
      simd::store(p, simd::load(p) * slope(simd::load(h + r * kColumns + i)));
    }
  }
}

void sum_rows(int rows, int n, const float* c, float* sums) {
  for (int r = 0; r < rows; ++r) {
    Vec total{};
    for (int i = 0; i < n; i += 8) total += simd::load(c + r * kColumns + i);
    sums[r] += simd::sum(total);
  }
}

}  // namespace bpo::kernels
