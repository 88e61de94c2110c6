#include <cmath>
#include <limits>

#include "bpo/agent/export/onnx_floats.h"
#include "bpo/agent/export/onnx_graph.h"

namespace bpo {
namespace {

using Type = OnnxModel::Type;
using Shape = OnnxModel::Shape;

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr std::size_t kMostDense = 4'000'000;

std::vector<std::int64_t> wide(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

std::size_t dense_size(const TabularModel& m) {
  const auto states = static_cast<std::size_t>(m.states),
             actions = static_cast<std::size_t>(m.actions);
  return actions * states * (states + static_cast<std::size_t>(m.observations));
}

/// A filter's nodes; every operator() sets belief_out and seen.
struct FilterNodes {
  const TakenApart& policy;
  OnnxModel& m;
  OnnxFilter& f;
  FloatNodes floats{m};

  OnnxValue op(const char* name, const std::vector<OnnxValue>& inputs,
               const OnnxModel::Integers& attributes = {}) {
    return m.node(name, inputs, attributes);
  }
  /// A number of an observation or action as an index, without a dimension.
  OnnxValue index(const OnnxValue& of, int number) {
    return m.cast(op("Gather", {of, m.integers({number}, {})}), Type::kInt);
  }
  OnnxValue reshape(const OnnxValue& value, const std::vector<std::int64_t>& shape) {
    return op("Reshape", {value, m.integers(shape, {static_cast<std::int64_t>(shape.size())})});
  }
  OnnxValue at(const OnnxValue& table, const OnnxValue& i) { return op("Gather", {table, i}); }
  /// Rounds a value as the agent's filter does when it writes for the network.
  OnnxValue as_float(const OnnxValue& value) { return floats.rounded(value); }
  OnnxValue largest(const OnnxValue& value) {
    return op("ReduceMax", {value}, {{"axes", {-1}}, {"keepdims", {1}}});
  }
  OnnxValue total(const OnnxValue& value) {
    return op("ReduceSum", {value, m.integers({-1}, {1})}, {{"keepdims", {1}}});
  }

  void operator()(const std::monostate&) {}

  void operator()(const GridForm& g) {
    const Shape blocks{g.factors, g.cells};
    const OnnxValue before = index(f.previous, 0), a = index(f.executed, 0),
                    now = index(f.observation, 0);
    const OnnxValue row = op("Add", {op("Mul", {before, m.integers({g.actions}, {})}), a});
    const OnnxValue place = op("Add", {op("Mul", {row, m.integers({g.observations}, {})}), now});
    const auto kinds = static_cast<std::int64_t>(g.kind.size());
    const OnnxValue kind = at(m.integers(wide(g.kind), {kinds}), place);
    const OnnxValue evidence = at(m.constant(g.evidence, {g.kinds, g.factors, g.cells}), kind);
    const OnnxValue prior = m.constant(g.prior, blocks);
    const OnnxValue sum = op("Add", {reshape(f.belief_in, blocks), evidence});
    const OnnxValue top = largest(sum);
    const OnnxValue alive =
        op("Greater", {op("ReduceMin", {top}, {{"keepdims", {0}}}), m.constant(kNever)});
    OnnxValue w = op("Sub", {sum, top});
    if (!g.move.empty()) w = moved(g, kind, w);
    w = op("Where", {alive, w, prior});
    w = op("Where", {f.first, prior, w});
    f.belief_out = reshape(w, {g.factors * g.cells});
    if (policy.sees_estimate()) {
      const OnnxValue best = op("ArgMax", {w}, {{"axis", {1}}, {"keepdims", {0}}});
      f.seen = as_float(at(m.constant(g.values, {g.cells}), best));
      return;
    }
    f.seen = reshape(floats.probabilities(w, g.factors, g.cells), {g.factors * g.cells});
  }
  /// The weights after the latent has moved, where evidence of this kind moves it.
  OnnxValue moved(const GridForm& g, const OnnxValue& kind, const OnnxValue& w) {
    const auto count = static_cast<std::int64_t>(g.transition.size()) / g.cells / g.cells;
    const OnnxValue which = at(m.integers(wide(g.move), {g.kinds}), kind);
    const OnnxValue table = at(m.constant(g.transition, {count, g.cells, g.cells}),
                               op("Max", {which, m.integers({0}, {})}));
    const OnnxValue p = op("MatMul", {op("Exp", {w}), table});
    const OnnxValue x = op("Log", {op("Div", {p, largest(p)})});
    const OnnxValue rounded = op(
        "Mul", {op("Round", {op("Mul", {op("Max", {x, m.constant(-0x1p20)}), m.constant(0x1p32)})}),
                m.constant(0x1p-32)});
    const OnnxValue quantized =
        op("Where", {op("Greater", {x, m.constant(kNever)}), rounded, m.constant(kNever)});
    return op("Where", {op("Less", {which, m.integers({0}, {})}), w, quantized});
  }

  void operator()(const StateForm& s) {
    const TabularModel& t = s.tables;
    const std::int64_t x = t.visible, y = t.hidden(), actions = t.actions, heard = t.observations;
    std::vector<double> moves(static_cast<std::size_t>(actions * x * y * x * y));
    std::vector<double> sights(static_cast<std::size_t>(actions * heard * x * y));
    for (int a = 0; a < actions; ++a) {
      for (int i = 0; i < t.states; ++i) {
        for (const auto& e : t.transition[a].row(i)) {  // [action][x][x'][y][y']
          const std::int64_t to = e.column / y, into = e.column % y, from = i / y, at_y = i % y;
          moves[(((a * x + from) * x + to) * y + at_y) * y + into] = e.value;
        }
        for (const auto& e : t.observation[a].row(i)) {  // [action][o][x'][y']
          sights[(a * heard + e.column) * x * y + i] = e.value;
        }
      }
    }
    const auto seen = [&](const OnnxValue& o) {
      return s.seen_at < 0 ? m.integers({0}, {}) : index(o, s.seen_at);
    };
    const OnnxValue a = index(f.executed, 0), now = seen(f.observation);
    const OnnxValue what =
        s.heard_at < 0 ? m.integers({0}, {})
                       : op("Min", {index(f.observation, s.heard_at), m.integers({heard - 1}, {})});
    const OnnxValue table =
        at(at(at(m.constant(moves, {actions, x, x, y, y}), a), seen(f.previous)), now);
    const OnnxValue sight = at(at(at(m.constant(sights, {actions, heard, x, y}), a), what), now);
    const OnnxValue next = op("Mul", {op("MatMul", {f.belief_in, table}), sight});
    const OnnxValue sum = total(next), initial = m.constant(t.initial, {x, y});
    const OnnxValue zero = m.constant(0.0);
    const OnnxValue begun = at(initial, now), all = m.constant(onnx_prior(policy), {y});
    const OnnxValue begun_sum = total(begun);
    const OnnxValue start =
        op("Where", {op("Greater", {begun_sum, zero}), op("Div", {begun, begun_sum}), all});
    const OnnxValue q = op("Div", {next, sum});
    const OnnxValue kept = op("Where", {op("Greater", {q, m.constant(1e-200)}), q, zero});
    const OnnxValue updated = op("Where", {op("Greater", {sum, zero}), kept, all});
    f.belief_out = op("Where", {f.first, start, updated});
    const OnnxValue p = eighteen_digits(as_float(f.belief_out));
    if (!policy.sees_estimate()) {
      f.seen = p;
      return;
    }
    const OnnxValue best = op("ArgMax", {p}, {{"axis", {0}}, {"keepdims", {1}}});
    if (s.estimate_size == 1) {
      f.seen =
          as_float(op("Div", {m.cast(best, Type::kDouble), m.constant(static_cast<double>(y))}));
      return;
    }
    std::vector<std::int64_t> all_states(static_cast<std::size_t>(y));
    for (std::int64_t i = 0; i < y; ++i) all_states[static_cast<std::size_t>(i)] = i;
    f.seen = m.cast(op("Equal", {m.integers(all_states, {y}), best}), Type::kDouble);
  }
  /// Rounded to 18 binary digits, halves up, by Veltkamp's splitting.
  OnnxValue eighteen_digits(const OnnxValue& p) {
    const OnnxValue up = op("Mul", {p, m.constant(1.0 + 0x1p-40)});
    const OnnxValue c = op("Mul", {up, m.constant(0x1p35 + 1.0)});
    return op("Sub", {c, op("Sub", {c, up})});
  }

  void operator()(const LightForm& l) {
    const auto pair = [&](const std::array<double, 2>& v) {
      return m.constant(std::vector<double>(v.begin(), v.end()), {2});
    };
    const auto between = [&](const OnnxValue& v, const OnnxValue& low, const OnnxValue& high) {
      return op("Min", {op("Max", {v, low}), high});
    };
    const OnnxValue prior = m.constant(onnx_prior(policy), {3});
    const OnnxValue before = op("Where", {f.first, prior, f.belief_in});
    const OnnxValue mean = op("Gather", {before, m.integers({0, 1}, {2})});
    const OnnxValue v = op("Gather", {before, m.integers({2}, {1})});
    const OnnxValue stride =
        between(as_float(f.executed), m.constant(-l.longest), m.constant(l.longest));
    const OnnxValue place = between(op("Add", {mean, stride}), pair(l.low), pair(l.high));
    const OnnxValue z = op("Gather", {f.observation, m.integers({0, 1}, {2})});
    const OnnxValue next = l.moment ? onnx_moments(l, m, place, v, z) : corrected(l, place, v, z);
    const OnnxValue size = op("ReduceSum", {op("Mul", {next, next})}, {{"keepdims", {0}}});
    const OnnxValue finite =
        op("Less", {size, m.constant(std::numeric_limits<double>::infinity())});
    f.belief_out = op("Where", {f.first, prior, op("Where", {finite, next, prior})});
    f.seen = as_float(policy.sees_estimate() ? op("Gather", {f.belief_out, m.integers({0, 1}, {2})})
                                             : f.belief_out);
  }
  /// The Kalman filter's mean and variance after the measurement z.
  OnnxValue corrected(const LightForm& l, const OnnxValue& place, const OnnxValue& v,
                      const OnnxValue& z) {
    OnnxValue r;
    if (l.leak) {
      const OnnxValue sd = op("Gather", {f.observation, m.integers({4}, {1})});
      r = op("Mul", {sd, sd});
    } else {
      const OnnxValue away =
          op("Sub", {op("Gather", {place, m.integers({0}, {1})}), m.constant(l.light)});
      const OnnxValue sd = op("Add", {op("Div", {op("Abs", {away}), m.constant(std::sqrt(2.0))}),
                                      m.constant(l.least_sd)});
      r = op("Add", {op("Mul", {sd, sd}), op("Mul", {v, m.constant(0.5)})});
    }
    // The inverse of a multiple of the identity, as Eigen computes it.
    const OnnxValue s = op("Add", {v, r});
    const OnnxValue inverse = op("Mul", {s, op("Div", {m.constant(1.0), op("Mul", {s, s})})});
    const OnnxValue gain = op("Mul", {v, inverse});
    const OnnxValue keep = op("Sub", {m.constant(1.0), gain});
    const OnnxValue variance = op(
        "Add", {op("Mul", {op("Mul", {keep, v}), keep}), op("Mul", {op("Mul", {gain, r}), gain})});
    const OnnxValue moved = op("Add", {place, op("Mul", {gain, op("Sub", {z, place})})});
    return op("Concat", {moved, variance}, {{"axis", {0}}});
  }
};

}  // namespace

bool onnx_keeps_belief(const TakenApart& policy) {
  if (const auto* state = std::get_if<StateForm>(&policy.filter)) {
    return dense_size(state->tables) <= kMostDense;
  }
  return policy.filter_inside();
}

std::vector<double> onnx_prior(const TakenApart& policy) {
  if (const auto* grid = std::get_if<GridForm>(&policy.filter)) return grid->prior;
  if (const auto* light = std::get_if<LightForm>(&policy.filter)) {
    return {light->mean[0], light->mean[1], light->variance};
  }
  const auto& tables = std::get<StateForm>(policy.filter).tables;
  std::vector<double> out(static_cast<std::size_t>(tables.hidden()));
  for (std::size_t i = 0; i < tables.initial.size(); ++i) out[i % out.size()] += tables.initial[i];
  return out;
}

void add_onnx_filter(const TakenApart& policy, OnnxModel& model, OnnxFilter& filter) {
  std::visit(FilterNodes{policy, model, filter}, policy.filter);
}

}  // namespace bpo
