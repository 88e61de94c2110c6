// An ONNX model put together node by node and written as protobuf (onnx.proto, IR version 8). Only
// the messages and fields that such a model needs are here.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bpo {

/// Bytes of one protobuf message.
class ProtoMessage {
 public:
  void integer(int field, std::int64_t value);
  void text(int field, const std::string& value);  // strings, bytes and messages
  void message(int field, const ProtoMessage& value) { text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);
  std::string bytes_;
};

/// A value in a graph, by its name.
using OnnxValue = std::string;

class OnnxModel {
 public:
  enum class Type { kFloat = 1, kInt = 7, kBool = 9, kDouble = 11 };
  using Shape = std::vector<std::int64_t>;
  using Integers = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

  OnnxValue input(const std::string& name, Type type, const Shape& shape);
  void output(const std::string& name, Type type, const Shape& shape, const OnnxValue& value);
  OnnxValue constant(const std::vector<double>& values, const Shape& shape);
  OnnxValue constant(double value) { return constant(std::vector<double>{value}, {}); }
  OnnxValue integers(const std::vector<std::int64_t>& values, const Shape& shape);
  /// A node and its one result. An attribute of one number is an integer, unless it is named as a
  /// list ("axes").
  OnnxValue node(const std::string& op, const std::vector<OnnxValue>& inputs,
                 const Integers& attributes = {});
  OnnxValue cast(const OnnxValue& value, Type to);
  /// Equal parts along an axis.
  std::vector<OnnxValue> split(const OnnxValue& value, int parts, int axis);
  /// state, result... = body(state, item) for each row of `items`, of one number; `body` adds nodes
  /// of its own, which may use values from outside. The results of all calls, stacked.
  using Body = std::function<std::vector<OnnxValue>(const OnnxValue& state, const OnnxValue& item)>;
  std::vector<OnnxValue> scan(const OnnxValue& state, const OnnxValue& items, const Body& body);
  void metadata(const std::string& key, const std::string& value);

  /// The whole file.
  std::string bytes(const std::string& name, const std::string& version) const;

 private:
  std::vector<OnnxValue> nodes(const std::string& op, const std::vector<OnnxValue>& inputs,
                               const Integers& attributes, int results,
                               const ProtoMessage& subgraph = {});
  OnnxValue tensor(Type type, const Shape& shape, const std::string& raw);
  static ProtoMessage value_info(const std::string& name, Type type, const Shape& shape);

  ProtoMessage graph_, metadata_;
  int names_ = 0;
};

}  // namespace bpo
