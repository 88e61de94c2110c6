#include "bpo/report/result_text.h"

#include <fmt/format.h>

#include <cmath>

#include "bpo/core/text.h"
#include "bpo/report/bounds_text.h"

namespace bpo::report {
std::string fault_notice(const std::string& where, std::int64_t faults, std::int64_t episodes) {
  if (faults == 0) return "";
  return fmt::format("{}{} of {} episodes ended early because the simulation broke down",
                     where.empty() ? "" : where + ": ", faults, episodes);
}

std::string result_text(const Measurement& m) {
  std::string out =
      printable(fmt::format("{} {} seed {}", m.run.problem, m.run.algorithm, m.run.seed));
  if (m.training) {
    out += fmt::format(": {} iterations, {} steps, {:.1f} s, best at iteration {}",
                       m.training->iterations, short_count(static_cast<double>(m.training->steps)),
                       m.training->seconds, m.training->best_iteration);
  }
  out += '\n';
  if (!m.sets.empty()) out += fmt::format("world      {}\n", fmt::join(m.sets, " "));
  const std::string how = fmt::format("seed {}{}", m.eval_seed, m.greedy ? ", greedy" : "");
  if (!m.exact && m.ci95) {
    out += fmt::format("mean       {:.4f} +- {:.4f} (95 %, {} episodes, {})\n", m.mean, *m.ci95,
                       m.episodes, how);
  } else if (!m.exact) {
    out +=
        fmt::format("return     {:.4f} ({} episode, no interval, {})\n", m.mean, m.episodes, how);
  }
  if (m.faults > 0) {
    out += "faults     " + fault_notice("", m.faults, m.episodes) + m.about_faults + "\n";
  }
  if (m.diverged) out += fmt::format("diverged   {}\n", printable(*m.diverged));
  if (m.exact_value) {
    out += fmt::format("exact      {:.4f}{}\n", *m.exact_value, m.greedy ? " (greedy)" : "");
  }
  if (m.bounds) {
    out += "bounds     " + range_text(*m.bounds);
    if (std::isfinite(m.bounds->gap())) out += fmt::format(" (gap {:.4f})", m.bounds->gap());
    if (m.bounds_of_grid()) out += " of the planner's tables, which grid the latent";
    if (m.cut_weight) {
      out += fmt::format(
          " of the problem that goes on; episodes are cut off, when rewards still weigh {:.3g}",
          *m.cut_weight);
    }
    out += '\n';
  }
  if (m.optimum) {
    out += fmt::format("optimum    {:.4f}\n", *m.optimum);
    // They differ where the world's latent is fixed: the optimum then belongs to one who knows it.
    if (m.bayes_policy && *m.bayes_policy != *m.optimum) {
      out += fmt::format("Bayes      {:.4f} (the optimal policy for the prior, in this world)\n",
                         *m.bayes_policy);
    }
    out += fmt::format("gap        {:.4f}\n", *m.gap());
  }
  return out;
}

}  // namespace bpo::report
