/* libbpo-runtime: a policy and its filter behind a C ABI, for robots whose filter simulates models
   and for languages that call C. It is bpo/agent/agent.h; what every number is, docs/agent.md says.

     bpo_agent* agent = bpo_load("runs/robot/policy.safetensors");
     if (agent == NULL) return puts(bpo_error(NULL)), 1;
     bpo_reset(agent, seed, episode);
     for (;;) {
       bpo_act(agent, observation, action);
       ... do it, and see what comes of it ...
       bpo_observe(agent, action, observation);
     }
     bpo_free(agent);

   Nothing is thrown. An agent serves one thread at a time. After bpo_load, calls that succeed
   allocate nothing. */
#ifndef BPO_RUNTIME_H
#define BPO_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a function's meaning changes. */
#define BPO_RUNTIME_VERSION 1
int bpo_runtime_version(void);

typedef struct bpo_agent bpo_agent;

/* From a run's policy.safetensors, which is all it needs. NULL if that fails. A greedy agent takes
   the most probable action instead of a random one. */
bpo_agent* bpo_load(const char* path);
bpo_agent* bpo_load_greedy(const char* path);
void bpo_free(bpo_agent* agent);

/* What the last call that failed had to say: of this agent, or, for NULL, of bpo_load in this
   thread and of calls with a NULL agent. These return -1, NULL or NaN. Never NULL; empty if nothing
   failed. */
const char* bpo_error(const bpo_agent* agent);

/* How many numbers these are. */
int bpo_observation_size(const bpo_agent* agent);
int bpo_action_size(const bpo_agent* agent);
int bpo_belief_size(const bpo_agent* agent);
int bpo_estimate_size(const bpo_agent* agent);

/* Names, in the numbers' order; NULL beyond the last. The values are those of an observation or
   an action that is the index of one of few. */
const char* bpo_problem_name(const bpo_agent* agent);
const char* bpo_observation_name(const bpo_agent* agent, int i);
const char* bpo_observation_value_name(const bpo_agent* agent, int i);
const char* bpo_action_name(const bpo_agent* agent, int i);
const char* bpo_action_value_name(const bpo_agent* agent, int i);
const char* bpo_latent_name(const bpo_agent* agent, int i);
/* The limits of an action that is not an index; beyond them it is cut off when it is executed. */
double bpo_action_low(const bpo_agent* agent);
double bpo_action_high(const bpo_agent* agent);

/* These return 0 if all is well and -1 if a call was wrong: bpo_error() says how, and nothing was
   done. A new episode makes the choices of `bpo play --seed SEED --episode EPISODE`. */
int bpo_reset(bpo_agent* agent, uint64_t seed, uint64_t episode);
/* Chooses after this observation: the episode's first, or the one told last. */
int bpo_act(bpo_agent* agent, const double* observation, double* action);
/* Tells the action that was executed, whoever chose it, and what was seen then. 1 if no model
   explains it; the belief has then fallen back to the prior. */
int bpo_observe(bpo_agent* agent, const double* executed, const double* next);

/* What the policy sees of the belief, and the estimate of what is unknown. */
int bpo_belief(const bpo_agent* agent, float* out);
int bpo_estimate(const bpo_agent* agent, float* out);
/* In nats. */
double bpo_entropy(const bpo_agent* agent);

/* Bounds the time of bpo_observe() where the filter simulates models: at most so many per step; 0,
   the default, is all that matter. Models that are left for later steps count as if they explained
   what they have not been asked about: the belief is flatter until they catch up. -1 where a filter
   has to simulate all its models in every step, as those of robot files do whose models are
   particles, keep estimates of the state, or may change; nothing is bounded then. Filters that
   simulate nothing accept any bound. */
int bpo_max_models(bpo_agent* agent, int most);

#ifdef __cplusplus
}
#endif

#endif
