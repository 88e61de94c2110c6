#include "bpo/report/study_page.h"

#include <fmt/format.h>

#include "bpo/core/machine.h"
#include "bpo/report/study_figures.h"

namespace bpo::report {
namespace {

std::string title_of(const std::vector<Study>& studies) {
  std::vector<std::string> names;
  for (const Study& study : studies) names.push_back(study.problem);
  return fmt::format("bpo: {}", fmt::join(names, ", "));
}

}  // namespace

Page study_page(const PageRequest& request, Log& log, ThreadPool& pool) {
  const std::vector<Study> studies = study(request.directories, request.protocol, log, pool);
  Page page(request.title.empty() ? title_of(studies) : request.title);
  for (const Study& study : studies) {
    page.heading(2, study.problem);
    add_results(page, study);
    add_learning(page, study);
    add_planning(page, study);
    add_beliefs(page, study, log);
    add_episode(page, study, static_cast<std::uint64_t>(request.episode), log);
    add_health(page, study);
  }
  const Machine machine = this_machine();
  page.heading(2, "How it was made");
  page.paragraph(fmt::format("bpo report {}, at commit {}, on {} ({}).",
                             fmt::join(request.directories, " "), machine.commit, machine.cpu,
                             machine.instruction_set));
  page.paragraph(
      "Click a name in a legend to hide its series; point at a figure to read its numbers.");
  return page;
}

}  // namespace bpo::report
