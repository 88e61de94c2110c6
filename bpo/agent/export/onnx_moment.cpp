// The moment filter (filters/moment.h) as ONNX nodes: its quadrature's nodes are found one after
// the other by a Scan, and what z says at them is computed for all of them together.
#include <cmath>

#include "bpo/agent/export/onnx_graph.h"

namespace bpo {
namespace {

constexpr double kLeastVariance = 1e-18;
constexpr double kLogRootTwoPi = 0.9189385332046727;

// log P(N(0, 1) < k) as Taylor series around points that are 1 / kPerUnit apart.
constexpr double kLowest = -30.0, kHighest = 9.0;
constexpr int kPerUnit = 8, kOrder = 8;
constexpr int kPoints = static_cast<int>((kHighest - kLowest) * kPerUnit) + 1;

/// Coefficients [point][power]. With g = (log P)', g' = -g (k + g), which tells one after the
/// other.
std::vector<double> normal_series() {
  std::vector<double> out;
  for (int i = 0; i < kPoints; ++i) {
    const double k = kLowest + static_cast<double>(i) / kPerUnit;
    const double value = std::log(0.5 * std::erfc(-k / std::sqrt(2.0)));
    std::vector<double> g{std::exp(-0.5 * k * k - kLogRootTwoPi - value)};
    for (int n = 0; n + 1 < kOrder; ++n) {
      double sum = k * g[n] + (n > 0 ? g[n - 1] : 0.0);
      for (int j = 0; j <= n; ++j) sum += g[j] * g[n - j];
      g.push_back(-sum / (n + 1));
    }
    out.push_back(value);
    for (int n = 0; n < kOrder; ++n) out.push_back(g[n] / (n + 1));
  }
  return out;
}

class MomentNodes {
 public:
  MomentNodes(const LightForm& form, OnnxModel& model, const OnnxValue& place, const OnnxValue& v,
              const OnnxValue& z)
      : l_(form),
        m_(model),
        x_(at(place, 0)),
        y_(at(place, 1)),
        s_(op("Max", {v, number(kLeastVariance)})),
        sd_(op("Sqrt", {s_})),
        z_x_(at(z, 0)),
        z_y_(at(z, 1)) {}

  OnnxValue posterior() {
    find_nodes();
    const OnnxValue one = number(1.0);
    const OnnxValue x = add(x_, dx_), w = noise(x), t = add(s_, w);
    const Part along = along_x(x, w), across = across_y(w, t);
    const OnnxValue exponent =
        add(add(div(mul(number(-0.5), mul(dx_, dx_)), s_), along.exponent), across.exponent);
    const OnnxValue top = op("ReduceMax", {exponent}, {{"axes", {0}}, {"keepdims", {1}}});
    const OnnxValue width = div(one, add(div(one, sd_), div(one, wide_)));
    const OnnxValue weight =
        mul(mul(width, mul(along.factor, across.factor)), op("Exp", {op("Sub", {exponent, top})}));
    const OnnxValue all = sum(weight);
    const OnnxValue shift_x = div(sum(mul(weight, dx_)), all),
                    shift_y = div(sum(mul(weight, across.mean)), all);
    const OnnxValue squares =
        sum(mul(weight, add(mul(dx_, dx_), add(mul(across.mean, across.mean), across.variance))));
    const OnnxValue both =
        sub(div(squares, all), add(mul(shift_x, shift_x), mul(shift_y, shift_y)));
    const OnnxValue variance = op("Max", {mul(number(0.5), both), number(kLeastVariance)});
    return op("Concat", {add(x_, shift_x), add(y_, shift_y), variance}, {{"axis", {0}}});
  }

 private:
  struct Part {
    OnnxValue mean, variance, exponent, factor;
  };

  OnnxValue op(const char* name, const std::vector<OnnxValue>& inputs,
               const OnnxModel::Integers& attributes = {}) {
    return m_.node(name, inputs, attributes);
  }
  OnnxValue number(double x) { return m_.constant(x); }
  OnnxValue add(const OnnxValue& a, const OnnxValue& b) { return op("Add", {a, b}); }
  OnnxValue sub(const OnnxValue& a, const OnnxValue& b) { return op("Sub", {a, b}); }
  OnnxValue mul(const OnnxValue& a, const OnnxValue& b) { return op("Mul", {a, b}); }
  OnnxValue div(const OnnxValue& a, const OnnxValue& b) { return op("Div", {a, b}); }
  OnnxValue at(const OnnxValue& x, int i) { return op("Gather", {x, m_.integers({i}, {1})}); }
  OnnxValue sum(const OnnxValue& x) {
    return op("ReduceSum", {x, m_.integers({0}, {1})}, {{"keepdims", {0}}});
  }
  OnnxValue where(const OnnxValue& condition, const OnnxValue& a, const OnnxValue& b) {
    return op("Where", {condition, a, b});
  }
  OnnxValue noise(const OnnxValue& x) {
    const OnnxValue away = op("Abs", {sub(x, number(l_.light))});
    const OnnxValue sd = add(div(away, number(std::sqrt(2.0))), number(l_.least_sd));
    return mul(sd, sd);
  }
  /// The logarithm of |x| + sqrt(x^2 + 1), with the sign of x.
  OnnxValue asinh(const OnnxValue& x) {
    const OnnxValue a = op("Abs", {x});
    const OnnxValue root = op("Sqrt", {add(mul(a, a), number(1.0))});
    return mul(op("Sign", {x}), op("Log", {add(a, root)}));
  }

  /// Nodes evenly spaced in tau(x) = x / sd + asinh((x - offset) / scale): dx_ and wide_.
  void find_nodes() {
    const OnnxValue offset = sub(number(l_.light), x_);
    const OnnxValue far = mul(number(0.25), op("Abs", {sub(z_x_, number(l_.light))}));
    const OnnxValue scale = op("Max", {far, number(std::sqrt(l_.least_sd * l_.least_sd))});
    const OnnxValue reach = mul(number(6.0), sd_), back = op("Neg", {reach});
    const OnnxValue start = asinh(div(sub(back, offset), scale));
    const OnnxValue first = add(div(back, sd_), start);
    const OnnxValue last = add(div(reach, sd_), asinh(div(sub(reach, offset), scale)));
    const OnnxValue steps = op("Ceil", {div(sub(last, first), number(0.4))});
    const OnnxValue step = div(sub(last, first), steps);
    const OnnxValue count = op("Reshape", {add(steps, number(1.0)), m_.integers({}, {0})});
    const OnnxValue range = op("Range", {number(0.0), count, number(1.0)});
    const OnnxValue items = op("Reshape", {range, m_.integers({-1, 1}, {2})});
    const auto found = m_.scan(start, items, [&](const OnnxValue& state, const OnnxValue& i) {
      const OnnxValue want = add(first, mul(i, step)), half = mul(number(0.5), scale);
      const OnnxValue one = number(1.0);
      OnnxValue v = state, x, wide, slope;
      for (int k = 0; k < 2; ++k) {
        const OnnxValue e = op("Exp", {v}), inverse = div(one, e);
        x = add(offset, mul(half, sub(e, inverse)));
        wide = mul(half, add(e, inverse));
        slope = add(div(wide, sd_), one);
        v = add(v, div(sub(sub(want, div(x, sd_)), v), slope));
      }
      return std::vector{add(v, div(step, slope)), x, wide};
    });
    dx_ = found[0];
    wide_ = found[1];
  }

  OnnxValue log_normal_below(const OnnxValue& k) {
    const OnnxValue inside = op("Min", {op("Max", {k, number(kLowest)}), number(kHighest)});
    const OnnxValue place = op("Round", {mul(sub(inside, number(kLowest)), number(kPerUnit))});
    const OnnxValue h = sub(sub(inside, number(kLowest)), div(place, number(kPerUnit)));
    if (series_.empty()) series_ = m_.constant(normal_series(), {kPoints, kOrder + 1});
    const OnnxValue rows = op("Gather", {series_, m_.cast(place, OnnxModel::Type::kInt)});
    const std::vector<OnnxValue> a = m_.split(rows, kOrder + 1, 2);  // each [n][1][1]
    const OnnxValue shape = m_.integers({-1, 1}, {2});
    OnnxValue p = op("Reshape", {a[kOrder], shape});
    for (int n = kOrder - 1; n >= 0; --n) p = add(mul(p, h), op("Reshape", {a[n], shape}));
    const OnnxValue below = op("Neg", {op("Min", {k, number(kLowest)})});
    const OnnxValue tail =
        sub(sub(mul(number(-0.5), mul(below, below)), op("Log", {below})), number(kLogRootTwoPi));
    return where(op("Greater", {k, number(kLowest)}), p, tail);
  }

  /// What the measured x says at the nodes; at a wall it says only that it is beyond it.
  Part along_x(const OnnxValue& x, const OnnxValue& w) {
    const OnnxValue root = op("Sqrt", {w}), high = number(l_.high[0]), low = number(l_.low[0]);
    const OnnxValue above = op("GreaterOrEqual", {z_x_, high});
    const OnnxValue below = op("LessOrEqual", {z_x_, low});
    const OnnxValue away = sub(z_x_, x);
    const OnnxValue beyond = log_normal_below(div(where(above, sub(x, high), sub(low, x)), root));
    const OnnxValue wall = op("Or", {above, below});
    return {.exponent = where(wall, beyond, div(mul(number(-0.5), mul(away, away)), w)),
            .factor = where(wall, number(1.0), div(number(1.0), root))};
  }

  /// What the measured y says, for which the place's y is integrated in closed form.
  Part across_y(const OnnxValue& w, const OnnxValue& t) {
    const OnnxValue root = op("Sqrt", {t}), high = number(l_.high[1]), low = number(l_.low[1]);
    const OnnxValue above = op("GreaterOrEqual", {z_y_, high});
    const OnnxValue wall = op("Or", {above, op("LessOrEqual", {z_y_, low})});
    const OnnxValue away = sub(z_y_, y_);
    const OnnxValue k = div(where(above, sub(y_, high), sub(low, y_)), root);
    const OnnxValue q = log_normal_below(k);
    const OnnxValue density =
        op("Exp", {sub(sub(mul(number(-0.5), mul(k, k)), number(kLogRootTwoPi)), q)});
    const OnnxValue shift = mul(div(s_, root), density);
    const OnnxValue cut =
        op("Min", {op("Max", {mul(density, add(density, k)), number(0.0)}), number(1.0)});
    return {.mean = where(wall, where(above, shift, op("Neg", {shift})), mul(div(s_, t), away)),
            .variance = where(wall, sub(s_, mul(div(mul(s_, s_), t), cut)), div(mul(s_, w), t)),
            .exponent = where(wall, q, div(mul(number(-0.5), mul(away, away)), t)),
            .factor = where(wall, number(1.0), div(number(1.0), root))};
  }

  const LightForm& l_;
  OnnxModel& m_;
  OnnxValue x_, y_, s_, sd_, z_x_, z_y_;  // the place, its variance and deviation, what is measured
  OnnxValue dx_, wide_, series_;
};

}  // namespace

OnnxValue onnx_moments(const LightForm& form, OnnxModel& model, const OnnxValue& place,
                       const OnnxValue& v, const OnnxValue& z) {
  return MomentNodes(form, model, place, v, z).posterior();
}

}  // namespace bpo
