#include "bpo/agent/export/onnx_floats.h"

#include <array>
#include <cmath>

namespace bpo {
namespace {

using Type = OnnxModel::Type;

constexpr int kWidth = 8;                                    // lanes that simd::sum adds
constexpr int kLeastPower = -126, kPowers = 127 - -126 + 1;  // exp scales by two to these powers

}  // namespace

OnnxValue FloatNodes::rounded(const OnnxValue& x) {
  return m_.cast(m_.cast(x, Type::kFloat), Type::kDouble);
}

OnnxValue FloatNodes::vector(std::span<const float> values) {
  return m_.constant(std::vector<double>(values.begin(), values.end()),
                     {static_cast<std::int64_t>(values.size())});
}

OnnxValue FloatNodes::reshape(const OnnxValue& x, const std::vector<std::int64_t>& shape) {
  return op("Reshape", {x, m_.integers(shape, {static_cast<std::int64_t>(shape.size())})});
}

OnnxValue FloatNodes::fma(const OnnxValue& a, const OnnxValue& b, const OnnxValue& c) {
  return rounded(op("Add", {op("Mul", {a, b}), c}));
}

OnnxValue FloatNodes::polynomial(const OnnxValue& x, std::span<const float> coefficients) {
  OnnxValue p = constant(coefficients[0]);
  for (const float c : coefficients.subspan(1)) p = fma(p, x, constant(c));
  return p;
}

OnnxValue FloatNodes::exp(const OnnxValue& given) {
  static constexpr std::array kCoefficients{1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                                            4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};
  const OnnxValue x = op("Min", {op("Max", {given, constant(-87.0f)}), constant(88.0f)});
  const OnnxValue n = op("Round", {op("Mul", {x, constant(1.44269504088896341f)})});
  const OnnxValue r = fma(n, constant(2.12194440e-4f), fma(n, constant(-0.693359375f), x));
  const OnnxValue p = fma(polynomial(r, kCoefficients), rounded(op("Mul", {r, r})),
                          rounded(op("Add", {r, constant(1.0f)})));
  if (powers_.empty()) {
    std::vector<double> powers;
    for (int i = 0; i < kPowers; ++i) powers.push_back(std::ldexp(1.0, kLeastPower + i));
    powers_ = m_.constant(powers, {kPowers});
  }
  const OnnxValue place = op("Sub", {m_.cast(n, Type::kInt), m_.integers({kLeastPower}, {})});
  return op("Mul", {p, op("Gather", {powers_, place})});
}

OnnxValue FloatNodes::tanh(const OnnxValue& x) {
  static constexpr std::array kCoefficients{-5.70498872745e-3f, 2.06390887954e-2f,
                                            -5.37397155531e-2f, 1.33314422036e-1f,
                                            -3.33332819422e-1f};
  const OnnxValue a = op("Abs", {x}), one = constant(1.0f);
  const OnnxValue e = rounded(op("Add", {exp(op("Add", {a, a})), one}));
  const OnnxValue far = rounded(op("Sub", {one, rounded(op("Div", {constant(2.0f), e}))}));
  const OnnxValue z = rounded(op("Mul", {x, x}));
  const OnnxValue p = rounded(op("Mul", {polynomial(z, kCoefficients), z}));
  return op("Where",
            {op("Less", {a, constant(0.625f)}), fma(p, x, x), op("Mul", {op("Sign", {x}), far})});
}

OnnxValue FloatNodes::product(const OnnxValue& x, const std::vector<double>& w, int in, int out,
                              const OnnxValue& start) {
  const OnnxValue all = op("Mul", {reshape(x, {in, 1}), m_.constant(w, {in, out})});
  OnnxValue sum = start;
  for (const OnnxValue& row : m_.split(all, in, 0)) sum = rounded(op("Add", {sum, row}));
  return reshape(sum, {out});
}

OnnxValue FloatNodes::plain_product(const OnnxValue& x, const std::vector<double>& w, int in,
                                    int out) {
  const OnnxValue all = op("Mul", {reshape(x, {in, 1}), m_.constant(w, {in, out})});
  return reshape(total(rounded(all), in, 0), {out});
}

OnnxValue FloatNodes::total(const OnnxValue& x, int parts, int axis) {
  OnnxValue sum;
  for (const OnnxValue& part : m_.split(x, parts, axis)) {
    sum = sum.empty() ? part : rounded(op("Add", {sum, part}));
  }
  return sum;
}

OnnxValue FloatNodes::softmax(const OnnxValue& x, int count) {
  const OnnxValue most = op("ReduceMax", {x}, {{"axes", {0}}, {"keepdims", {1}}});
  const OnnxValue e = exp(rounded(op("Sub", {x, most})));
  const OnnxValue scale = rounded(op("Div", {constant(1.0f), total(e, count, 0)}));
  return rounded(op("Mul", {e, scale}));
}

OnnxValue FloatNodes::probabilities(const OnnxValue& w, int rows, int cells) {
  const OnnxValue x = rounded(w);
  const OnnxValue e = op("Where", {op("Greater", {x, constant(-80.0f)}), exp(x), constant(0.0f)});
  const int steps = (cells + kWidth - 1) / kWidth, more = steps * kWidth - cells;
  OnnxValue padded = e;
  if (more > 0) {
    const OnnxValue zeros =
        m_.constant(std::vector<double>(static_cast<std::size_t>(rows * more)), {rows, more});
    padded = op("Concat", {e, zeros}, {{"axis", {1}}});
  }
  const OnnxValue sums = total(reshape(padded, {rows, steps, kWidth}), steps, 1);
  const std::vector<OnnxValue> t = m_.split(sums, kWidth, 2);
  const auto plus = [&](const OnnxValue& a, const OnnxValue& b) {
    return rounded(op("Add", {a, b}));
  };
  const OnnxValue sum =
      plus(plus(plus(t[0], t[4]), plus(t[2], t[6])), plus(plus(t[1], t[5]), plus(t[3], t[7])));
  const OnnxValue scale = rounded(op("Div", {constant(1.0f), reshape(sum, {rows, 1})}));
  return rounded(op("Mul", {e, scale}));
}

}  // namespace bpo
