#include "bpo/agent/export/c_parts.h"

namespace bpo::c_text {

// The matrices of filters/ekf.h are multiples of the identity here, so that each of its products
// has one term that is not zero.
const char* const kKalmanFilter = R"(
static double bpo_between(double x, double low, double high) {
  return x < low ? low : high < x ? high : x;
}
#ifndef BPO_POLICY_LEAK
static double bpo_noise_at(double x) {
  const double sd = fabs(x - bpo_light) / sqrt(2.0) + bpo_least_sd;
  return sd * sd;
}
#endif

static void bpo_filter_reset(bpo_policy* p) {
  memcpy(p->mean, bpo_prior_mean, sizeof p->mean);
  p->variance = bpo_prior_variance;
}
static void bpo_filter_begin(bpo_policy* p, const double* o) {
  (void)o;
  bpo_filter_reset(p);
}

/* Strides are cut off at their limits, and so are places at the walls. */
static void bpo_stride(bpo_policy* p) {
  int i;
  for (i = 0; i < 2; ++i) {
    const double a = bpo_between((float)p->executed[i], -bpo_longest, bpo_longest);
    p->mean[i] = bpo_between(p->mean[i] + a, bpo_low[i], bpo_high[i]);
  }
}

static int bpo_filter_update(bpo_policy* p, const double* next) {
  double good;
  bpo_stride(p);
#ifdef BPO_POLICY_MOMENT
  bpo_posterior(p, next);
  good = p->variance;
#else
  {
    const double v = p->variance;
#ifdef BPO_POLICY_LEAK
    const double r = next[4] * next[4];
#else
    const double r = bpo_noise_at(p->mean[0]) + 0.5 * v;
#endif
    const double s = v + r, inverse = s * (1.0 / (s * s));
    const double gain = v * inverse, keep = 1.0 - gain;
    int i;
    p->variance = keep * v * keep + gain * r * gain;
    for (i = 0; i < 2; ++i) p->mean[i] += gain * (next[i] - p->mean[i]);
    good = isfinite(p->variance) ? p->variance * p->variance : 0.0;
  }
#endif
  if (isfinite(p->mean[0]) && isfinite(p->mean[1]) && good > 0.0) return 1;
  bpo_filter_reset(p);
  return 0;
}

static void bpo_filter_write(bpo_policy* p) {
  p->belief[0] = (float)p->mean[0];
  p->belief[1] = (float)p->mean[1];
#ifndef BPO_POLICY_SEES_ESTIMATE
  p->belief[2] = (float)p->variance;
#endif
}
)";

// Comes before the Kalman filter's text, which it takes the place of the update in.
const char* const kMomentFilter = R"(
static double bpo_noise_at(double x);

typedef struct {
  double top, one, x, xx, y, yy;
} bpo_sums;

#define BPO_LOG_ROOT_TWO_PI 0.9189385332046727

/* log P(N(0, 1) < k) */
static double bpo_log_normal_below(double k) {
  if (k > -30.0) return log(0.5 * erfc(-k / 1.4142135623730951));
  return -0.5 * k * k - log(-k) - BPO_LOG_ROOT_TWO_PI;
}

/* What z says at a node that is dx from the prior's mean and stands for `width` of x. */
static void bpo_node(bpo_sums* sums, double dx, double width, const double* mean, double s,
                     const double* z) {
  const double x = mean[0] + dx, w = bpo_noise_at(x), t = s + w, root = sqrt(t), m = mean[1];
  const int above = z[1] >= bpo_high[1];
  double y_mean, y_variance, y_exponent, y_factor = 1.0, exponent, factor = 1.0, weight;
  if (!above && z[1] > bpo_low[1]) {
    y_mean = s / t * (z[1] - m);
    y_variance = s * w / t;
    y_exponent = -0.5 * (z[1] - m) * (z[1] - m) / t;
    y_factor = 1.0 / root;
  } else {
    const double k = (above ? m - bpo_high[1] : bpo_low[1] - m) / root;
    const double q = bpo_log_normal_below(k);
    const double l = exp(-0.5 * k * k - BPO_LOG_ROOT_TWO_PI - q), shift = s / root * l;
    const double cut = l * (l + k);
    y_mean = above ? shift : -shift;
    y_variance = s - s * s / t * (cut < 0.0 ? 0.0 : 1.0 < cut ? 1.0 : cut);
    y_exponent = q;
  }
  if (z[0] >= bpo_high[0]) {
    exponent = bpo_log_normal_below((x - bpo_high[0]) / sqrt(w));
  } else if (z[0] <= bpo_low[0]) {
    exponent = bpo_log_normal_below((bpo_low[0] - x) / sqrt(w));
  } else {
    exponent = -0.5 * (z[0] - x) * (z[0] - x) / w;
    factor = 1.0 / sqrt(w);
  }
  exponent = -0.5 * dx * dx / s + exponent + y_exponent;
  if (exponent > sums->top) {
    const double shrink = exp(sums->top - exponent);
    sums->one *= shrink;
    sums->x *= shrink;
    sums->xx *= shrink;
    sums->y *= shrink;
    sums->yy *= shrink;
    sums->top = exponent;
  }
  weight = width * factor * y_factor * exp(exponent - sums->top);
  sums->one += weight;
  sums->x += weight * dx;
  sums->xx += weight * dx * dx;
  sums->y += weight * y_mean;
  sums->yy += weight * (y_mean * y_mean + y_variance);
}

/* The Gaussian with the moments of the posterior, by quadrature over x: nodes evenly spaced in
   tau(x) = x / sd + asinh((x - offset) / scale), found by Newton's method. */
static void bpo_posterior(bpo_policy* p, const double* z) {
  const double s = p->variance, sd = sqrt(s), offset = bpo_light - p->mean[0];
  const double far = 0.25 * fabs(z[0] - bpo_light), least = sqrt(bpo_noise_at(bpo_light));
  const double scale = far < least ? least : far, reach = 6.0 * sd;
  const double first = -6.0 * sd / sd + asinh((-6.0 * sd - offset) / scale);
  const double last = reach / sd + asinh((reach - offset) / scale);
  const int steps = (int)ceil((last - first) / 0.4);
  const double step = (last - first) / steps;
  bpo_sums sums = {-INFINITY, 0.0, 0.0, 0.0, 0.0, 0.0};
  double v = asinh((-6.0 * sd - offset) / scale), shift_x, shift_y, both;
  int i, k;
  for (i = 0; i <= steps; ++i) {
    const double want = first + i * step;
    double wide = 0.0, x = 0.0;
    for (k = 0; k < 2; ++k) {
      const double e = exp(v);
      x = offset + 0.5 * scale * (e - 1.0 / e);
      wide = 0.5 * scale * (e + 1.0 / e);
      v += (want - x / sd - v) / (wide / sd + 1.0);
    }
    bpo_node(&sums, x, 1.0 / (1.0 / sd + 1.0 / wide), p->mean, s, z);
    v += step / (wide / sd + 1.0);
  }
  shift_x = sums.x / sums.one;
  shift_y = sums.y / sums.one;
  both = (sums.xx + sums.yy) / sums.one - (shift_x * shift_x + shift_y * shift_y);
  p->mean[0] += shift_x;
  p->mean[1] += shift_y;
  p->variance = 0.5 * both < 1e-18 ? 1e-18 : 0.5 * both;
}
)";

}  // namespace bpo::c_text
