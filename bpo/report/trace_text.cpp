#include "bpo/report/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "bpo/report/belief.h"
#include "bpo/report/belief_bars.h"
#include "bpo/report/belief_moments.h"
#include "bpo/report/table.h"

namespace bpo::report {
namespace {

using Row = std::vector<std::string>;

std::string action(const Moment& m, const Trace& trace) {
  return trace.spec.actions.discrete() ? trace.view.actions[m.action] : compact(m.box);
}

/// The name of the largest of the numbers from the i-th on.
const std::string& named(const std::vector<std::string>& names, const std::vector<float>& numbers,
                         std::size_t i = 0) {
  const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(i);
  return names[std::max_element(first, first + std::ssize(names)) - first];
}

std::string observation(const Moment& m, const ProblemView& view) {
  const std::vector<float>& o = m.sight.obs;
  std::string out;
  if (!view.seen_values.empty()) out = named(view.seen_values, o);
  if (view.observation_values.empty()) return out.empty() ? compact(o) : out;
  return (out.empty() ? out : out + ", ") +
         named(view.observation_values, o, view.seen_values.size());
}

/// A hidden state among several that have names is told as a one-hot.
bool is_named_state(const Trace& trace) {
  return trace.spec.latent_dim > 1 &&
         trace.view.latent_values.size() == static_cast<std::size_t>(trace.spec.latent_dim);
}
std::string latent(const Moment& m, const Trace& trace) {
  return is_named_state(trace) ? named(trace.view.latent_values, m.sight.latent)
                               : compact(m.sight.latent);
}

/// A bar for each factor, or one for the hidden state.
std::string bars(const Moment& m, const Trace& trace) {
  const ProblemSpec& spec = trace.spec;
  if (spec.moments) return moments_text(trace, m.sight);
  if (!spec.grid || !spec.grid->joint) {
    return belief_bars(m.sight.belief, is_named_state(trace) ? 1 : spec.estimate_dim);
  }
  std::string out;
  for (const auto& posterior : marginals(*spec.grid, m.sight.belief)) {
    if (!out.empty()) out += ' ';
    out += belief_bars(std::vector<float>(posterior.begin(), posterior.end()), 1);
  }
  return out;
}

Row row(const Moment& m, const Trace& trace) {
  return {fmt::to_string(m.t),
          latent(m, trace),
          observation(m, trace.view),
          bars(m, trace),
          action(m, trace),
          fmt::format("{:g}", m.reward),
          fmt::format("{:.4f}", m.total)};
}

std::string pair(const std::vector<float>& v, int at = 0) {
  return fmt::format("({:5.2f} {:5.2f})", v[at], v[at + 1]);
}

/// In a room everything is a place or a way: two numbers with two decimals. The action is what the
/// world makes of it.
Row room_row(const Moment& m, const ActionSpace& actions) {
  std::vector<float> way = m.box;
  for (float& x : way) x = static_cast<float>(std::clamp<double>(x, actions.low, actions.high));
  return {fmt::to_string(m.t),
          pair(m.sight.latent),
          pair(m.sight.obs),
          fmt::format("{} sd {:.2f}", pair(m.sight.belief), std::sqrt(m.sight.belief[2])),
          pair(way),
          fmt::format("{:.2f}", m.reward),
          fmt::format("{:.2f}", m.total)};
}

}  // namespace

std::string trace_text(const Trace& trace) {
  const ProblemSpec& spec = trace.spec;
  std::vector<Row> rows;
  std::string after;
  if (trace.view.room) {
    rows.push_back({"t", "position", "measured", "belief", "action", "reward", "return"});
    for (const Moment& m : trace.moments) rows.push_back(room_row(m, spec.actions));
    after = fmt::format("ends at {}, the goal is {}\n", pair(trace.end.latent),
                        pair(trace.end.obs, trace.view.room->goal));
  } else {
    rows.push_back({"t", "latent", "observation", "belief", "action", "reward", "return"});
    for (const Moment& m : trace.moments) rows.push_back(row(m, trace));
  }
  return aligned(rows, {0, 5, 6}) + after;
}

Json trace_json(const Trace& trace) {
  Json steps = Json::array();
  for (const Moment& m : trace.moments) {
    steps.push_back({{"t", m.t},
                     {"latent", m.sight.latent},
                     {"observation", m.sight.obs},
                     {"belief", m.sight.belief},
                     {"belief_entropy", m.sight.belief_entropy},
                     {"action", m.box.empty() ? Json(action(m, trace)) : Json(m.box)},
                     {"reward", m.reward},
                     {"return", m.total}});
  }
  return steps;
}

std::string episode_text(const RunIdentity& run, const Protocol& protocol, const Trace& trace) {
  std::string out = fmt::format("{} {} seed {}: episode {} of seed {}, {} steps, return {:.4f}\n",
                                run.problem, run.algorithm, run.seed, protocol.episode.value_or(0),
                                protocol.seed, trace.moments.size(), trace.total);
  if (!trace.faults.empty()) out += describe(trace.faults, std::ssize(trace.moments)) + "\n";
  return out;
}

Json episode_json(const RunIdentity& run, const Protocol& protocol, const Trace& trace) {
  return {{"problem", run.problem},
          {"algorithm", run.algorithm},
          {"seed", run.seed},
          {"eval_seed", protocol.seed},
          {"episode", protocol.episode.value_or(0)},
          {"greedy", protocol.greedy},
          {"return", trace.total},
          {"length", trace.moments.size()},
          {"faults", trace.faults.size()}};
}

}  // namespace bpo::report
