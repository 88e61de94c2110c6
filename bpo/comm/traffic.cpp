// What BPO_EXCHANGES=1 prints.
#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "bpo/comm/comm.h"
#include "bpo/comm/core_time.h"

namespace bpo {
namespace {

constexpr double kMega = 1e-6;

/// The function that a loop is in, and which of its loops: its type is made by map_reduce<...> of
/// lambdas, which the compiler numbers within their function.
std::string name_of(const std::type_index& loop) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(loop.name(), nullptr, nullptr, &status), std::free);
  std::string name = status == 0 ? plain.get() : loop.name();
  const std::size_t lambda = name.find("{lambda"), number = name.find('#', lambda);
  const std::string which = number == name.npos ? "" : name.substr(number, 2);
  if (const std::size_t begin = name.find("map_reduce<"); begin != name.npos) {
    name.erase(0, begin + sizeof("map_reduce<") - 1);
  }
  return name.substr(0, name.find('(')) + which;
}

void print_cost(const std::string& name, const LoopCost& cost) {
  std::fprintf(stderr, "%-44s %9llu calls %10.1f MB %8.3f s, longest %8.3f s\n", name.c_str(),
               static_cast<unsigned long long>(cost.calls), kMega * static_cast<double>(cost.bytes),
               cost.divided, cost.longest);
}

}  // namespace

void print_traffic(const Comm& comm) {
  const Traffic& traffic = comm.traffic;
  double divided = 0.0, longest = 0.0;
  for (const auto& [loop, cost] : traffic.loops) {
    divided += cost.divided;
    longest += cost.longest;
  }
  std::fprintf(stderr,
               "rank %d: %.3f s of its core; chunks of all ranks %.3f s, the longest in turn "
               "%.3f s; %llu exchanges of %.1f MB: carrying %.3f s, exact sums %.3f s, waiting "
               "%.3f s\n",
               comm.rank(), core_seconds(CLOCK_PROCESS_CPUTIME_ID), divided, longest,
               static_cast<unsigned long long>(traffic.exchanges),
               kMega * static_cast<double>(traffic.bytes), traffic.carrying, traffic.sums.longest,
               traffic.waiting);
  if (!comm.is_root()) return;
  for (const auto& [loop, cost] : traffic.loops) print_cost(name_of(loop), cost);
  print_cost("exact sums", traffic.sums);
}

}  // namespace bpo
