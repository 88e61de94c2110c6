#include "bpo/agent/export/c_parts.h"

namespace bpo::c_text {

// A row of outputs is computed for all inputs before the next four come: each output is still one
// chain of fused multiply-adds in index order.
const char* const kNumbers = R"(
/* A compiler that fuses multiplications and additions by itself changes bits. GCC does so unless
   it is told -std=c99 or -ffp-contract=off. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

/* a * b + c, rounded once. Without such an instruction it is slow: define BPO_POLICY_FMA(a, b, c)
   as (a) * (b) + (c), and results differ in their last digits. */
#ifndef BPO_POLICY_FMA
#define BPO_POLICY_FMA(a, b, c) fmaf((a), (b), (c))
#endif

static uint32_t bpo_bits(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
static float bpo_float(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}

/* `inline`, for only then does GCC compute several at once. */
static inline float bpo_exp(float x) {
  float shifted, n, r, p;
  x = -87.0f > x ? -87.0f : x;
  x = 88.0f < x ? 88.0f : x;
  shifted = BPO_POLICY_FMA(x, 1.44269504088896341f, 12582912.0f);
  n = shifted - 12582912.0f;
  r = BPO_POLICY_FMA(n, 2.12194440e-4f, BPO_POLICY_FMA(n, -0.693359375f, x));
  p = BPO_POLICY_FMA(1.9875691500e-4f, r, 1.3981999507e-3f);
  p = BPO_POLICY_FMA(p, r, 8.3334519073e-3f);
  p = BPO_POLICY_FMA(p, r, 4.1665795894e-2f);
  p = BPO_POLICY_FMA(p, r, 1.6666665459e-1f);
  p = BPO_POLICY_FMA(p, r, 5.0000001201e-1f);
  p = BPO_POLICY_FMA(p, r * r, r + 1.0f);
  return p * bpo_float((bpo_bits(shifted) - 0x4B400000u + 127u) << 23);
}

static inline float bpo_tanh(float x) {
  const float a = bpo_float(bpo_bits(x) & 0x7FFFFFFFu);
  const float far = 1.0f - 2.0f / (bpo_exp(a + a) + 1.0f);
  const float z = x * x;
  float p = BPO_POLICY_FMA(-5.70498872745e-3f, z, 2.06390887954e-2f), near, signed_far;
  p = BPO_POLICY_FMA(p, z, -5.37397155531e-2f);
  p = BPO_POLICY_FMA(p, z, 1.33314422036e-1f);
  p = BPO_POLICY_FMA(p, z, -3.33332819422e-1f);
  near = BPO_POLICY_FMA(p * z, x, x);
  signed_far = bpo_float(bpo_bits(far) | (bpo_bits(x) & 0x80000000u));
  return a < 0.625f ? near : signed_far;
}

/* y += W x, W stored input by input; every y is one chain of multiply-adds in the inputs' order. */
static void bpo_product(int in, int out, const float* restrict w, const float* restrict x,
                        float* restrict y) {
  int i = 0, r;
  for (; i + 4 <= in; i += 4, w += 4 * out) {
    const float a = x[i], b = x[i + 1], c = x[i + 2], d = x[i + 3];
    for (r = 0; r < out; ++r) {
      float sum = BPO_POLICY_FMA(w[r], a, y[r]);
      sum = BPO_POLICY_FMA(w[out + r], b, sum);
      sum = BPO_POLICY_FMA(w[2 * out + r], c, sum);
      y[r] = BPO_POLICY_FMA(w[3 * out + r], d, sum);
    }
  }
  for (; i < in; ++i, w += out) {
    for (r = 0; r < out; ++r) y[r] = BPO_POLICY_FMA(w[r], x[i], y[r]);
  }
}

/* y = W x + bias */
static void bpo_dense(int in, int out, const float* restrict w, const float* restrict bias,
                      const float* restrict x, float* restrict y) {
  memcpy(y, bias, (size_t)out * sizeof(float));
  bpo_product(in, out, w, x, y);
}

static void bpo_tanh_all(int n, float* x) {
  int i;
  for (i = 0; i < n; ++i) x[i] = bpo_tanh(x[i]);
}
)";

// Random123's Philox4x32-10, as bpo/core/rng.h uses it for Use::kAction.
const char* const kRandom = R"(
typedef struct {
  uint32_t key[2], counter[4], block[4];
  int left, has_spare;
  double spare;
} bpo_random;

static void bpo_philox(bpo_random* g) {
  uint32_t k0 = g->key[0], k1 = g->key[1], *b = g->block;
  int round;
  memcpy(b, g->counter, sizeof g->block);
  for (round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const uint64_t p = (uint64_t)0xD2511F53u * b[0], q = (uint64_t)0xCD9E8D57u * b[2];
    b[0] = (uint32_t)(q >> 32) ^ b[1] ^ k0;
    b[1] = (uint32_t)q;
    b[2] = (uint32_t)(p >> 32) ^ b[3] ^ k1;
    b[3] = (uint32_t)p;
  }
}

/* The numbers of one step: a function of seed, episode and step alone. */
static void bpo_random_begin(bpo_random* g, const bpo_policy* p) {
  g->key[0] = (uint32_t)p->seed;
  g->key[1] = (uint32_t)(p->seed >> 32);
  g->counter[0] = (uint32_t)p->episode;
  g->counter[1] = (uint32_t)(p->episode >> 32);
  g->counter[2] = p->time;
  g->counter[3] = 4u << 24;
  g->left = g->has_spare = 0;
}

/* In (0, 1). */
static double bpo_uniform(bpo_random* g) {
  if (g->left == 0) {
    bpo_philox(g);
    ++g->counter[3];
    g->left = 4;
  }
  return (g->block[--g->left] + 0.5) * 0x1p-32;
}
)";

}  // namespace bpo::c_text
