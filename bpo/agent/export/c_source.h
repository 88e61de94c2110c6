// An exported policy as C99: one header with the network and, where the filter is plain data, the
// belief; golden sequences to hold it to; a program that does so and takes the time.
#pragma once

#include <string>
#include <vector>

#include "bpo/agent/export/golden.h"

namespace bpo {

/// A file's name and its text.
struct ExportedFile {
  std::string name, text;
};

/// bpo_policy.h. Numbers are written in base 16, so that they read back to the bit.
std::string c_header(const TakenApart& policy);
/// bpo_policy_golden.h.
std::string c_golden(const TakenApart& policy, const std::vector<GoldenSequence>& sequences);
/// bpo_policy_test.c.
std::string c_test_program();

/// C text of the filter: its tables, what a policy keeps of it, and its functions.
struct CFilter {
  std::string defines, state, tables, code;
};
CFilter c_filter(const TakenApart& policy);

/// `static const TYPE NAME[] = {...};`
std::string c_array(const std::string& name, const std::vector<float>& values);
std::string c_array(const std::string& name, const std::vector<double>& values);
std::string c_array(const std::string& name, const std::vector<int>& values);

}  // namespace bpo
