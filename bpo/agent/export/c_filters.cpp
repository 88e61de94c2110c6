#include "bpo/agent/export/c_parts.h"

namespace bpo::c_text {

// Weights are logarithms, shifted so that the largest is 0. Their exponentials are summed in eight
// parts, as a vector of eight does.
const char* const kGridFilter = R"(
#define BPO_FACTORS BPO_POLICY_FACTORS
#define BPO_CELLS BPO_POLICY_CELLS

static void bpo_filter_reset(bpo_policy* p) { memcpy(p->weights, bpo_prior, sizeof bpo_prior); }
static void bpo_filter_begin(bpo_policy* p, const double* o) {
  (void)o;
  bpo_filter_reset(p);
}

#if defined(BPO_POLICY_MOVES) || defined(BPO_POLICY_SEES_ESTIMATE)
static int bpo_best(const double* w) {
  int i, best = 0;
  for (i = 1; i < BPO_CELLS; ++i) best = w[best] < w[i] ? i : best;
  return best;
}
#endif

#ifdef BPO_POLICY_MOVES
static double bpo_quantize(double x) {
  if (!(x > -INFINITY)) return -INFINITY;
  x = x < -0x1p20 ? -0x1p20 : 0x1p20 < x ? 0x1p20 : x;
  return nearbyint(x * 0x1p32) * 0x1p-32;
}
static void bpo_move(double* w, const double* transition) {
  double moved[BPO_CELLS] = {0.0}, top;
  int i, k;
  for (i = 0; i < BPO_CELLS; ++i) {
    const double weight = exp(w[i]);
    for (k = 0; k < BPO_CELLS; ++k) moved[k] += weight * transition[i * BPO_CELLS + k];
  }
  top = moved[bpo_best(moved)];
  for (i = 0; i < BPO_CELLS; ++i) w[i] = bpo_quantize(log(moved[i] / top));
}
#endif

static int bpo_filter_update(bpo_policy* p, const double* next) {
  const int before = (int)p->observation[0], a = (int)p->executed[0], now = (int)next[0];
  const int kind = bpo_kind[(before * BPO_POLICY_CHOICES + a) * BPO_POLICY_VALUES + now];
  int f, i, alive = 1;
  for (f = 0; f < BPO_FACTORS; ++f) {
    double* w = p->weights + f * BPO_CELLS;
    const double* e = bpo_evidence + (kind * BPO_FACTORS + f) * BPO_CELLS;
    double top = -INFINITY;
    for (i = 0; i < BPO_CELLS; ++i) {
      const double x = w[i] + e[i];
      top = top < x ? x : top;
    }
    if (top > -INFINITY) {
      for (i = 0; i < BPO_CELLS; ++i) w[i] = w[i] + e[i] - top;
    } else {
      alive = 0;
    }
  }
  if (!alive) {
    bpo_filter_reset(p);
    return 0;
  }
#ifdef BPO_POLICY_MOVES
  if (bpo_moves[kind] >= 0) {
    for (f = 0; f < BPO_FACTORS; ++f) {
      bpo_move(p->weights + f * BPO_CELLS,
               bpo_transition + bpo_moves[kind] * BPO_CELLS * BPO_CELLS);
    }
  }
#endif
  return 1;
}

static void bpo_filter_write(bpo_policy* p) {
  int f;
  for (f = 0; f < BPO_FACTORS; ++f) {
    const double* w = p->weights + f * BPO_CELLS;
#ifdef BPO_POLICY_SEES_ESTIMATE
    p->belief[f] = (float)bpo_values[bpo_best(w)];
#else
    float* b = p->belief + f * BPO_CELLS;
    float t[8] = {0.0f}, scale;
    int i;
    for (i = 0; i < BPO_CELLS; ++i) {
      const float x = (float)w[i], e = bpo_exp(x);
      b[i] = x > -80.0f ? e : 0.0f;
    }
    for (i = 0; i < BPO_CELLS; ++i) t[i % 8] += b[i];
    scale = 1.0f / (((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7])));
    for (i = 0; i < BPO_CELLS; ++i) b[i] *= scale;
#endif
  }
}
)";

// Probabilities of the hidden states, and lists of those that are possible, whose order decides the
// order of sums.
const char* const kStateFilter = R"(
#define BPO_HIDDEN_STATES BPO_POLICY_HIDDEN_STATES

static void bpo_add(bpo_policy* p, int y, double value) {
  if (p->next[y] == 0.0 && value > 0.0) p->to[p->to_count++] = y;
  p->next[y] += value;
}
static void bpo_clear(bpo_policy* p) {
  memset(p->probability, 0, sizeof p->probability);
  memset(p->next, 0, sizeof p->next);
  p->possible_count = p->to_count = 0;
}
static int bpo_finish(bpo_policy* p) {
  double sum = 0.0;
  int i;
  for (i = 0; i < p->to_count; ++i) sum += p->next[p->to[i]];
  p->possible_count = 0;
  for (i = 0; i < p->to_count; ++i) {
    const int y = p->to[i];
    const double q = sum > 0.0 ? p->next[y] / sum : 0.0;
    p->next[y] = 0.0;
    p->probability[y] = q > 1e-200 ? q : 0.0;
    if (q > 1e-200) p->possible[p->possible_count++] = y;
  }
  p->to_count = 0;
  return p->possible_count > 0;
}
static void bpo_add_first(bpo_policy* p, int x) {
  int y;
  for (y = 0; y < BPO_HIDDEN_STATES; ++y) bpo_add(p, y, bpo_initial[x * BPO_HIDDEN_STATES + y]);
}

static void bpo_filter_reset(bpo_policy* p) {
  int x;
  bpo_clear(p);
  for (x = 0; x < BPO_POLICY_SEEN_STATES; ++x) bpo_add_first(p, x);
  bpo_finish(p);
}
static void bpo_filter_begin(bpo_policy* p, const double* o) {
  bpo_clear(p);
  bpo_add_first(p, BPO_SEEN(o));
  if (!bpo_finish(p)) bpo_filter_reset(p);
}

/* The first entry of a row whose column is not below `column`. */
static int bpo_first_from(const bpo_rows* m, int row, int column) {
  int low = m->start[row], high = m->start[row + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (m->column[middle] < column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static int bpo_filter_update(bpo_policy* p, const double* next) {
  const bpo_rows* moves = &bpo_transitions[(int)p->executed[0]];
  const bpo_rows* sights = &bpo_observations[(int)p->executed[0]];
  const int from = BPO_SEEN(p->observation) * BPO_HIDDEN_STATES;
  const int to = BPO_SEEN(next) * BPO_HIDDEN_STATES, heard = BPO_HEARD(next);
  int i, e;
  for (i = 0; i < p->possible_count; ++i) {
    const int y = p->possible[i];
    for (e = bpo_first_from(moves, from + y, to);
         e < moves->start[from + y + 1] && moves->column[e] < to + BPO_HIDDEN_STATES; ++e) {
      bpo_add(p, moves->column[e] - to, p->probability[y] * moves->value[e]);
    }
    p->probability[y] = 0.0;
  }
  for (i = 0; i < p->to_count; ++i) {
    const int y = p->to[i];
    e = bpo_first_from(sights, to + y, heard);
    p->next[y] *= e < sights->start[to + y + 1] && sights->column[e] == heard ? sights->value[e]
                                                                              : 0.0;
  }
  if (bpo_finish(p)) return 1;
  bpo_filter_reset(p);
  return 0;
}

/* To 18 binary digits. */
static float bpo_rounded(double q) {
  return bpo_float((bpo_bits((float)q) + 0x20u) & ~0x3Fu);
}
static void bpo_filter_write(bpo_policy* p) {
  int i;
  memset(p->belief, 0, sizeof p->belief);
#ifdef BPO_POLICY_SEES_ESTIMATE
  {
    int best = p->possible[0];
    for (i = 0; i < p->possible_count; ++i) {
      const int y = p->possible[i];
      const float q = bpo_rounded(p->probability[y]), top = bpo_rounded(p->probability[best]);
      if (q > top || (q == top && y < best)) best = y;
    }
    if (BPO_POLICY_BELIEFS == 1) {
      p->belief[0] = (float)best / (float)BPO_HIDDEN_STATES;
    } else {
      p->belief[best] = 1.0f;
    }
  }
#else
  for (i = 0; i < p->possible_count; ++i) {
    p->belief[p->possible[i]] = bpo_rounded(p->probability[p->possible[i]]);
  }
#endif
}
)";

}  // namespace bpo::c_text
