// LightDark (Platt et al. 2010; Sec. 5): walk to a goal in a room that is dark but for the light at
// x = 5. Where one stands is only measured, with variance (x - 5)^2 / 2: it pays to walk to the
// light first. A step costs .5 |s' - g|^2 + .5 |a|^2; within 0.1 of the goal the episode ends and
// that step costs penalty |s' - g|^2; the last of 15 steps adds that elsewhere, too.
#include <algorithm>
#include <array>
#include <cmath>

#include "bpo/core/any_problem.h"
#include "bpo/filters/ekf.h"
#include "bpo/filters/moment.h"
#include "bpo/filters/particle.h"

namespace bpo {
namespace {

constexpr double kLight = 5.0, kReach = 0.1, kLongest = 0.5, kLeastSd = 1e-6, kPriorMean = 2.0,
                 kPriorVariance = 2.25;
constexpr Room kRoom{.left = -1.0,
                     .right = 7.0,
                     .bottom = -2.0,
                     .top = 4.0,
                     .light = kLight,
                     .goal = 2,
                     .reach = kReach};

struct LightDarkOptions {
  static constexpr std::array kAgentOptions{"leak", "clock", "filter", "particles"};
  std::int64_t horizon = 15;
  double penalty = 5000.0;
  bool leak = false;
  bool clock = true;
  std::string filter = "ekf";
  std::int64_t particles = 256;

  void visit(OptionVisitor& v) {
    v.integer("horizon", horizon, {1, 100000}, "steps per episode");
    v.number("penalty", penalty, {0.0, 1e9}, "cost of the squared distance to the goal at the end");
    v.flag("leak", leak,
           "whether filter and policy know the true noise, and with it |x - 5| (the authors' do)");
    v.flag("clock", clock, "whether the policy sees how near the end is (the paper's does not)");
    v.choice("filter", filter, {"ekf", "moment", "particle"}, "the filter that keeps the belief");
    v.integer("particles", particles, {2, 1e6}, "number of particles of the particle filter");
  }
  TrainingDefaults training_defaults() const {
    // Sharp turns in a deep network: its Fisher matrix needs many conjugate-gradient steps, and
    // an eighth of the inputs tells it well enough.
    // The moment filter's variance says more than the EKF's, and takes longer to make use of.
    return {{"algo.iterations", filter == "moment" ? 400 : 300},
            {"algo.validate_episodes", 5000},
            {"algo.baseline", "privileged"},
            {"algo.value_steps", 5},
            {"algo.spread", "own"},
            {"algo.whiten", true},
            {"algo.init_head", 0.01},
            {"optimizer.batch_steps", 50000},
            {"optimizer.kl", 0.1},
            {"optimizer.kl_end", 0.008},
            {"optimizer.cg_iterations", 80},
            {"optimizer.cg_subsample", 0.12}};
  }
};

class LightDark {
 public:
  static constexpr int kHidden = 2, kMeasured = 2;
  static constexpr bool kIsotropic = true;
  using Latent = Vector<2>;  // where one stands
  struct State {
    Vector<2> goal;
    int t = 0;
  };
  struct Observation {
    Vector<2> measured, goal;
    double sd = 0.0;
  };
  using Action = std::span<const float>;

  explicit LightDark(const LightDarkOptions& options) : options_(options) {}

  ProblemSpec spec() const {
    return {.name = "lightdark",
            .horizon = static_cast<int>(options_.horizon),
            .discount = 1.0,
            .actions = {.dim = 2, .low = -kLongest, .high = kLongest},
            // DEVIATION: when to leave the light depends on the time left.
            .clock = options_.clock ? static_cast<double>(options_.horizon) : 0.0,
            .state_observed = false,
            .obs_dim = options_.leak ? 7 : 6,
            .latent_dim = 2,
            .goal_at = kRoom.goal};
  }
  ProblemView view() const {
    ProblemView out{.observation = {"measured x", "measured y", "goal x", "goal y"},
                    .actions = {"stride along x", "stride along y"},
                    .latents = {"x", "y"},
                    .room = kRoom};
    out.units.assign(4, "unit of the room");
    out.latent_units.assign(2, "unit of the room");
    out.action_unit = "unit of the room";
    if (options_.leak) {
      out.observation.push_back("standard deviation of the noise");
      out.units.push_back("unit of the room");
    }
    return out;
  }

  Latent sample_latent(Rng& rng) const { return inside(2.0, 4.0, rng); }
  Latent latent_of(std::span<const double> position) const {
    return into_room({position[0], position[1]});
  }
  State sample_state(const Latent&, Rng& rng) const { return {inside(0.0, 2.0, rng)}; }

  StepResult step(State& s, Latent& x, Action a, Rng&) const {
    x = move(x, a);
    const double distance = (x - s.goal).squaredNorm();
    if (distance < kReach * kReach) return {-options_.penalty * distance, true};
    const bool last = ++s.t == options_.horizon;
    return {-walk(distance, a) - (last ? options_.penalty * distance : 0.0), last};
  }

  Observation observe(const State& s, const Latent& x, Rng& rng) const {
    const double sd = sd_at(x[0]);
    const double up = rng.normal(), right = rng.normal();  // a call's arguments come in any order
    return {into_room(x + sd * Vector<2>(right, up)), s.goal, sd};
  }

  void encode(const Observation& o, std::span<float> out) const {
    for (int i = 0; i < 2; ++i) {
      out[i] = static_cast<float>(o.measured[i]);
      out[2 + i] = static_cast<float>(o.goal[i]);
      out[4 + i] = static_cast<float>(o.measured[i] - o.goal[i]);
    }
    if (options_.leak) out[6] = static_cast<float>(o.sd);
  }
  std::vector<InputTerm> input_terms() const {
    std::vector<InputTerm> out{{0}, {1}, {2}, {3}, {0, 2}, {1, 3}};
    if (options_.leak) out.push_back({4});
    return out;
  }
  void encode_latent(const Latent& x, std::span<float> out) const {
    for (int i = 0; i < 2; ++i) out[i] = static_cast<float>(x[i]);
  }

  // An observation in plain numbers: where one seems to be, the goal, and the noise where it leaks.
  int observation_size() const { return options_.leak ? 5 : 4; }
  void to_numbers(const Observation& o, std::span<double> out) const {
    for (int i = 0; i < 2; ++i) {
      out[i] = o.measured[i];
      out[2 + i] = o.goal[i];
    }
    if (options_.leak) out[4] = o.sd;
  }
  void from_numbers(std::span<const double> in, Observation& o) const {
    o = {{in[0], in[1]}, {in[2], in[3]}, options_.leak ? in[4] : 0.0};
  }

  // The Gaussian model. Walls are part of the motion but not of its Jacobian: a mean that touches
  // one does not know the wall, and the covariance stays isotropic.
  Gaussian<2> prior() const {
    return {Vector<2>::Constant(kPriorMean), kPriorVariance * Matrix<2>::Identity()};
  }
  Vector<2> move(const Vector<2>& x, Action a) const { return into_room(x + stride(a)); }
  Matrix<2> move_jacobian(const Vector<2>&, Action) const { return Matrix<2>::Identity(); }
  Matrix<2> move_noise(const Vector<2>&, Action) const { return Matrix<2>::Zero(); }
  Vector<2> measure(const Vector<2>& x) const { return x; }
  Matrix<2> measure_jacobian(const Vector<2>&) const { return Matrix<2>::Identity(); }
  Vector<2> measured(const Observation& o) const { return o.measured; }
  Matrix<2> noise(const Gaussian<2>& belief, const Observation& o) const {
    if (options_.leak) return o.sd * o.sd * Matrix<2>::Identity();
    return expected_noise(belief);
  }
  /// DEVIATION: the authors take the noise at the true x; this is all the belief can tell of it.
  /// The noise at the mean would be overconfident in the light, where it vanishes.
  Matrix<2> expected_noise(const Gaussian<2>& belief) const {
    return (noise_at(belief.mean[0]) + 0.5 * belief.covariance(0, 0)) * Matrix<2>::Identity();
  }
  LightForm light_form() const {
    return {.mean = {kPriorMean, kPriorMean},
            .low = {kRoom.left, kRoom.bottom},
            .high = {kRoom.right, kRoom.top},
            .variance = kPriorVariance,
            .light = kLight,
            .least_sd = kLeastSd,
            .longest = kLongest,
            .leak = options_.leak};
  }
  double noise_at(double x) const { return sd_at(x) * sd_at(x); }
  double light() const { return kLight; }
  bool noise_known() const { return options_.leak; }
  Vector<2> measured_low() const { return {kRoom.left, kRoom.bottom}; }
  Vector<2> measured_high() const { return {kRoom.right, kRoom.top}; }
  int particles() const { return static_cast<int>(options_.particles); }

  double expected_reward(const Gaussian<2>& next, Action a, std::span<const float> obs,
                         bool last) const {
    const Vector<2> goal(obs[kRoom.goal], obs[kRoom.goal + 1]);
    const double distance = (next.mean - goal).squaredNorm() + next.covariance.trace();
    return -walk(distance, a) - (last ? options_.penalty * distance : 0.0);
  }

 private:
  static double sd_at(double x) { return std::abs(x - kLight) / std::sqrt(2.0) + kLeastSd; }
  static Vector<2> stride(Action a) {
    return {std::clamp<double>(a[0], -kLongest, kLongest),
            std::clamp<double>(a[1], -kLongest, kLongest)};
  }
  static double walk(double distance, Action a) {
    return 0.5 * (distance + stride(a).squaredNorm());
  }
  static Vector<2> into_room(const Vector<2>& x) {
    return {std::clamp(x[0], kRoom.left, kRoom.right), std::clamp(x[1], kRoom.bottom, kRoom.top)};
  }
  static Vector<2> inside(double left, double right, Rng& rng) {
    const double u = rng.uniform(), v = rng.uniform();
    return {left + (right - left) * u, kRoom.bottom + (kRoom.top - kRoom.bottom) * v};
  }

  LightDarkOptions options_;
};

const RegisterProblem kLightDark{problem_entry<LightDark, LightDarkOptions, EkfFilter<LightDark>,
                                               MomentFilter<LightDark>, ParticleFilter<LightDark>>(
    "lightdark", "find the goal of a dark room; only the light tells where one is (POMDP)")};

}  // namespace
}  // namespace bpo
