#include "bpo/agent/export/onnx_graph.h"

#include "bpo/agent/export/contract.h"
#include "bpo/agent/export/onnx_floats.h"
#include "bpo/core/machine.h"
#include "bpo/core/numbers.h"

namespace bpo {
namespace {

using Type = OnnxModel::Type;

/// The network, node by node, on vectors without a batch.
class NetworkNodes {
 public:
  NetworkNodes(const TakenApart& policy, OnnxModel& model)
      : policy_(policy), m_(model), floats_(model) {}

  /// What the network sees of the observation; `time` where it sees a clock.
  OnnxValue encoded(const OnnxValue& o, const OnnxValue& time) {
    std::vector<OnnxValue> parts;
    const auto& terms = policy_.inputs;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const InputTerm& term = terms[i];
      const OnnxValue x = number(o, term.number);
      if (term.equals >= 0) {  // and the other values of that index
        std::vector<std::int64_t> values{term.equals};
        for (; i + 1 < terms.size() && terms[i + 1].equals > 0; ++i) {
          values.push_back(terms[i + 1].equals);
        }
        const auto count = static_cast<std::int64_t>(values.size());
        parts.push_back(
            m_.cast(m_.node("Equal", {m_.cast(x, Type::kInt), m_.integers(values, {count})}),
                    Type::kDouble));
      } else {
        parts.push_back(
            floats_.rounded(term.minus < 0 ? x : m_.node("Sub", {x, number(o, term.minus)})));
      }
    }
    if (!time.empty()) {
      const std::vector<float> clock = policy_.clock();
      const auto last = static_cast<std::int64_t>(clock.size()) - 1;
      const OnnxValue t = m_.node("Min", {time, m_.integers({last}, {1})});
      const OnnxValue table =
          m_.constant(std::vector<double>(clock.begin(), clock.end()), {last + 1});
      parts.push_back(m_.node("Gather", {table, t}));
    }
    return parts.size() == 1 ? parts[0] : m_.node("Concat", parts, {{"axis", {0}}});
  }

  OnnxValue outputs(const OnnxValue& o, const OnnxValue& seen) {
    const Network& network = policy_.policy->network();
    const NetworkSpec& spec = policy_.network();
    OnnxValue z;
    if (spec.state_dim > 0) z = branch(network.state(), o);
    if (spec.belief_dim > 0) {
      const OnnxValue b = branch(network.belief(), belief(o, seen));
      z = z.empty() ? b : plus(z, b);
    }
    OnnxValue h = floats_.tanh(plus(z, bias(network.join_bias(), spec.hidden)));
    h = floats_.tanh(dense(network.middle(), h));
    const OnnxValue out = dense(network.head(), h);
    return spec.gaussian ? out : floats_.softmax(out, spec.outputs);
  }

 private:
  const std::vector<float>& theta() const { return policy_.policy->theta(); }
  OnnxValue number(const OnnxValue& o, int i) {
    return m_.node("Gather", {o, m_.integers({i}, {1})});
  }
  OnnxValue plus(const OnnxValue& a, const OnnxValue& b) {
    return floats_.rounded(m_.node("Add", {a, b}));
  }
  OnnxValue bias(std::size_t at, int count) {
    return floats_.vector(std::span(theta()).subspan(at, static_cast<std::size_t>(count)));
  }
  OnnxValue dense(const Dense& d, const OnnxValue& x) {
    std::vector<double> w;
    for (int i = 0; i < d.in; ++i) {
      for (int r = 0; r < d.out; ++r) {
        w.push_back(theta()[d.weight + static_cast<std::size_t>(r) * d.stride + i]);
      }
    }
    return floats_.product(x, w, d.in, d.out,
                           d.has_bias ? bias(d.bias, d.out) : floats_.constant(0.0f));
  }
  OnnxValue branch(const Branch& branch, OnnxValue x) {
    for (const Dense& d : branch.layers) x = floats_.tanh(dense(d, x));
    return dense(branch.join, x);
  }
  /// What the belief's branch sees.
  OnnxValue belief(const OnnxValue& o, const OnnxValue& seen) {
    const NetworkSpec& spec = policy_.network();
    OnnxValue b = seen;
    if (!spec.belief_basis.empty()) {
      const int cells = spec.belief_dim;
      std::vector<double> basis;  // [cell][coefficient]
      for (int c = 0; c < cells; ++c) {
        for (int k = 0; k < cells; ++k) basis.push_back(spec.belief_basis[k * cells + c]);
      }
      b = floats_.plain_product(seen, basis, cells, cells);
    }
    if (spec.led > 0) b = floats_.rounded(m_.node("Sub", {b, goal(o)}));
    if (spec.log_at >= 0) b = with_logarithm(b);
    if (spec.state_dim == 0) {
      b = policy_.sees_belief() ? m_.node("Concat", {o, b}, {{"axis", {0}}}) : o;
    }
    if (spec.belief_scale == 1.0f) return b;
    return floats_.rounded(m_.node("Mul", {b, floats_.constant(spec.belief_scale)}));
  }
  /// The goal where the belief has the point that is led to it, and zeros after that.
  OnnxValue goal(const OnnxValue& o) {
    const NetworkSpec& spec = policy_.network();
    OnnxValue out;
    std::vector<std::int64_t> places;
    for (int i = 0; i < spec.led; ++i) places.push_back(spec.goal_at + i);
    out = m_.node("Gather", {o, m_.integers(places, {spec.led})});
    const int rest = policy_.belief_size() - spec.led;
    if (rest == 0) return out;
    return m_.node("Concat", {out, floats_.vector(std::vector<float>(rest))}, {{"axis", {0}}});
  }
  OnnxValue with_logarithm(const OnnxValue& b) {
    const NetworkSpec& spec = policy_.network();
    const int size = policy_.belief_size(), at = spec.log_at - (spec.belief_dim - size);
    std::vector<OnnxValue> parts;
    for (int i = 0; i < size; ++i) {
      const OnnxValue x = number(b, i);
      parts.push_back(i != at ? x
                              : floats_.rounded(m_.node(
                                    "Log", {m_.node("Max", {x, floats_.constant(1e-30f)})})));
    }
    return m_.node("Concat", parts, {{"axis", {0}}});
  }

  const TakenApart& policy_;
  OnnxModel& m_;
  FloatNodes floats_;
};

/// What a session is given and gives, for the contract.
Json interface_of(const TakenApart& policy, bool inside) {
  Json out{{"observation", "as in this contract, double"},
           {"output", "as in this contract, double"},
           {"action", "the most probable: an index, or the means"}};
  if (policy.spec().clock > 0.0) out["time"] = "int64[1]: steps since the episode began";
  if (!inside) return out;
  out["first"] = "bool[1]: whether the episode begins; belief_in is then not looked at";
  out["belief_in"] = "belief_out of the step before, double; any numbers at an episode's first";
  out["previous_observation"] = "of the step before; any valid one at an episode's first";
  out["executed_action"] = "what was done since, double; any valid one at an episode's first";
  out["belief_out"] = "the filter's own state, double";
  out["belief"] = "as in this contract: what the network sees";
  out["belief_out_prior"] = onnx_prior(policy);
  return out;
}

}  // namespace

std::string onnx_model(const TakenApart& policy) {
  OnnxModel m;
  NetworkNodes network(policy, m);
  const NetworkSpec& spec = policy.network();
  const ActionSpace& actions = policy.spec().actions;
  const bool inside = policy.sees_belief() && onnx_keeps_belief(policy);
  const OnnxValue o = m.input("observation", Type::kDouble, {policy.observation_size});
  const OnnxValue time = policy.spec().clock > 0.0 ? m.input("time", Type::kInt, {1}) : "";
  OnnxFilter filter{.observation = o};
  if (inside) {
    const auto size = static_cast<std::int64_t>(onnx_prior(policy).size());
    filter.first = m.input("first", Type::kBool, {1});
    filter.belief_in = m.input("belief_in", Type::kDouble, {size});
    filter.previous = m.input("previous_observation", Type::kDouble, {policy.observation_size});
    filter.executed = m.input("executed_action", Type::kDouble, {action_size(actions)});
    add_onnx_filter(policy, m, filter);
    m.output("belief_out", Type::kDouble, {size}, filter.belief_out);
    m.output("belief", Type::kDouble, {policy.belief_size()}, filter.seen);
  } else if (policy.sees_belief()) {
    filter.seen = m.input("belief", Type::kDouble, {policy.belief_size()});
  }
  const OnnxValue out = network.outputs(network.encoded(o, time), filter.seen);
  m.output("output", Type::kDouble, {spec.outputs}, out);
  if (actions.discrete()) {
    const OnnxValue best = m.node("ArgMax", {out}, {{"axis", {0}}, {"keepdims", {1}}});
    m.output("action", Type::kDouble, {1}, m.cast(best, Type::kDouble));
  } else {
    std::vector<std::int64_t> means;
    for (int i = 0; i < actions.dim; ++i) means.push_back(i);
    m.output("action", Type::kDouble, {actions.dim},
             m.node("Gather", {out, m.integers(means, {actions.dim})}));
  }
  Json contract = contract_of(policy);
  if (policy.sees_belief()) contract["belief"]["inside"] = inside;
  contract["onnx"] = interface_of(policy, inside);
  m.metadata("contract", contract.dump());
  return m.bytes("bpo_policy", this_machine().commit);
}

}  // namespace bpo
