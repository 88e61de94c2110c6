#include "bpo/report/throughput_text.h"

#include <fmt/format.h>

namespace bpo::report {

std::vector<std::string> throughput_row(const std::string& problem, const Throughput& t,
                                        double peak) {
  return {problem, fmt::format("{:.0f}", t.rollout), fmt::format("{:.0f}", t.train),
          t.train_gflops ? fmt::format("{:.0f}", *t.train_gflops) : "-",
          t.train_gflops ? fmt::format("{:.0f} %", 100.0 * *t.train_gflops / peak) : "-"};
}

std::string belief_note(const std::string& problem, const Throughput& t) {
  if (!t.belief) return "";
  return fmt::format(
      "{}: {:.0f} plain and {:.0f} belief steps/s of the world alone, ratio {:.2f}, {:.2f} "
      "models per step\n",
      problem, t.belief->plain, t.belief->belief, t.belief->ratio(), t.belief->models);
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
  return out;
}

}  // namespace bpo::report
