// Named tensors in the safetensors format: 8 bytes of header length (little-endian), a JSON header
// {"name": {"dtype", "shape", "data_offsets"}, "__metadata__": {string: string}}, then the data.
// The parser takes hostile bytes: it accepts only files whose tensors cover the data exactly, and
// its memory is bounded by the size of the file. https://github.com/huggingface/safetensors
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bpo {

template <typename T>
concept TensorElement =
    std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int64_t> ||
    std::same_as<T, std::uint64_t> || std::same_as<T, std::uint8_t>;

template <TensorElement T>
constexpr std::string_view dtype_of() {
  if constexpr (std::same_as<T, float>) return "F32";
  if constexpr (std::same_as<T, double>) return "F64";
  if constexpr (std::same_as<T, std::int64_t>) return "I64";
  if constexpr (std::same_as<T, std::uint64_t>) return "U64";
  if constexpr (std::same_as<T, std::uint8_t>) return "U8";
}

using TensorShape = std::vector<std::int64_t>;

struct Tensor {
  std::string dtype;
  TensorShape shape;  // row-major; {} is a scalar
  std::vector<std::byte> data;

  /// Copies the values; their number must be the product of the shape.
  template <TensorElement T>
  static Tensor of(std::span<const T> values, TensorShape shape) {
    Tensor tensor{std::string(dtype_of<T>()), std::move(shape), {}};
    const auto bytes = std::as_bytes(values);
    tensor.data.assign(bytes.begin(), bytes.end());
    tensor.check("tensor");
    return tensor;
  }
  template <TensorElement T>
  static Tensor of(std::span<const T> values) {
    return of<T>(values, {static_cast<std::int64_t>(values.size())});
  }

  /// The values; another dtype is an Error. The span lives as long as the tensor.
  template <TensorElement T>
  std::span<const T> as() const {
    check_dtype(dtype_of<T>(), "tensor");
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }

  /// Throws, opening the message with `where`, unless dtype, shape and data agree.
  void check(const std::string& where) const;
  void check_dtype(std::string_view wanted, const std::string& where) const;
  void check_shape(const TensorShape& wanted, const std::string& where) const;

  bool operator==(const Tensor&) const = default;
};

class TensorFile {
 public:
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;

  /// The same bytes for the same content: names are sorted, the header is padded to 8 bytes.
  std::string serialize() const;
  /// The beginning of those bytes where a tensor of bytes comes last, behind all others by its
  /// name, that somebody else holds.
  std::string serialize_before(const std::string& last, std::uint64_t last_bytes) const;
  /// `name` opens every error message, now and in at() and get().
  static TensorFile parse(std::string_view bytes, const std::string& name);
  static TensorFile load(const std::string& path);
  void save(const std::string& path) const;

  /// The tensor or metadata value of that name; an Error names the file and what is missing.
  const Tensor& at(const std::string& tensor) const;
  const std::string& metadata_at(const std::string& key) const;

  /// The values of a tensor that must have this element type, and this shape if one is given.
  template <TensorElement T>
  std::span<const T> get(const std::string& tensor) const {
    const Tensor& found = at(tensor);
    found.check_dtype(dtype_of<T>(), where(tensor));
    return found.as<T>();
  }
  template <TensorElement T>
  std::span<const T> get(const std::string& tensor, const TensorShape& shape) const {
    const std::span<const T> values = get<T>(tensor);
    at(tensor).check_shape(shape, where(tensor));
    return values;
  }

  /// A copy of a tensor's values; one that is not finite is an Error.
  template <TensorElement T>
  std::vector<T> finite(const std::string& tensor) const {
    const std::span<const T> values = get<T>(tensor);
    check_finite(std::all_of(values.begin(), values.end(), [](T x) { return std::isfinite(x); }),
                 tensor);
    return {values.begin(), values.end()};
  }

  /// Compares the content; the file's name is not part of it.
  bool operator==(const TensorFile& other) const {
    return tensors == other.tensors && metadata == other.metadata;
  }

 private:
  std::string where(const std::string& tensor) const;
  void check_finite(bool finite, const std::string& tensor) const;

  std::string name_ = "tensors";
};

}  // namespace bpo
