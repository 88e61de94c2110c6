#include "bpo/agent/export/export.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "bpo/agent/export/c_source.h"
#include "bpo/agent/export/contract.h"
#include "bpo/agent/export/onnx_graph.h"
#include "bpo/core/file.h"
#include "bpo/core/posix.h"
#include "bpo/core/text.h"

namespace bpo {
namespace {

/// Whether files may be put there. Where the system cannot tell, that is no answer.
bool may_write(const std::string& directory) {
  if (::access(directory.c_str(), W_OK | X_OK) == 0) return true;
  for (const int no : {EACCES, ENOENT, ENOTDIR, EROFS}) {
    if (errno == no) return false;
  }
  throw failed(directory, "look at", errno);
}

/// Makes it, or throws bad_input: somebody's files are not written over.
void make_empty(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (exists(directory)) {
    if (!fs::is_directory(directory, error)) {
      throw bad_input(fmt::format("{}: is there and is not a directory", printable(directory)));
    }
    if (!fs::is_empty(directory, error) || error) {
      throw bad_input(fmt::format(
          "{}: is not empty; name a directory that is not there yet, or remove what is in it",
          printable(directory)));
    }
  } else if (!fs::create_directories(directory, error) || error) {
    throw bad_input(fmt::format("{}: cannot be made: {}", printable(directory), error.message()));
  }
  if (!may_write(directory)) {
    throw bad_input(fmt::format("{}: cannot be written to", printable(directory)));
  }
}

std::size_t steps_in(const std::vector<GoldenSequence>& golden) {
  std::size_t sum = 0;
  for (const GoldenSequence& sequence : golden) sum += sequence.size();
  return sum;
}

std::string what_is_inside(const TakenApart& policy) {
  if (!policy.sees_belief()) return "the network, which sees no belief";
  return policy.filter_inside() ? "the network and its filter"
                                : "the network; its belief comes from outside (contract.json)";
}

}  // namespace

std::string export_c(const LoadedPolicy& loaded, const std::string& directory) {
  const TakenApart policy = take_apart(loaded);
  const std::vector<GoldenSequence> golden = golden_sequences(policy);
  const ExportedFile files[] = {
      {"bpo_policy.h", c_header(policy)},
      {"bpo_policy_golden.h", c_golden(policy, golden)},
      {"bpo_policy_test.c", c_test_program()},
      {"golden.json", json_text(golden_json(golden))},
      {"contract.json", json_text(contract_of(policy))},
  };
  make_empty(directory);
  for (const ExportedFile& file : files) write_file_atomic(directory + "/" + file.name, file.text);
  return fmt::format(
      "wrote {}: {}; {} golden sequences of {} steps\n"
      "  cd {} && cc -std=c99 -O3 -march=native bpo_policy_test.c -lm -o bpo_policy_test && "
      "./bpo_policy_test\n",
      printable(directory), what_is_inside(policy), golden.size(), steps_in(golden),
      printable(directory));
}

std::string export_onnx(const LoadedPolicy& loaded, const std::string& path) {
  namespace fs = std::filesystem;
  const TakenApart policy = take_apart(loaded);
  const std::string bytes = onnx_model(policy);
  std::error_code error;
  const fs::path parent = fs::path(path).parent_path();
  const std::string in = parent.empty() ? "." : parent.string();
  if (fs::is_directory(path, error) || !may_write(in)) {
    throw bad_input(fmt::format(
        "{}: name a file in a directory that is there and can be written to", printable(path)));
  }
  write_file_atomic(path, bytes, Links::kFollowed);
  const bool inside = policy.sees_belief() && onnx_keeps_belief(policy);
  return fmt::format("wrote {} ({} KB): {}\n", printable(path), (bytes.size() + 1023) / 1024,
                     inside ? "the network and its filter, belief_in to belief_out"
                     : policy.sees_belief()
                         ? "the network; its belief is an input (see its metadata)"
                         : "the network, which sees no belief");
}

}  // namespace bpo
