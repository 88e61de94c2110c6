// The page about runs that `bpo report` writes: a part for each problem, and how it was made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bpo/report/page.h"
#include "bpo/runs/study.h"

namespace bpo::report {

/// What the page of studies is to show. Without a title it has the names of the problems.
struct PageRequest {
  std::vector<std::string> directories;
  std::string title;
  Protocol protocol;
  std::int64_t episode = 0;  // the one that is drawn step by step
};

/// Measures the runs and draws them.
Page study_page(const PageRequest& request, Log& log, ThreadPool& pool);

}  // namespace bpo::report
