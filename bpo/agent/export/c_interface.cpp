#include "bpo/agent/export/c_parts.h"

namespace bpo::c_text {

const char* const kUsage =
    R"(   In one source file, before including this header: #define BPO_POLICY_IMPLEMENTATION. C99 and
   math.h are all it needs; it allocates nothing, and a policy is a struct of yours:
     bpo_policy p;
     bpo_policy_reset(&p, seed, episode);              a new episode: the belief is the prior
     for (;;) {
       read(observation);
       bpo_policy_step(&p, observation, action);       takes it in and chooses
       apply(action);
       bpo_policy_executed(&p, done);                  only if something else was done
     }
   contract.json says what every number is. With the seed and episode of `bpo play` it makes the
   same choices; bpo_policy_greedy(&p, 1) after a reset takes the most probable action instead.
)";

const char* const kDeclarations = R"(
/* Policies of one program are in a source file each, where this is `static`. */
#ifndef BPO_POLICY_API
#define BPO_POLICY_API
#endif

/* Begins an episode; random choices are a function of both numbers and of the step. */
BPO_POLICY_API void bpo_policy_reset(bpo_policy* p, uint64_t seed, uint64_t episode);
BPO_POLICY_API void bpo_policy_greedy(bpo_policy* p, int greedy);
/* 0: fine. 1: no model explains the observation, and the belief fell back to the prior. -1: a
   number is not finite or not one of its indices; nothing was done. */
BPO_POLICY_API int bpo_policy_step(bpo_policy* p, const double* observation, double* action);
/* What was executed since the last step, where it is not what was chosen. */
BPO_POLICY_API int bpo_policy_executed(bpo_policy* p, const double* action);
)";

const char* const kSoftmax = R"(  {
    float most = p->output[0], total = 0.0f;
    for (i = 1; i < BPO_POLICY_OUTPUTS; ++i) most = most > p->output[i] ? most : p->output[i];
    for (i = 0; i < BPO_POLICY_OUTPUTS; ++i) {
      p->output[i] = bpo_exp(p->output[i] - most);
      total += p->output[i];
    }
    total = 1.0f / total;
    for (i = 0; i < BPO_POLICY_OUTPUTS; ++i) p->output[i] = p->output[i] * total;
  }
)";

const char* const kDiscreteChoice = R"(
static void bpo_choose(bpo_policy* p, double* action) {
  int i, best = 0;
  if (p->greedy) {
    for (i = 1; i < BPO_POLICY_OUTPUTS; ++i) best = p->output[best] < p->output[i] ? i : best;
  } else {
    bpo_random g;
    double u, below = 0.0;
    bpo_random_begin(&g, p);
    u = bpo_uniform(&g);
    for (; best + 1 < BPO_POLICY_OUTPUTS; ++best) {
      below += p->output[best];
      if (u < below) break;
    }
  }
  action[0] = best;
}
)";

const char* const kGaussianChoice = R"(
static double bpo_normal(bpo_random* g) {
  double radius, angle;
  if (g->has_spare) {
    g->has_spare = 0;
    return g->spare;
  }
  radius = sqrt(-2.0 * log(bpo_uniform(g)));
  angle = 6.283185307179586 * bpo_uniform(g);
  g->spare = radius * sin(angle);
  g->has_spare = 1;
  return radius * cos(angle);
}

static void bpo_choose(bpo_policy* p, double* action) {
  bpo_random g;
  int i;
  bpo_random_begin(&g, p);
  for (i = 0; i < BPO_POLICY_ACTIONS; ++i) {
    const double noise = p->greedy ? 0.0 : BPO_SPREAD(i) * bpo_normal(&g);
    action[i] = (float)(p->output[i] + noise);
  }
}
)";

const char* const kInterface = R"(
BPO_POLICY_API void bpo_policy_reset(bpo_policy* p, uint64_t seed, uint64_t episode) {
  /* SplitMix64, for the episodes that policies are measured on. */
  uint64_t z = seed + UINT64_C(0x9E3779B97F4A7C15) * 3u;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  memset(p, 0, sizeof *p);
  p->seed = z ^ (z >> 31);
  p->episode = episode;
  bpo_filter_reset(p);
  if (BPO_POLICY_FILTER_INSIDE) bpo_filter_write(p);
}

BPO_POLICY_API void bpo_policy_greedy(bpo_policy* p, int greedy) { p->greedy = greedy; }

BPO_POLICY_API int bpo_policy_step(bpo_policy* p, const double* observation, double* action) {
  int i, alive = 1;
  for (i = 0; i < BPO_POLICY_OBSERVATIONS; ++i) {
    const double x = observation[i];
    const int size = bpo_index_sizes[i];
    if (!isfinite(x) || (size > 0 && !(x >= 0.0 && x < size && x == floor(x)))) return -1;
  }
  if (p->begun) {
    alive = bpo_filter_update(p, observation);
    ++p->time;
  } else {
    bpo_filter_begin(p, observation);
    p->begun = 1;
  }
  memcpy(p->observation, observation, sizeof p->observation);
  bpo_filter_write(p);
  bpo_network(p, observation);
  bpo_choose(p, action);
  memcpy(p->executed, action, sizeof p->executed);
  return !alive;
}

BPO_POLICY_API int bpo_policy_executed(bpo_policy* p, const double* action) {
  int i;
  for (i = 0; i < BPO_POLICY_ACTIONS; ++i) {
    if (!isfinite(action[i])) return -1;
#ifdef BPO_POLICY_CHOICE_COUNT
    if (!(action[i] >= 0.0 && action[i] < BPO_POLICY_CHOICE_COUNT)) return -1;
    if (action[i] != floor(action[i])) return -1;
#endif
  }
  memcpy(p->executed, action, sizeof p->executed);
  return 0;
}
)";

const char* const kSetBelief = R"(
BPO_POLICY_API int bpo_policy_set_belief(bpo_policy* p, const float* belief) {
  int i;
  for (i = 0; i < BPO_POLICY_BELIEFS; ++i) {
    if (!isfinite(belief[i])) return -1;
  }
  memcpy(p->belief, belief, sizeof p->belief);
  return 0;
}
)";

}  // namespace bpo::c_text
