// Damaged copies of a safetensors file. The same seed gives the same damage.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bpo/core/tensorboard.h"
#include "bpo/nn/safetensors.h"

namespace bpo {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  struct Mutation {
    std::string kind, bytes;
    bool must_be_refused = false;  // or else the same content may come out of it
  };

  /// Kind after kind in turn. A copy always differs from the original.
  Mutation next(const std::string& original) {
    const Kind& kind = kKinds[turn_++ % kKinds.size()];
    for (;;) {
      Mutation out{kind.name, original, kind.must_be_refused};
      (this->*kind.apply)(out.bytes);
      if (out.bytes != original) return out;
    }
  }

  /// The checksum as bpo/algorithms/checkpoint.cpp computes it.
  static void seal(TensorFile& file) {
    std::string crcs;
    for (const auto& [name, tensor] : file.tensors) {
      const std::string_view bytes(reinterpret_cast<const char*>(tensor.data.data()),
                                   tensor.data.size());
      crcs += fmt::format("{}:{:08x};", name, crc32c(bytes));
    }
    file.metadata["crc32c"] = fmt::format("{:08x}", crc32c(crcs));
  }

 private:
  struct Kind {
    const char* name;
    void (Mutator::*apply)(std::string&);
    bool must_be_refused;
  };
  static const std::array<Kind, 16> kKinds;
  static constexpr std::size_t kLengthBytes = 8;

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  static std::uint64_t header_length(const std::string& file) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), kLengthBytes);
    return length;
  }
  static void set_header_length(std::string& file, std::uint64_t length) {
    std::memcpy(file.data(), &length, kLengthBytes);
  }
  static std::size_t header_end(const std::string& file) {
    return kLengthBytes + header_length(file);
  }
  void flip(std::string& file, std::size_t begin, std::size_t end) {
    file[begin + below(end - begin)] ^= static_cast<char>(1 << below(8));
  }

  void flip_anywhere(std::string& file) { flip(file, 0, file.size()); }
  void flip_length(std::string& file) { flip(file, 0, kLengthBytes); }
  void flip_header(std::string& file) { flip(file, kLengthBytes, header_end(file)); }
  void flip_data(std::string& file) { flip(file, header_end(file), file.size()); }
  void flip_metadata(std::string& file) {
    const std::size_t begin = file.find("__metadata__");
    flip(file, begin, file.find('}', begin) + 1);
  }
  void flip_many(std::string& file) {
    for (std::size_t n = 2 + below(30); n > 0; --n) flip_anywhere(file);
  }
  void change_digit(std::string& file) {
    std::size_t at = 0;
    do {
      at = kLengthBytes + below(header_length(file));
    } while (file[at] < '0' || file[at] > '9');
    file[at] = static_cast<char>('0' + below(10));
  }
  void truncate(std::string& file) { file.resize(below(file.size())); }
  void append(std::string& file) {
    for (std::size_t n = 1 + below(64); n > 0; --n) file += static_cast<char>(below(256));
  }
  void swap_regions(std::string& file) {
    const std::size_t size = 1 + below(256), a = below(file.size() - 2 * size);
    const std::size_t b = a + size + below(file.size() - 2 * size - a);
    std::swap_ranges(file.begin() + a, file.begin() + a + size, file.begin() + b);
  }
  void zero_block(std::string& file) {
    const std::size_t size = 1 + below(512), at = below(file.size() - size);
    file.replace(at, size, size, '\0');
  }
  void double_block(std::string& file) {
    const std::size_t size = 1 + below(512), at = below(file.size() - size);
    file.insert(at, file.substr(at, size));
  }
  void lie_about_length(std::string& file) {
    const std::uint64_t length = header_length(file);
    const std::array<std::uint64_t, 8> lies{0,
                                            1,
                                            length - 1 - below(64),
                                            length + 1 + below(64),
                                            file.size() - kLengthBytes,
                                            std::uint64_t{100'000'000},
                                            std::uint64_t{1} << (20 + below(43)),
                                            std::numeric_limits<std::uint64_t>::max() - below(16)};
    set_header_length(file, lies[below(lies.size())]);
  }

  template <typename T>
  void make_infinite(Tensor& tensor) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    const std::array<T, 3> values{std::numeric_limits<T>::quiet_NaN(), kInfinity, -kInfinity};
    const std::size_t at = below(tensor.data.size() / sizeof(T));
    std::memcpy(tensor.data.data() + at * sizeof(T), &values[below(3)], sizeof(T));
  }
  void not_finite(std::string& bytes) {
    TensorFile file = TensorFile::parse(bytes, "original");
    for (;;) {
      Tensor& tensor = std::next(file.tensors.begin(), below(file.tensors.size()))->second;
      if (tensor.data.empty() || (tensor.dtype != "F32" && tensor.dtype != "F64")) continue;
      tensor.dtype == "F32" ? make_infinite<float>(tensor) : make_infinite<double>(tensor);
      break;
    }
    seal(file);
    bytes = file.serialize();
  }
  void drop_tensor(std::string& bytes) {
    TensorFile file = TensorFile::parse(bytes, "original");
    file.tensors.erase(std::next(file.tensors.begin(), below(file.tensors.size())));
    seal(file);
    bytes = file.serialize();
  }
  /// Gives a tensor another shape, and the file the right checksum.
  void shorten_tensor(std::string& bytes) {
    TensorFile file = TensorFile::parse(bytes, "original");
    for (;;) {
      Tensor& tensor = std::next(file.tensors.begin(), below(file.tensors.size()))->second;
      if (tensor.data.empty()) continue;
      tensor.data.resize(tensor.data.size() / static_cast<std::size_t>(tensor.shape[0]) *
                         static_cast<std::size_t>(tensor.shape[0] - 1));
      --tensor.shape[0];
      break;
    }
    seal(file);
    bytes = file.serialize();
  }

  std::mt19937_64 random_;
  std::size_t turn_ = 0;
};

inline const std::array<Mutator::Kind, 16> Mutator::kKinds{{
    {"a bit anywhere", &Mutator::flip_anywhere, false},
    {"a bit of the length", &Mutator::flip_length, true},
    {"a bit of the header", &Mutator::flip_header, false},
    {"a bit of the data", &Mutator::flip_data, true},
    {"a bit of the metadata", &Mutator::flip_metadata, false},
    {"many bits", &Mutator::flip_many, false},
    {"a digit of the header", &Mutator::change_digit, false},
    {"a cut", &Mutator::truncate, true},
    {"bytes at the end", &Mutator::append, true},
    {"two regions swapped", &Mutator::swap_regions, false},
    {"a block of zeros", &Mutator::zero_block, false},
    {"a block twice", &Mutator::double_block, false},
    {"a wrong length of the header", &Mutator::lie_about_length, true},
    {"not finite, checksum right", &Mutator::not_finite, true},
    {"a tensor less, checksum right", &Mutator::drop_tensor, true},
    {"a shorter tensor, checksum right", &Mutator::shorten_tensor, true},
}};

}  // namespace bpo
