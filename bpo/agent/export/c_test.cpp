#include <fmt/format.h>

#include "bpo/agent/export/c_parts.h"
#include "bpo/agent/export/c_source.h"

namespace bpo {

namespace c_text {

const char* const kSelfTest = R"(
typedef struct {
  int sequences, steps;
  int different;  /* steps of which some bit differs */
  int choices;    /* steps with another action, where actions are indices */
  int verdicts;   /* steps with another verdict on whether a model explains what was seen */
  double largest; /* difference of any number, relative where the number is above 1 */
} bpo_policy_report;

/* Infinite where either is not a finite number. */
static double bpo_gap(double x, double y) {
  const double size = fabs(y) > 1.0 ? fabs(y) : 1.0, gap = fabs(x - y) / size;
  return gap >= 0.0 ? gap : INFINITY;
}

/* Takes step k, after the reset where it is an episode's first; for the steps in order. */
static int bpo_golden_take(bpo_policy* p, int k, double* action) {
  const int flags = bpo_golden_flags[k];
  if (flags & 1) {
    bpo_policy_reset(p, (uint64_t)bpo_golden_seed[k], (uint64_t)bpo_golden_episode[k]);
    bpo_policy_greedy(p, (flags & 2) != 0);
  } else {
    bpo_policy_executed(p, bpo_golden_executed + (k - 1) * BPO_POLICY_ACTIONS);
  }
#if BPO_POLICY_BELIEFS > 0 && !BPO_POLICY_FILTER_INSIDE
  bpo_policy_set_belief(p, bpo_golden_belief + k * BPO_POLICY_BELIEFS);
#endif
  return bpo_policy_step(p, bpo_golden_observation + k * BPO_POLICY_OBSERVATIONS, action);
}

/* 0: the same bits as bpo's own. 1: the same choices and verdicts, and all numbers within
   BPO_POLICY_BOUND. 2: it is not. */
static int bpo_policy_self_test(bpo_policy_report* report) {
  bpo_policy p;
  double action[BPO_POLICY_ACTIONS] = {0};
  int k, i;
  memset(report, 0, sizeof *report);
  for (k = 0; k < BPO_GOLDEN_STEPS; ++k) {
    const int status = bpo_golden_take(&p, k, action), flags = bpo_golden_flags[k];
    double gap = 0.0;
    int same = 1;
    report->verdicts += status != ((flags & 4) == 0);
    for (i = 0; i < BPO_POLICY_OUTPUTS; ++i) {
      const float x = p.output[i], y = bpo_golden_output[k * BPO_POLICY_OUTPUTS + i];
      gap = fmax(gap, bpo_gap(x, y));
      same = same && x == y;
    }
#if BPO_POLICY_BELIEFS > 0
    for (i = 0; i < BPO_POLICY_BELIEFS; ++i) {
      const float x = p.belief[i], y = bpo_golden_belief[k * BPO_POLICY_BELIEFS + i];
      gap = fmax(gap, bpo_gap(x, y));
      same = same && x == y;
    }
#endif
    for (i = 0; i < BPO_POLICY_ACTIONS; ++i) {
      const double x = action[i], y = bpo_golden_action[k * BPO_POLICY_ACTIONS + i];
#ifdef BPO_POLICY_CHOICE_COUNT
      report->choices += x != y;
#else
      gap = fmax(gap, bpo_gap(x, y));
#endif
      same = same && x == y;
    }
    report->sequences += flags & 8 ? 1 : 0;
    ++report->steps;
    report->different += !same;
    report->largest = fmax(report->largest, gap);
  }
  if (report->verdicts > 0 || report->choices > 0) return 2;
  if (report->different == 0) return 0;
  return report->largest <= BPO_POLICY_BOUND ? 1 : 2;
}

#endif
)";

// A step is timed from a copy of the policy: the quickest of some rounds is its own time, and the
// slowest step is that of the largest such time. Calls are also timed one by one; the slowest of
// those had to bear what else the machine did.
const char* const kTestProgram =
    R"(/* Holds bpo_policy.h to its golden sequences, and takes the time of a step.
     cc -std=c99 -O3 -march=native bpo_policy_test.c -lm -o bpo_policy_test && ./bpo_policy_test
   The verdict is its exit status. 0: every bit is that of bpo's own agent. 1: the same choices,
   and all numbers within the bound. 2: it is not. */
#if defined(__unix__) && !defined(BPO_POLICY_UNTIMED)
#define BPO_POLICY_TIMED
#define _POSIX_C_SOURCE 199309L
#include <time.h>
#endif
#include <stdio.h>

#define BPO_POLICY_IMPLEMENTATION
#include "bpo_policy.h"
#include "bpo_policy_golden.h"

#ifdef BPO_POLICY_TIMED
static double microseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void take_times(void) {
  static bpo_policy p, copy;
  double action[BPO_POLICY_ACTIONS], sum = 0.0, slowest = 0.0, worst = 0.0;
  volatile double sink = 0.0;
  int k, round, i, timed = 0;
  for (k = 0; k < BPO_GOLDEN_STEPS; ++k) {
    const double* o = bpo_golden_observation + k * BPO_POLICY_OBSERVATIONS;
    double best = 1e30, start, time;
    copy = p;
    if (k > 0 && !(bpo_golden_flags[k] & 1)) {
      for (round = 0; round < 5; ++round) {
        start = microseconds();
        for (i = 0; i < 16; ++i) {
          p = copy;
          bpo_policy_step(&p, o, action);
          sink = sink + action[0];
        }
        time = (microseconds() - start) / 16;
        best = time < best ? time : best;
      }
      for (i = 0; i < 16; ++i) {
        p = copy;
        start = microseconds();
        bpo_policy_step(&p, o, action);
        time = microseconds() - start;
        worst = time > worst ? time : worst;
        sink = sink + action[0];
      }
      sum += best;
      slowest = best > slowest ? best : slowest;
      ++timed;
    }
    p = copy;
    bpo_golden_take(&p, k, action);
  }
  if (timed == 0) return;
  printf("time: %.2f us per step on average, %.2f us the slowest step by itself, %.2f us at worst "
         "(of %d single calls)\n", sum / timed, slowest, worst, 16 * timed);
}
#endif

int main(void) {
  bpo_policy_report report;
  const int status = bpo_policy_self_test(&report);
  printf("golden: %d sequences, %d steps, %d with other bits, largest difference %.3g (bound %g)\n",
         report.sequences, report.steps, report.different, report.largest, BPO_POLICY_BOUND);
  printf("verdict %d: %d other choices, %d other verdicts on the evidence\n", status,
         report.choices, report.verdicts);
#ifdef BPO_POLICY_TIMED
  take_times();
#endif
  return status;
}
)";

}  // namespace c_text

std::string c_test_program() { return c_text::kTestProgram; }

std::string c_golden(const TakenApart& policy, const std::vector<GoldenSequence>& sequences) {
  std::vector<int> flags, seed, episode;
  std::vector<double> observation, action, executed;
  std::vector<float> belief, output;
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const GoldenSequence& sequence : sequences) {
    for (const GoldenStep& step : sequence) {
      const bool begins = &step == &sequence.front();
      flags.push_back(step.first + 2 * step.greedy + 4 * step.alive + 8 * begins);
      seed.push_back(static_cast<int>(step.seed));
      episode.push_back(static_cast<int>(step.episode));
      append(observation, step.observation);
      append(belief, step.belief);
      append(output, step.output);
      append(action, step.action);
      append(executed, step.executed);
    }
  }
  std::string out = fmt::format(
      "/* What bpo's own agent sees, believes and does: bpo_policy_self_test() holds bpo_policy.h "
      "to\n"
      "   it. Include it after the implementation. */\n"
      "#ifndef BPO_POLICY_GOLDEN_H\n#define BPO_POLICY_GOLDEN_H\n\n"
      "#include <math.h>\n#include <string.h>\n\n#define BPO_GOLDEN_STEPS {}\n"
      "#ifndef BPO_POLICY_BOUND\n#define BPO_POLICY_BOUND 1e-5\n#endif\n\n"
      "/* 1: an episode's first; 2: greedy; 4: a model explained it; 8: a sequence's first */\n",
      flags.size());
  out += c_array("bpo_golden_flags", flags) + c_array("bpo_golden_seed", seed) +
         c_array("bpo_golden_episode", episode) + c_array("bpo_golden_observation", observation);
  if (policy.sees_belief()) out += c_array("bpo_golden_belief", belief);
  out += c_array("bpo_golden_output", output) + c_array("bpo_golden_action", action) +
         c_array("bpo_golden_executed", executed);
  return out + c_text::kSelfTest;
}

}  // namespace bpo
