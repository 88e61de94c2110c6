// The header is read as a stream of JSON events, so that nesting, duplicate keys and wrong types
// are refused where they stand and no document tree is ever built.
#include "bpo/nn/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "bpo/core/error.h"
#include "bpo/core/file.h"

namespace bpo {
namespace {

static_assert(std::endian::native == std::endian::little, "data is stored as it lies in memory");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxHeaderBytes = 100'000'000;  // the limit of the reference implementation
constexpr std::size_t kMaxFileBytes = std::size_t{4} << 30;
constexpr std::size_t kMaxRank = 32;
constexpr std::string_view kMetadataKey = "__metadata__";

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) {
  throw bad_input(fmt::format(text, std::forward<Args>(args)...));
}

/// 0 for an unknown dtype.
std::size_t element_bytes(std::string_view dtype) {
  if (dtype == "F64" || dtype == "I64" || dtype == "U64") return 8;
  if (dtype == "F32") return 4;
  return dtype == "U8" ? 1 : 0;
}

/// A name from the file, made short and harmless for a terminal.
std::string quote(std::string_view name) {
  constexpr std::size_t kShown = 60;
  const nlohmann::json text = std::string(name.substr(0, kShown));
  return text.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) +
         (name.size() > kShown ? "..." : "");
}

std::string shown(const TensorShape& shape) { return nlohmann::json(shape).dump(); }

/// The bytes of a tensor; nothing if a dimension is negative or the product overflows.
std::optional<std::uint64_t> byte_count(const TensorShape& shape, std::uint64_t element) {
  std::uint64_t bytes = element;
  for (const std::int64_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(dim), &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

void check_size(const std::string& dtype, const TensorShape& shape, std::uint64_t bytes,
                const std::string& where) {
  const std::size_t element = element_bytes(dtype);
  if (element == 0) {
    refuse("{}: unknown dtype {}; known are F32, F64, I64, U64 and U8", where, quote(dtype));
  }
  if (shape.size() > kMaxRank) refuse("{}: more than {} dimensions", where, kMaxRank);
  const std::optional<std::uint64_t> wanted = byte_count(shape, element);
  if (!wanted) refuse("{}: shape {} is out of range", where, shown(shape));
  if (*wanted != bytes) {
    refuse("{}: {} of shape {} needs {} bytes, not {}", where, dtype, shown(shape), *wanted, bytes);
  }
}

struct Entry {
  std::string dtype;
  TensorShape shape;
  TensorShape offsets;  // begin and end in the data
};

/// Fills `entries` and `metadata` from the JSON events, or throws at the first one out of place.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  std::map<std::string, Entry> entries;
  std::map<std::string, std::string> metadata;

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return unexpected("a number that is no 64-bit integer");
  }
  bool binary(binary_t&) override { return unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::kShape && place_ != Place::kOffsets) return unexpected("a number");
    TensorShape& list = place_ == Place::kShape ? entry_->shape : entry_->offsets;
    if (list.size() == kMaxRank) fail("a list is too long");
    if (value > std::numeric_limits<std::int64_t>::max()) fail("a number is out of range");
    list.push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::kMetadata) {
      metadata.insert_or_assign(key_, std::move(value));
    } else if (place_ == Place::kTensor && key_ == "dtype") {
      entry_->dtype = std::move(value);
    } else {
      return unexpected("a string");
    }
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::kOutside) {
      place_ = Place::kHeader;
    } else if (place_ == Place::kHeader) {
      place_ = key_ == kMetadataKey ? Place::kMetadata : Place::kTensor;
    } else {
      return unexpected("an object");
    }
    return true;
  }

  bool key(string_t& value) override {
    if (place_ == Place::kHeader) {
      tensor_ = value;
      const bool fresh = value == kMetadataKey ? !std::exchange(metadata_seen_, true)
                                               : entries.try_emplace(value).second;
      if (!fresh) fail("duplicate name");
      if (value != kMetadataKey) entry_ = &entries.at(value);
      keys_seen_.clear();
    } else if (place_ == Place::kMetadata) {
      if (metadata.contains(value)) fail("duplicate key " + quote(value));
    } else {
      const bool known = value == "dtype" || value == "shape" || value == "data_offsets";
      if (!known) fail("unknown key " + quote(value));
      if (!keys_seen_.insert(value).second) fail("duplicate key " + quote(value));
    }
    key_ = std::move(value);
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor && keys_seen_.size() != 3) {
      fail("needs dtype, shape and data_offsets");
    }
    place_ = place_ == Place::kHeader ? Place::kOutside : Place::kHeader;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::kTensor || key_ == "dtype") return unexpected("an array");
    place_ = key_ == "shape" ? Place::kShape : Place::kOffsets;
    return true;
  }

  bool end_array() override {
    if (place_ == Place::kOffsets && entry_->offsets.size() != 2) {
      fail("data_offsets needs two numbers");
    }
    place_ = Place::kTensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    refuse("{}: the header is not valid JSON at its byte {}", file_, position);
  }

 private:
  enum class Place { kOutside, kHeader, kTensor, kShape, kOffsets, kMetadata };

  [[noreturn]] void fail(std::string_view what) const {
    refuse("{}: {}: {}", file_, quote(tensor_), what);
  }
  [[noreturn]] bool unexpected(std::string_view what) const {
    if (place_ == Place::kOutside) refuse("{}: the header is {}, not an object", file_, what);
    fail(place_ == Place::kHeader ? fmt::format("is {}, not an object", what)
                                  : fmt::format("unexpected {} at {}", what, quote(key_)));
  }

  std::string file_;
  Place place_ = Place::kOutside;
  std::string tensor_;  // the key in the header that is being read
  std::string key_;     // the innermost key
  Entry* entry_ = nullptr;
  std::set<std::string> keys_seen_;  // what the entry has named so far
  bool metadata_seen_ = false;
};

using NamedEntry = std::pair<const std::string, Entry>;

/// The tensors in the order of their data, which must fill [0, size) without holes or overlaps.
std::vector<NamedEntry*> checked_layout(std::map<std::string, Entry>& entries, std::uint64_t size,
                                        const std::string& file) {
  std::vector<NamedEntry*> order;
  for (NamedEntry& named : entries) order.push_back(&named);
  std::stable_sort(order.begin(), order.end(), [](const NamedEntry* a, const NamedEntry* b) {
    return a->second.offsets < b->second.offsets;
  });
  std::uint64_t covered = 0;
  for (const NamedEntry* named : order) {
    const std::string where = fmt::format("{}: {}", file, quote(named->first));
    const Entry& entry = named->second;
    const auto begin = static_cast<std::uint64_t>(entry.offsets[0]);
    const auto end = static_cast<std::uint64_t>(entry.offsets[1]);
    if (begin > end || end > size) {
      refuse("{}: data_offsets [{}, {}] lie outside the {} bytes of data", where, begin, end, size);
    }
    if (begin != covered) {
      refuse("{}: data_offsets leave {} at byte {}", where,
             begin > covered ? "a hole" : "an overlap", covered);
    }
    check_size(entry.dtype, entry.shape, end - begin, where);
    covered = end;
  }
  if (covered != size) refuse("{}: {} bytes after the last tensor", file, size - covered);
  return order;
}

}  // namespace

void Tensor::check(const std::string& where) const { check_size(dtype, shape, data.size(), where); }

void Tensor::check_dtype(std::string_view wanted, const std::string& where) const {
  if (dtype != wanted) refuse("{}: is {}, not {}", where, quote(dtype), wanted);
}

void Tensor::check_shape(const TensorShape& wanted, const std::string& where) const {
  if (shape != wanted) {
    refuse("{}: has shape {}, not {}", where, shown(shape), shown(wanted));
  }
}

TensorFile TensorFile::parse(std::string_view bytes, const std::string& name) {
  if (bytes.size() < kLengthBytes) refuse("{}: too short for a safetensors file", name);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  bytes.remove_prefix(kLengthBytes);
  if (length > kMaxHeaderBytes) refuse("{}: the header is longer than 100 MB", name);
  if (length > bytes.size()) refuse("{}: the header is longer than the file", name);
  const std::string_view header = bytes.substr(0, length);
  const std::string_view data = bytes.substr(length);
  // The JSON parser skips a byte order mark and takes a NUL for the end of its input.
  if (!header.starts_with('{')) refuse("{}: the header is not a JSON object", name);
  if (header.find('\0') != header.npos) refuse("{}: the header holds a NUL byte", name);

  HeaderReader reader(name);
  nlohmann::json::sax_parse(header.begin(), header.end(), &reader);
  TensorFile file;
  file.name_ = name;
  file.metadata = std::move(reader.metadata);
  for (NamedEntry* named : checked_layout(reader.entries, data.size(), name)) {
    Entry& entry = named->second;
    const auto span = std::as_bytes(std::span(data))
                          .subspan(entry.offsets[0], entry.offsets[1] - entry.offsets[0]);
    file.tensors.emplace(
        named->first,
        Tensor{std::move(entry.dtype), std::move(entry.shape), {span.begin(), span.end()}});
  }
  return file;
}

std::string TensorFile::serialize() const { return serialize_before("", 0); }

std::string TensorFile::serialize_before(const std::string& last, std::uint64_t last_bytes) const {
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty()) header[std::string(kMetadataKey)] = metadata;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    tensor.check(where(name));
    if (name == kMetadataKey) refuse("{}: this name is reserved", where(name));
    const std::uint64_t end = offset + tensor.data.size();
    header[name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  if (!last.empty()) {
    if (!tensors.empty() && last <= tensors.rbegin()->first) refuse("{}: is not last", where(last));
    header[last] = {{"dtype", dtype_of<std::uint8_t>()},
                    {"shape", TensorShape{static_cast<std::int64_t>(last_bytes)}},
                    {"data_offsets", {offset, offset + last_bytes}}};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    refuse("{}: a name or a metadata value is not UTF-8", name_);
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kMaxHeaderBytes) refuse("{}: the header is longer than 100 MB", name_);

  const std::uint64_t length = text.size();
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &length, kLengthBytes);
  bytes.reserve(kLengthBytes + length + offset);
  bytes += text;
  for (const auto& [name, tensor] : tensors) {
    bytes.append(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
  }
  return bytes;
}

TensorFile TensorFile::load(const std::string& path) {
  return parse(read_file(path, kMaxFileBytes), path);
}

void TensorFile::save(const std::string& path) const { write_file_atomic(path, serialize()); }

const Tensor& TensorFile::at(const std::string& tensor) const {
  const auto found = tensors.find(tensor);
  if (found == tensors.end()) refuse("{}: no such tensor", where(tensor));
  return found->second;
}

const std::string& TensorFile::metadata_at(const std::string& key) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) refuse("{}: no such metadata", where(key));
  return found->second;
}

std::string TensorFile::where(const std::string& tensor) const {
  return fmt::format("{}: {}", name_, quote(tensor));
}

void TensorFile::check_finite(bool finite, const std::string& tensor) const {
  if (!finite) throw bad_input(where(tensor) + ": holds a number that is not finite");
}

}  // namespace bpo
