#include "bpo/report/agreement_text.h"

#include <fmt/format.h>

namespace bpo::report {
namespace {

std::string steps_text(const std::string& problem, const StepsApart& apart, const char* whose) {
  return fmt::format(
      "{}: one step by lanes and by MuJoCo differs by at most {:.1e} in any number ({} {} steps)\n",
      problem, apart.worst, apart.steps, whose);
}

Json steps_json(const StepsApart& apart) {
  return {{"worst_difference", apart.worst}, {"steps", apart.steps}};
}

}  // namespace

std::string agreement_text(const std::string& problem, const Agreement& agreement) {
  std::string out = steps_text(problem, agreement.random, "random");
  if (agreement.gait) out += steps_text(problem, *agreement.gait, "of the policy's");
  if (!agreement.means) return out;
  const MeansApart& m = *agreement.means;
  out +=
      fmt::format("{}: the policy's mean over {} episodes is {:.3f} by lanes, {:.3f} by MuJoCo; ",
                  problem, m.episodes, m.lanes, m.mujoco);
  out += fmt::format("difference {:.3f}", m.difference);
  if (m.half_width) out += fmt::format(" +- {:.3f} (95 %, paired)", *m.half_width);
  return out + fmt::format(", {:.2f} %\n", 100.0 * m.difference / m.mujoco);
}

Json agreement_json(const Agreement& agreement) {
  Json out{{"random", steps_json(agreement.random)}};
  if (agreement.gait) out["gait"] = steps_json(*agreement.gait);
  if (!agreement.means) return out;
  const MeansApart& m = *agreement.means;
  out["means"] = {{"episodes", m.episodes},
                  {"lanes", m.lanes},
                  {"mujoco", m.mujoco},
                  {"difference", m.difference},
                  {"half_width", number_or_null(m.half_width)}};
  return out;
}

std::string posterior_text(const std::string& problem, const PosteriorAgreement& agreement) {
  const auto percent = [](std::int64_t part, std::int64_t all) {
    return all > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0.0;
  };
  return fmt::format(
      "{}: belief and full posterior have the same best cell after {:.2f} % of {} steps and are at "
      "most {:.1e} apart; the last best cell is the nearest to the latent in {:.1f} % of {} "
      "episodes, the full posterior's in {:.1f} %\n",
      problem, percent(agreement.same_best, agreement.steps), agreement.steps, agreement.worst,
      percent(agreement.pruned_right, agreement.episodes), agreement.episodes,
      percent(agreement.full_right, agreement.episodes));
}

Json posterior_json(const PosteriorAgreement& agreement) {
  return {{"episodes", agreement.episodes},         {"steps", agreement.steps},
          {"same_best", agreement.same_best},       {"worst_distance", agreement.worst},
          {"pruned_right", agreement.pruned_right}, {"full_right", agreement.full_right}};
}

}  // namespace bpo::report
