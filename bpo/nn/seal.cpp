#include "bpo/nn/seal.h"

#include <fmt/format.h>

#include "bpo/core/tensorboard.h"

namespace bpo {
namespace {

constexpr const char* kChecksum = "crc32c";

std::string checksum_part(const std::string& name, std::uint32_t checksum) {
  return fmt::format("{}:{:08x};", name, checksum);
}

std::string checksum(const TensorFile& file, const std::string& last = "") {
  std::string parts;
  for (const auto& [name, tensor] : file.tensors) {
    const std::string_view bytes(reinterpret_cast<const char*>(tensor.data.data()),
                                 tensor.data.size());
    parts += checksum_part(name, crc32c(bytes));
  }
  return fmt::format("{:08x}", crc32c(parts + last));
}

void expect(const TensorFile& file, const std::string& path, const std::string& key,
            const std::string& wanted) {
  const std::string& found = file.metadata_at(key);
  if (found == wanted) return;
  throw bad_input(fmt::format("{}: its {} is '{}', but the run's is '{}'", path, key,
                              found.substr(0, 60), wanted));
}

void describe(TensorFile& file, const std::string& format, const RunIdentity& run) {
  file.metadata["format"] = format;
  file.metadata["problem"] = run.problem;
  file.metadata["algorithm"] = run.algorithm;
  file.metadata["seed"] = std::to_string(run.seed);
  file.metadata["settings"] = run.settings;
}

}  // namespace

void seal(TensorFile& file, const std::string& format, const RunIdentity& run) {
  describe(file, format, run);
  file.metadata[kChecksum] = checksum(file);
}

Pieces sealed_with(TensorFile file, const std::string& last, Pieces bytes,
                   const std::string& format, const RunIdentity& run) {
  describe(file, format, run);
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
  bytes([&](std::string_view piece) {
    size += piece.size();
    crc = crc32c(piece, crc);
  });
  file.metadata[kChecksum] = checksum(file, checksum_part(last, crc));
  return [before = file.serialize_before(last, size), bytes = std::move(bytes)](const auto& write) {
    write(before);
    bytes(write);
  };
}

TensorFile load_sealed(const std::string& path, const std::string& format,
                       const std::string& remedy) {
  TensorFile file = TensorFile::load(path);
  if (const std::string& found = file.metadata_at("format"); found != format) {
    throw bad_input(fmt::format("{}: its format is '{}', and this version reads {}; {}", path,
                                found.substr(0, 60), format, remedy));
  }
  if (file.metadata_at(kChecksum) != checksum(file)) {
    throw bad_input(path + ": damaged: its data does not match its checksum");
  }
  return file;
}

void check_belongs(const TensorFile& file, const std::string& path, const RunIdentity& run) {
  expect(file, path, "problem", run.problem);
  expect(file, path, "algorithm", run.algorithm);
  expect(file, path, "seed", std::to_string(run.seed));
  if (file.metadata_at("settings") == run.settings) return;
  throw bad_input(path +
                  ": was written with other settings than the config.toml beside it has now; put "
                  "back the one it belongs to, or train again");
}

}  // namespace bpo
