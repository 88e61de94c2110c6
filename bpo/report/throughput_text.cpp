#include "bpo/report/throughput_text.h"

#include <fmt/format.h>

#include "bpo/core/machine.h"

namespace bpo::report {

std::vector<std::string> throughput_row(const std::string& problem, const Throughput& t,
                                        double peak) {
  return {problem, fmt::format("{:.0f}", t.rollout), fmt::format("{:.0f}", t.train),
          t.train_gflops ? fmt::format("{:.0f}", *t.train_gflops) : "-",
          t.train_gflops ? fmt::format("{:.0f} %", 100.0 * *t.train_gflops / peak) : "-"};
}

std::string belief_note(const std::string& problem, const Throughput& t) {
  if (!t.belief) return "";
  const BeliefCost& cost = *t.belief;
  std::string out = fmt::format(
      "{}: {:.0f} plain and {:.0f} belief steps/s of the world alone, ratio {:.2f}, {:.2f} "
      "models per step\n",
      problem, cost.plain, cost.belief, cost.ratio(), cost.models);
  const auto beside = [&](const std::optional<double>& other, const char* what) {
    if (!other) return;
    out += fmt::format("{}: {:.0f} {}, {:.1f} times fewer than plain ones\n", problem, *other, what,
                       cost.plain / *other);
  };
  beside(cost.mujoco, "steps/s where MuJoCo moves the world");
  beside(cost.bare, "control steps/s of bare mj_step");
  return out;
}

Json throughput_json(const Throughput& t) {
  Json out{{"rollout_steps_per_s", t.rollout},
           {"train_steps_per_s", t.train},
           {"train_gflops", number_or_null(t.train_gflops)}};
  if (!t.belief) return out;
  out["plain_steps_per_s"] = t.belief->plain;
  out["belief_steps_per_s"] = t.belief->belief;
  out["ratio"] = t.belief->ratio();
  out["filter_models_per_step"] = t.belief->models;
  out["mujoco_steps_per_s"] = number_or_null(t.belief->mujoco);
  out["mj_step_steps_per_s"] = number_or_null(t.belief->bare);
  return out;
}

std::string notes_text(const BenchmarkNotes& notes) {
  const Machine machine = this_machine();
  return fmt::format(
      "peak of one core {:.0f} GFLOP/s, {} thread(s), {}, {}\nsignature {}\nnominal: the "
      "arithmetic "
      "of one pass per step; equal inputs share theirs, so the share can exceed 100 %\n",
      notes.peak_gflops, notes.threads, machine.instruction_set, machine.cpu, notes.signature);
}

void add_notes(const BenchmarkNotes& notes, Json& out) {
  const Machine machine = this_machine();
  out["peak_gflops"] = notes.peak_gflops;
  out["threads"] = notes.threads;
  out["isa"] = machine.instruction_set;
  out["signature"] = notes.signature;
  out["cpu"] = machine.cpu;
  out["commit"] = machine.commit;
}

}  // namespace bpo::report
