#include "bpo/agent/export/c_source.h"

#include <fmt/format.h>

#include <cmath>

#include "bpo/agent/export/c_parts.h"
#include "bpo/core/machine.h"
#include "bpo/core/text.h"

namespace bpo {
namespace {

using namespace c_text;  // the parts

/// A dense layer's weights input by input, and its bias.
std::string layer_text(const std::string& name, const Dense& d, const std::vector<float>& theta) {
  std::vector<float> w;
  for (int i = 0; i < d.in; ++i) {
    for (int r = 0; r < d.out; ++r) {
      w.push_back(theta[d.weight + static_cast<std::size_t>(r) * d.stride + i]);
    }
  }
  std::string out = c_array(name + "_w", w);
  if (!d.has_bias) return out;
  const auto at = theta.begin() + static_cast<std::ptrdiff_t>(d.bias);
  return out + c_array(name + "_b", std::vector<float>(at, at + d.out));
}

std::string branch_tables(const std::string& name, const Branch& branch,
                          const std::vector<float>& theta) {
  std::string out;
  if (branch.dim == 0) return out;
  for (std::size_t l = 0; l < branch.layers.size(); ++l) {
    out += layer_text(fmt::format("bpo_{}{}", name, l), branch.layers[l], theta);
  }
  return out + layer_text(fmt::format("bpo_{}_join", name), branch.join, theta);
}

std::string network_tables(const TakenApart& policy) {
  const Network& network = policy.policy->network();
  const NetworkSpec& spec = policy.network();
  const std::vector<float>& theta = policy.policy->theta();
  std::string out = branch_tables("state", network.state(), theta) +
                    branch_tables("belief", network.belief(), theta);
  const auto bias = theta.begin() + static_cast<std::ptrdiff_t>(network.join_bias());
  out += c_array("bpo_join_b", std::vector<float>(bias, bias + spec.hidden));
  out += layer_text("bpo_middle", network.middle(), theta);
  out += layer_text("bpo_head", network.head(), theta);
  if (spec.gaussian && !spec.own_spread) {
    std::vector<double> spread;
    for (int i = 0; i < spec.outputs; ++i) {
      spread.push_back(std::exp(double{theta[network.log_std() + i]}));
    }
    out += c_array("bpo_spread", spread);
  }
  if (!spec.belief_basis.empty()) {  // [cell][coefficient]
    const int cells = spec.belief_dim;
    std::vector<float> basis;
    for (int c = 0; c < cells; ++c) {
      for (int k = 0; k < cells; ++k) basis.push_back(spec.belief_basis[k * cells + c]);
    }
    out += c_array("bpo_basis", basis);
  }
  if (const auto clock = policy.clock(); !clock.empty()) out += c_array("bpo_clock", clock);
  out += c_array("bpo_index_sizes", policy.index_sizes());
  return out;
}

/// The observation's part of the network's input, written to x.
std::string input_code(const TakenApart& policy) {
  std::string out;
  const auto& terms = policy.inputs;
  for (std::size_t i = 0; i < terms.size();) {
    const InputTerm& term = terms[i];
    std::size_t end = i + 1;
    if (term.equals == 0) {
      while (end < terms.size() && terms[end].equals > 0 && terms[end].number == term.number) ++end;
      out +=
          fmt::format("  for (i = 0; i < {0}; ++i) x[{1} + i] = (int)o[{2}] == i ? 1.0f : 0.0f;\n",
                      end - i, i, term.number);
    } else if (term.minus >= 0) {
      out += fmt::format("  x[{}] = (float)(o[{}] - o[{}]);\n", i, term.number, term.minus);
    } else {
      while (end < terms.size() && terms[end].equals < 0 && terms[end].minus < 0 &&
             terms[end].number == terms[end - 1].number + 1) {
        ++end;
      }
      out += fmt::format("  for (i = 0; i < {0}; ++i) x[{1} + i] = (float)o[{2} + i];\n", end - i,
                         i, term.number);
    }
    i = end;
  }
  if (policy.spec().clock > 0.0) {
    out += fmt::format("  x[{0}] = bpo_clock[p->time < {1} ? p->time : {1}];\n", terms.size(),
                       policy.spec().horizon);
  }
  return out;
}

/// From `x`, through the encoder, to the branch's share of the joining layer in `to`.
std::string branch_code(const std::string& name, const Branch& branch, const char* x,
                        const char* to) {
  std::string out;
  const char* top = x;
  const char* buffers[2] = {"h", "g"};
  for (std::size_t l = 0; l < branch.layers.size(); ++l) {
    const Dense& d = branch.layers[l];
    out += fmt::format("  bpo_dense({0}, {1}, bpo_{2}{3}_w, bpo_{2}{3}_b, {4}, {5});\n", d.in,
                       d.out, name, l, top, buffers[l % 2]);
    top = buffers[l % 2];
    out += fmt::format("  bpo_tanh_all({}, {});\n", d.out, top);
  }
  return out + fmt::format(
                   "  memset({3}, 0, sizeof {3});\n"
                   "  bpo_product({0}, {1}, bpo_{2}_join_w, {4}, {3});\n",
                   branch.join.in, branch.join.out, name, to, top);
}

/// What the belief's branch sees, in b.
std::string belief_code(const TakenApart& policy) {
  const NetworkSpec& spec = policy.network();
  const int seen = policy.belief_size(), at = spec.belief_dim - seen;
  std::string out;
  if (!spec.belief_basis.empty()) {
    out += fmt::format(
        "  memset(b, 0, sizeof b);\n"
        "  for (i = 0; i < {0}; ++i) {{\n"
        "    for (r = 0; r < {0}; ++r) b[r] = b[r] + p->belief[i] * bpo_basis[i * {0} + r];\n"
        "  }}\n",
        seen);
  } else if (seen > 0) {
    out += fmt::format("  memcpy(b + {}, p->belief, {} * sizeof(float));\n", at, seen);
  }
  if (spec.led > 0) {
    out += fmt::format("  for (i = 0; i < {}; ++i) b[{} + i] -= b[{} + i];\n", spec.led, at,
                       spec.goal_at);
  }
  if (spec.log_at >= 0) {
    out += fmt::format("  b[{0}] = logf(b[{0}] < 1e-30f ? 1e-30f : b[{0}]);\n", spec.log_at);
  }
  if (spec.belief_scale != 1.0f) {
    out += fmt::format("  for (i = 0; i < {}; ++i) b[i] = {:a}f * b[i];\n", spec.belief_dim,
                       spec.belief_scale);
  }
  return out;
}

std::string network_code(const TakenApart& policy) {
  const Network& network = policy.policy->network();
  const NetworkSpec& spec = policy.network();
  const bool state = spec.state_dim > 0, belief = spec.belief_dim > 0;
  std::string out = "\nstatic void bpo_network(bpo_policy* p, const double* o) {\n";
  if (state) out += fmt::format("  float s[{}];\n", spec.state_dim);
  if (belief) out += fmt::format("  float b[{}];\n", spec.belief_dim);
  out +=
      fmt::format("  float h[{0}], g[{0}]{1}{2};\n  float* x = {3};\n  int i, r;\n", spec.hidden,
                  state ? fmt::format(", from_state[{}]", spec.hidden) : "",
                  belief ? fmt::format(", from_belief[{}]", spec.hidden) : "", state ? "s" : "b");
  out += input_code(policy);
  if (state) out += branch_code("state", network.state(), "s", "from_state");
  if (belief) {
    out += belief_code(policy) + branch_code("belief", network.belief(), "b", "from_belief");
  }
  out += fmt::format(
      "  for (r = 0; r < {0}; ++r) {{\n    float z = 0.0f;\n{1}{2}"
      "    h[r] = z + bpo_join_b[r];\n  }}\n"
      "  bpo_tanh_all({0}, h);\n"
      "  bpo_dense({0}, {0}, bpo_middle_w, bpo_middle_b, h, g);\n"
      "  bpo_tanh_all({0}, g);\n"
      "  bpo_dense({0}, {3}, bpo_head_w, bpo_head_b, g, p->output);\n"
      "  (void)i;\n",
      spec.hidden, state ? "    z += from_state[r];\n" : "",
      belief ? "    z += from_belief[r];\n" : "", spec.outputs);
  return out + (spec.gaussian ? "" : kSoftmax) + "}\n";
}

std::string heading(const TakenApart& policy) {
  const RunIdentity& run = policy.loaded->run;
  return fmt::format(
      "/* A policy that `bpo export` wrote: {} on {}, seed {}, settings {}, by bpo at {}.\n"
      "   {}\n\n{}*/\n",
      run.algorithm, printable(run.problem), run.seed, run.settings, this_machine().commit,
      policy.filter_inside() ? "The network and the filter of its belief."
      : policy.sees_belief()
          ? "The network alone: its belief comes from outside, by bpo_policy_set_belief()."
          : "The network, which sees no belief.",
      kUsage);
}

}  // namespace

std::string c_header(const TakenApart& policy) {
  const NetworkSpec& spec = policy.network();
  const CFilter filter = c_filter(policy);
  const int beliefs = policy.belief_size();
  const ActionSpace& actions = policy.spec().actions;
  std::string out = heading(policy);
  out += fmt::format(
      "#ifndef BPO_POLICY_H\n#define BPO_POLICY_H\n\n#include <stdint.h>\n\n"
      "#define BPO_POLICY_OBSERVATIONS {}\n#define BPO_POLICY_ACTIONS {}\n"
      "#define BPO_POLICY_BELIEFS {}\n#define BPO_POLICY_OUTPUTS {}\n"
      "#define BPO_POLICY_FILTER_INSIDE {}\n{}{}",
      policy.observation_size, action_size(actions), beliefs, spec.outputs,
      policy.filter_inside() ? 1 : 0,
      actions.discrete() ? fmt::format("#define BPO_POLICY_CHOICE_COUNT {}\n", actions.count) : "",
      filter.defines);
  out += fmt::format(
      "\ntypedef struct bpo_policy {{\n"
      "  uint64_t seed, episode;\n  uint32_t time;\n  int begun, greedy;\n"
      "  double observation[{}], executed[{}];\n"
      "  float belief[{}]; /* as the network sees it */\n"
      "  float output[{}]; /* {} */\n{}}} bpo_policy;\n",
      policy.observation_size, action_size(actions), std::max(beliefs, 1), spec.outputs,
      !spec.gaussian    ? "probabilities of the actions"
      : spec.own_spread ? "means of the action, then logarithms of standard deviations"
                        : "means of the action",
      filter.state);
  out += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  out += kDeclarations;
  const bool told = policy.sees_belief() && !policy.filter_inside();
  if (told) {
    out +=
        "/* The belief after the observation that the next step is told; -1 if it is not finite. "
        "*/\nBPO_POLICY_API int bpo_policy_set_belief(bpo_policy* p, const float* belief);\n";
  }
  out += "\n#ifdef __cplusplus\n}\n#endif\n";
  out += "\n#endif\n\n#ifdef BPO_POLICY_IMPLEMENTATION\n\n#include <math.h>\n#include <string.h>\n";
  out += kNumbers;
  out += kRandom;
  out += "\n" + network_tables(policy) + filter.tables + filter.code + network_code(policy);
  if (spec.gaussian) {
    out += spec.own_spread
               ? "\n#define BPO_SPREAD(i) exp((double)p->output[BPO_POLICY_ACTIONS + (i)])\n"
               : "\n#define BPO_SPREAD(i) bpo_spread[i]\n";
  }
  out += spec.gaussian ? kGaussianChoice : kDiscreteChoice;
  out += kInterface;
  if (told) out += kSetBelief;
  return out + "\n#endif\n";
}

}  // namespace bpo
