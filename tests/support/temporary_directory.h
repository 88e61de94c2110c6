// A directory of its own for each test, gone with it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace bpo::test {

class TemporaryDirectory : public testing::Test {
 protected:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "bpo_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    dir_ = name;
  }
  ~TemporaryDirectory() override { std::filesystem::remove_all(dir_); }

  std::string path(const std::string& name) const { return (dir_ / name).string(); }

  std::filesystem::path dir_;
};

}  // namespace bpo::test
