// What of a run must not depend on how it came about: every file below a directory, without values
// of the clock and without names and sizes that contain them.
#pragma once

#include <map>
#include <sstream>
#include <string>

#include "bpo/core/error.h"
#include "bpo/nn/safetensors.h"
#include "tests/cli/process.h"

namespace bpo::cli {

using Artifacts = std::map<std::string, std::string>;  // by path

inline std::string without_clock_lines(const std::string& metrics) {
  std::istringstream lines(metrics);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!json.is_object()) return "not metrics: " + line;
    json.erase("seconds");
    json.erase("steps_per_s");
    out += json.dump() + "\n";
  }
  return out;
}

/// The machine is left out as well: its number of threads is no part of a result.
inline std::string without_clock_json(const std::string& result) {
  auto json = nlohmann::ordered_json::parse(result, nullptr, false);
  if (!json.is_object()) return "not a result: " + result;
  for (const char* key : {"train_seconds", "machine", "checksum"}) json.erase(key);
  return json.dump();
}

inline std::string without_clock_tensors(const std::string& checkpoint) {
  try {
    TensorFile file = TensorFile::parse(checkpoint, "checkpoint");
    file.metadata.erase("crc32c");
    file.tensors.erase("metrics_bytes");  // the digits of the clock are counted in it
    Tensor& scores = file.tensors.at("best_score_and_seconds");
    scores = Tensor::of(scores.as<double>().first(1));
    return file.serialize();
  } catch (const std::exception& error) {
    return std::string("not a checkpoint: ") + error.what();
  }
}

inline bool is_temporary(const fs::path& path) { return path.extension() == ".part"; }

/// Hidden files (the lock, the output of the program) and TensorBoard's, whose names are times, do
/// not belong to it.
inline Artifacts artifacts(const fs::path& root) {
  Artifacts out;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name.starts_with("events.")) continue;
    if (name.starts_with(".") && !is_temporary(entry.path())) continue;
    std::string bytes = slurp(entry.path());
    if (name == "metrics.jsonl") bytes = without_clock_lines(bytes);
    if (name == "result.json") bytes = without_clock_json(bytes);
    if (name == "checkpoint.safetensors") bytes = without_clock_tensors(bytes);
    out[fs::relative(entry.path(), root).string()] = std::move(bytes);
  }
  return out;
}

/// The same of what several runs leave: without pages and the files of commands, which tell when
/// they were made. Of what tells who made a run when, and of results, which tell how long it took,
/// it is enough that they are there and whole.
inline Artifacts lasting_artifacts(const fs::path& root) {
  Artifacts out;
  for (auto& [path, bytes] : artifacts(root)) {
    if (path.ends_with(".html") || path.find(".claim-") != path.npos) continue;
    if (path.find("commands/") != path.npos) continue;
    const bool notes = path.find(".sweep/") != path.npos;
    const bool results = path.find("results/") != path.npos;
    if (results && path.ends_with(".json") && !nlohmann::json::accept(bytes)) {
      out[path] = "not JSON: " + bytes;
    } else {
      out[path] = notes || results ? "" : bytes;
    }
  }
  return out;
}

/// The first difference in words; empty when there is none.
inline std::string difference(const Artifacts& expected, const Artifacts& found) {
  for (const auto& [path, bytes] : expected) {
    const auto at = found.find(path);
    if (at == found.end()) return path + " is missing";
    if (at->second != bytes) return path + " differs";
  }
  for (const auto& [path, bytes] : found) {
    if (!expected.contains(path)) return path + " should not be there";
  }
  return "";
}

}  // namespace bpo::cli
