#include "bpo/agent/export/onnx_model.h"

#include <bit>
#include <cstring>

namespace bpo {
namespace {

enum Wire { kVarint = 0, kBytes = 2, kFixed32 = 5 };

// Fields of onnx.proto.
enum Model { kIrVersion = 1, kProducer = 2, kVersion = 3, kGraph = 7, kOpset = 8, kMetadata = 14 };
enum Graph { kNode = 1, kGraphName = 2, kInitializer = 5, kInput = 11, kOutput = 12 };
enum Node { kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kOp = 4, kAttribute = 5 };
enum Attribute {
  kAttributeName = 1,
  kInteger = 3,
  kSubgraph = 6,
  kIntegers = 8,
  kAttributeType = 20
};
enum Tensor { kDims = 1, kDataType = 2, kTensorName = 8, kRaw = 9 };

constexpr int kIr = 8, kOpsetVersion = 17;
constexpr int kTypeInteger = 2, kTypeGraph = 5, kTypeIntegers = 7;

template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  static_assert(std::endian::native == std::endian::little);
  std::string out(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

}  // namespace

void ProtoMessage::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void ProtoMessage::integer(int field, std::int64_t value) {
  varint(static_cast<std::uint64_t>(field) << 3 | kVarint);
  varint(static_cast<std::uint64_t>(value));
}

void ProtoMessage::text(int field, const std::string& value) {
  varint(static_cast<std::uint64_t>(field) << 3 | kBytes);
  varint(value.size());
  bytes_ += value;
}

ProtoMessage OnnxModel::value_info(const std::string& name, Type type, const Shape& shape) {
  ProtoMessage dims, tensor, any, out;
  for (const std::int64_t size : shape) {
    ProtoMessage dim;
    dim.integer(1, size);
    dims.message(1, dim);
  }
  tensor.integer(1, static_cast<int>(type));
  tensor.message(2, dims);
  any.message(1, tensor);
  out.text(1, name);
  out.message(2, any);
  return out;
}

OnnxValue OnnxModel::input(const std::string& name, Type type, const Shape& shape) {
  graph_.message(kInput, value_info(name, type, shape));
  return name;
}

void OnnxModel::output(const std::string& name, Type type, const Shape& shape,
                       const OnnxValue& value) {
  ProtoMessage node;
  node.text(kNodeInput, value);
  node.text(kNodeOutput, name);
  node.text(kNodeName, "output_" + name);
  node.text(kOp, "Identity");
  graph_.message(kNode, node);
  graph_.message(kOutput, value_info(name, type, shape));
}

OnnxValue OnnxModel::tensor(Type type, const Shape& shape, const std::string& raw) {
  const std::string name = "constant_" + std::to_string(names_++);
  ProtoMessage out;
  for (const std::int64_t size : shape) out.integer(kDims, size);
  out.integer(kDataType, static_cast<int>(type));
  out.text(kTensorName, name);
  out.text(kRaw, raw);
  graph_.message(kInitializer, out);
  return name;
}

OnnxValue OnnxModel::constant(const std::vector<double>& values, const Shape& shape) {
  return tensor(Type::kDouble, shape, raw_bytes(values));
}

OnnxValue OnnxModel::integers(const std::vector<std::int64_t>& values, const Shape& shape) {
  return tensor(Type::kInt, shape, raw_bytes(values));
}

std::vector<OnnxValue> OnnxModel::nodes(const std::string& op, const std::vector<OnnxValue>& inputs,
                                        const Integers& attributes, int results,
                                        const ProtoMessage& subgraph) {
  const std::string name = op + "_" + std::to_string(names_++);
  std::vector<OnnxValue> made;
  for (int i = 0; i < results; ++i) {
    made.push_back(results == 1 ? name : name + "_" + std::to_string(i));
  }
  ProtoMessage out;
  for (const OnnxValue& value : inputs) out.text(kNodeInput, value);
  for (const OnnxValue& value : made) out.text(kNodeOutput, value);
  out.text(kNodeName, "node_" + name);
  out.text(kOp, op);
  for (const auto& [key, values] : attributes) {
    ProtoMessage attribute;
    attribute.text(kAttributeName, key);
    const bool list = key == "axes";
    for (const std::int64_t v : values) attribute.integer(list ? kIntegers : kInteger, v);
    attribute.integer(kAttributeType, list ? kTypeIntegers : kTypeInteger);
    out.message(kAttribute, attribute);
  }
  if (!subgraph.bytes().empty()) {
    ProtoMessage attribute;
    attribute.text(kAttributeName, "body");
    attribute.message(kSubgraph, subgraph);
    attribute.integer(kAttributeType, kTypeGraph);
    out.message(kAttribute, attribute);
  }
  graph_.message(kNode, out);
  return made;
}

std::vector<OnnxValue> OnnxModel::scan(const OnnxValue& state, const OnnxValue& items,
                                       const Body& body) {
  ProtoMessage outer;
  std::swap(graph_, outer);
  const std::string number = std::to_string(names_++);
  graph_.text(kGraphName, "body_" + number);
  const OnnxValue carried = input("state_" + number, Type::kDouble, {1});
  const OnnxValue item = input("item_" + number, Type::kDouble, {1});
  const std::vector<OnnxValue> results = body(carried, item);
  for (const OnnxValue& result : results) {
    output("result_" + std::to_string(names_++), Type::kDouble, {1}, result);
  }
  std::swap(graph_, outer);
  const std::vector<OnnxValue> all = nodes("Scan", {state, items}, {{"num_scan_inputs", {1}}},
                                           static_cast<int>(results.size()), outer);
  return {all.begin() + 1, all.end()};
}

OnnxValue OnnxModel::node(const std::string& op, const std::vector<OnnxValue>& inputs,
                          const Integers& attributes) {
  return nodes(op, inputs, attributes, 1)[0];
}

std::vector<OnnxValue> OnnxModel::split(const OnnxValue& value, int parts, int axis) {
  return parts == 1 ? std::vector{value} : nodes("Split", {value}, {{"axis", {axis}}}, parts);
}

OnnxValue OnnxModel::cast(const OnnxValue& value, Type to) {
  return node("Cast", {value}, {{"to", {static_cast<int>(to)}}});
}

void OnnxModel::metadata(const std::string& key, const std::string& value) {
  ProtoMessage entry;
  entry.text(1, key);
  entry.text(2, value);
  metadata_.message(kMetadata, entry);
}

std::string OnnxModel::bytes(const std::string& name, const std::string& version) const {
  ProtoMessage opset, graph = graph_, out;
  opset.text(1, "");
  opset.integer(2, kOpsetVersion);
  graph.text(kGraphName, name);
  out.integer(kIrVersion, kIr);
  out.text(kProducer, "bpo");
  out.text(kVersion, version);
  out.message(kGraph, graph);
  out.message(kOpset, opset);
  return out.bytes() + metadata_.bytes();
}

}  // namespace bpo
