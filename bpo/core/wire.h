// A result as bytes, so that it may be computed elsewhere. One function names the parts of a result
// and serves both ways: a Wire made for writing appends them or hands them to whoever wants them,
// one made for reading fills them in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace bpo {

class Wire {
 public:
  /// Gets the bytes one after the other, as they lie in memory.
  using Sink = std::function<void(std::span<const std::byte>)>;

  explicit Wire(std::vector<std::byte>& to) : to_(&to) {}
  explicit Wire(Sink sink) : sink_(std::move(sink)) {}
  explicit Wire(std::span<const std::byte> from) : from_(from) {}
  bool reads() const { return to_ == nullptr && !sink_; }

  /// A number or a struct of numbers, or what names its own parts in visit(Wire&).
  template <class T>
  void operator()(T& value) {
    if constexpr (requires { value.visit(*this); }) {
      value.visit(*this);
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
      raw(std::as_writable_bytes(std::span(&value, 1)));
    }
  }
  /// Elements without their number: the reader's span must have as many as the writer's.
  template <class T>
  void operator()(std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    raw(std::as_writable_bytes(values));
  }
  /// A vector is preceded by its size, and the reader's is resized.
  template <class T>
  void operator()(std::vector<T>& values) {
    std::uint64_t size = values.size();
    (*this)(size);
    if (reads()) values.resize(size);
    if constexpr (std::is_trivially_copyable_v<T>) {
      (*this)(std::span(values));
    } else {
      for (T& value : values) (*this)(value);
    }
  }
  void operator()(std::string& text) {
    std::uint64_t size = text.size();
    (*this)(size);
    if (reads()) text.resize(size);
    (*this)(std::span(text));
  }
  template <class T, std::size_t n>
  void operator()(std::array<T, n>& values) {
    for (T& value : values) (*this)(value);
  }
  template <class... T>
  void operator()(std::tuple<T...>& parts) {
    std::apply([&](auto&... part) { ((*this)(part), ...); }, parts);
  }

 private:
  void raw(std::span<std::byte> bytes) {
    if (sink_) return sink_(bytes);
    if (to_ != nullptr) {
      to_->insert(to_->end(), bytes.begin(), bytes.end());
      return;
    }
    if (from_.size() < bytes.size()) throw std::length_error("a result came with too few bytes");
    if (!bytes.empty()) std::memcpy(bytes.data(), from_.data(), bytes.size());
    from_ = from_.subspan(bytes.size());
  }

  std::vector<std::byte>* to_ = nullptr;
  Sink sink_;
  std::span<const std::byte> from_;
};

/// A result whose parts are named by a function of the Wire.
template <class Name>
struct Parts {
  Name name;
  void visit(Wire& wire) { name(wire); }
};
template <class Name>
Parts(Name) -> Parts<Name>;

}  // namespace bpo
