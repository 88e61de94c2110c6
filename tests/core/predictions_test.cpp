// The table of predictions in docs/scale.md is what bench/predictions.awk prints.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/paths.h"

namespace {

std::string output_of(const std::string& command) {
  std::string out;
  std::array<char, 4096> bytes{};
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  for (std::size_t n; (n = std::fread(bytes.data(), 1, bytes.size(), pipe)) > 0;) {
    out.append(bytes.data(), n);
  }
  return ::pclose(pipe) == 0 ? out : "";
}

TEST(Predictions, AreInTheDocumentAsTheScriptPrintsThem) {
  const std::filesystem::path root = bpo::kSourcePath;
  const std::string table = output_of("awk -f '" + (root / "bench/predictions.awk").string() + "'");
  ASSERT_NE(table.find("| Chain-1000"), table.npos) << table;
  std::ifstream file(root / "docs/scale.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(document.find("\n" + table), document.npos) << table;
}

}  // namespace
