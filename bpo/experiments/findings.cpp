#include "bpo/experiments/findings.h"

namespace bpo::experiments {
namespace {

std::pair<std::string, std::string> key_of(const Request& request) {
  return {request.series.directory(), request.protocol.name()};
}

}  // namespace

Findings::Findings(Scale scale, std::vector<Gathered> all) : scale_(std::move(scale)) {
  for (Gathered& one : all) add(one.request, std::move(one.group));
}

void Findings::add(const Request& request, Group group) {
  found_.insert_or_assign(key_of(request), std::move(group));
}

const Group* Findings::find(const Request& request) const {
  const auto found = found_.find(key_of(request));
  return found == found_.end() || found->second.runs.empty() ? nullptr : &found->second;
}

}  // namespace bpo::experiments
