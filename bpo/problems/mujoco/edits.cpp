#include "bpo/problems/mujoco/edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bpo/core/error.h"
#include "bpo/problems/mujoco/edit_fields.h"

namespace bpo {
namespace {

using namespace edit_groups;

/// How MuJoCo combines a property of two geoms that touch: that of the higher priority, or the
/// larger.
double combined_friction(const mjModel& m, int a, int b, int k) {
  const double x = m.geom_friction[3 * a + k], y = m.geom_friction[3 * b + k];
  if (m.geom_priority[a] != m.geom_priority[b]) {
    return m.geom_priority[a] > m.geom_priority[b] ? x : y;
  }
  return std::max(x, y);
}
constexpr std::array kPairFriction{0, 0, 1, 2, 2};  // a geom's number for each of a pair's

bool is_combined(const mjModel& m, int pair) {
  for (int k = 0; k < 5; ++k) {
    if (m.pair_friction[5 * pair + k] !=
        combined_friction(m, m.pair_geom1[pair], m.pair_geom2[pair], kPairFriction[k])) {
      return false;
    }
  }
  return true;
}

void check_inertia(const mjModel& m) {
  for (int b = 1; b < m.nbody; ++b) {
    const mjtNum* i = m.body_inertia + 3 * b;
    const double sum = i[0] + i[1] + i[2];
    const bool finite = std::isfinite(m.body_mass[b]) && std::isfinite(sum);
    const bool thin = std::any_of(i, i + 3, [&](double x) { return sum - 2.0 * x < -1e-9 * sum; });
    if (finite && m.body_mass[b] >= 0.0 && !thin) continue;
    throw bad_input(fmt::format("body '{}' would have mass {:.6g} and moments {:.6g} {:.6g} {:.6g}",
                                m.names + m.name_bodyadr[b], m.body_mass[b], i[0], i[1], i[2]));
  }
}

}  // namespace

double nominal_value(const mjModel& m, const Edit& edit, const EditTarget& target) {
  return edit_row(edit.kind).get(m, target, edit);
}

ModelEdits::ModelEdits(Sim& sim, std::vector<Edit> edits) : edits_(std::move(edits)) {
  order_.resize(edits_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](auto a, auto b) { return edits_[a].kind < edits_[b].kind; });
  std::vector<int> moving;
  for (const Edit& edit : edits_) {
    if ((edit_row(edit.kind).groups & kFrames) == 0) continue;
    for (const EditTarget& target : edit.targets) moving.push_back(target.id);
  }
  sim.generalize(moving);
  mjModel& m = sim.model();
  for (const Edit& edit : edits_) {
    const EditRow& row = edit_row(edit.kind);
    groups_ |= row.groups;
    if ((edit.kind == EditKind::kDamping || edit.kind == EditKind::kStiffness) &&
        has_polynomials(m)) {
      throw bad_input(
          fmt::format("{}: the model has springs or dampers of higher order (several "
                      "numbers in stiffness or damping), which edits do not reach",
                      row.name));
    }
    for (const EditTarget& target : edit.targets) {
      const double nominal = row.get(m, target, edit);
      if (edit.op == EditOp::kScale && nominal == 0.0) {
        throw bad_input(
            fmt::format("{} of '{}' is 0 in the model, and scaling that does nothing; "
                        "op = \"add\" or \"set\" would",
                        row.name, target.name));
      }
    }
  }
  if ((groups_ & (kLengths | kZeros)) != 0) {
    for (int i = 0; i < m.nu; ++i) {
      if (m.actuator_lengthrange[2 * i] == m.actuator_lengthrange[2 * i + 1]) continue;
      throw bad_input(
          fmt::format("the model has an actuator with a length range ('{}', as muscles "
                      "have), which edits of length and joint_zero would have to measure "
                      "anew: that is not supported",
                      m.names + m.name_actuatoradr[i]));
    }
  }
  read_fields(m, groups_, compiled_);
  statistic_ = m.stat;
  find_derived(sim);
  apply(sim, compiled_);
}

/// Has MuJoCo derive what it would have derived if the modeller had said nothing: what comes out
/// the same was derived.
void ModelEdits::find_derived(Sim& sim) {
  mjModel& m = sim.model();
  for (int i = 0; i < m.npair && mjVERSION_HEADER >= 300; ++i) {  // before, pairs had their own
    if (is_combined(m, i)) pairs_.push_back(i);
  }
  if ((groups_ & kConstants) == 0) return;
  const std::vector<double> lengths(m.tendon_lengthspring,
                                    m.tendon_lengthspring + kSpringNumbers * m.ntendon),
      equalities(m.eq_data, m.eq_data + mjNEQDATA * m.neq);
  springs_.resize(static_cast<std::size_t>(m.ntendon));
  std::iota(springs_.begin(), springs_.end(), 0);
  for (int e = 0; e < m.neq; ++e) {
    if (m.eq_type[e] == mjEQ_WELD) welds_.push_back(e);
  }
  given_statistic_ = {};
  derive(sim);
  const auto near = [](const double* a, const double* b, int n) {
    return std::equal(a, a + n, b, [](double x, double y) {
      return std::abs(x - y) <= 1e-10 * (1.0 + std::abs(y));
    });
  };
  std::erase_if(springs_, [&](int t) {
    return !near(m.tendon_lengthspring + kSpringNumbers * t, lengths.data() + kSpringNumbers * t,
                 kSpringNumbers);
  });
  std::erase_if(welds_, [&](int e) {
    return !near(m.eq_data + mjNEQDATA * e, equalities.data() + mjNEQDATA * e, mjNEQDATA);
  });
  for (std::size_t k = 0; k < given_statistic_.size(); ++k) {
    given_statistic_[k] = !near(&m.stat.meaninertia + k, &statistic_.meaninertia + k, 1);
  }
}

void ModelEdits::derive(Sim& sim) const {
  mjModel& m = sim.model();
  for (const int t : springs_) {
    std::fill_n(m.tendon_lengthspring + kSpringNumbers * t, kSpringNumbers, -1.0);
  }
  for (const int e : welds_) std::fill_n(m.eq_data + mjNEQDATA * e + 6, 4, 0.0);
  sim.set_constants();
  for (std::size_t k = 0; k < given_statistic_.size(); ++k) {
    if (given_statistic_[k]) (&m.stat.meaninertia)[k] = (&statistic_.meaninertia)[k];
  }
}

/// Pairs that say their own friction are edited like their geoms.
void ModelEdits::refresh_pairs(mjModel& m, const Edit& edit, double value) const {
  for (int i = 0; i < m.npair; ++i) {
    const int a = m.pair_geom1[i], b = m.pair_geom2[i];
    if (std::find(pairs_.begin(), pairs_.end(), i) != pairs_.end()) {
      for (int k = 0; k < 5; ++k) {
        m.pair_friction[5 * i + k] = combined_friction(m, a, b, kPairFriction[k]);
      }
    } else if (std::any_of(edit.targets.begin(), edit.targets.end(),
                           [&](const EditTarget& t) { return t.id == a || t.id == b; })) {
      for (int k = 0; k < 2; ++k) {
        double& x = m.pair_friction[5 * i + k];
        x = changed(edit.op, x, value);
      }
    }
  }
}

void ModelEdits::patch(Sim& sim, std::span<const double> values, Patch& out) const {
  mjModel& m = sim.model();
  apply(sim, compiled_);
  for (const std::size_t i : order_) {
    const Edit& edit = edits_[i];
    const EditRow& row = edit_row(edit.kind);
    if (!row.of_model()) continue;
    for (const EditTarget& target : edit.targets) {
      const double to = changed(edit.op, row.get(m, target, edit), values[i]);
      if (!std::isfinite(to)) {
        throw bad_input(fmt::format("{} of '{}' would be {}", row.name, target.name, to));
      }
      row.set(m, target, edit, to);
    }
    if (edit.kind == EditKind::kFriction) refresh_pairs(m, edit, values[i]);
  }
  if ((groups_ & kConstants) != 0) {
    check_inertia(m);
    derive(sim);
  }
  read_fields(m, groups_, out);
}

void ModelEdits::apply(Sim& sim, const Patch& patch) const {
  write_fields(sim.model(), groups_, patch);
}

}  // namespace bpo
