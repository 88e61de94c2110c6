/* A policy that `bpo train tiger` made, behind doors of our own, through libbpo-runtime.
     cc tiger.c $(pkg-config --cflags --libs bpo-runtime) -o tiger
     ./tiger runs/tiger-0/policy.safetensors */
#include <stdio.h>
#include <stdlib.h>

#include "bpo_runtime.h"

static int coin(double probability) { return rand() < probability * RAND_MAX; }

int main(int argc, char** argv) {
  bpo_agent* agent = argc == 2 ? bpo_load(argv[1]) : NULL;
  double total = 0.0;
  int episode, t, i;
  if (argc != 2) return puts("tiger POLICY"), 2;
  if (agent == NULL) return fprintf(stderr, "%s\n", bpo_error(NULL)), 1;
  for (i = 0; bpo_action_value_name(agent, i) != NULL; ++i) {
    printf("action %d: %s\n", i, bpo_action_value_name(agent, i));
  }
  srand(1);
  for (episode = 0; episode < 200; ++episode) {
    double heard = 2, action, weight = 1; /* 0: left, 1: right, 2: nothing */
    int tiger = coin(0.5);
    bpo_reset(agent, 1, (uint64_t)episode);
    for (t = 0; t < 100; ++t, weight *= 0.95) {
      if (bpo_act(agent, &heard, &action) != 0) return puts(bpo_error(agent)), 1;
      if (action == 0) {
        total -= weight;
        heard = coin(0.85) ? tiger : 1 - tiger;
      } else {
        total += weight * (tiger == action - 1 ? -100 : 10);
        tiger = coin(0.5), heard = 2;
      }
      if (bpo_observe(agent, &action, &heard) < 0) return puts(bpo_error(agent)), 1;
    }
  }
  printf("tiger: return %.2f\n", total / 200);
  bpo_free(agent);
  return 0;
}
