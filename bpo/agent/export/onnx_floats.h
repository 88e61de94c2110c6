// The agent's float arithmetic as ONNX nodes, operation by operation: the chains of nn/kernels.h,
// and exp and tanh of core/simd.h. Every value is a double that holds a float. Sums, products and
// quotients of floats are computed in double and rounded to float, which is what float arithmetic
// gives; so is a * b + c, whose product is exact there. Rounding that twice differs from a fused
// multiply-add about once in 2^29.
#pragma once

#include <span>
#include <vector>

#include "bpo/agent/export/onnx_model.h"

namespace bpo {

class FloatNodes {
 public:
  explicit FloatNodes(OnnxModel& model) : m_(model) {}

  /// To the nearest float.
  OnnxValue rounded(const OnnxValue& x);
  OnnxValue constant(float x) { return m_.constant(double{x}); }
  OnnxValue vector(std::span<const float> values);
  OnnxValue fma(const OnnxValue& a, const OnnxValue& b, const OnnxValue& c);
  OnnxValue exp(const OnnxValue& x);
  OnnxValue tanh(const OnnxValue& x);

  /// start + W x for `w` in the order [input][output]: one chain per output, in the inputs' order.
  OnnxValue product(const OnnxValue& x, const std::vector<double>& w, int in, int out,
                    const OnnxValue& start);
  /// The same with products that are rounded before they are added.
  OnnxValue plain_product(const OnnxValue& x, const std::vector<double>& w, int in, int out);
  /// The parts of `x` along an axis, added one after the other.
  OnnxValue total(const OnnxValue& x, int parts, int axis);
  /// e^x / sum e^x, in the order of nn/heads.h.
  OnnxValue softmax(const OnnxValue& x, int count);
  /// e^w / sum e^w of each row of `w`, in the order of LogWeights::probabilities.
  OnnxValue probabilities(const OnnxValue& w, int rows, int cells);

 private:
  OnnxValue op(const char* name, const std::vector<OnnxValue>& inputs,
               const OnnxModel::Integers& attributes = {}) {
    return m_.node(name, inputs, attributes);
  }
  OnnxValue polynomial(const OnnxValue& x, std::span<const float> coefficients);
  OnnxValue reshape(const OnnxValue& x, const std::vector<std::int64_t>& shape);

  OnnxModel& m_;
  OnnxValue powers_;  // the table of powers of two, made at first use
};

}  // namespace bpo
