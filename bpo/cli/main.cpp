// The beginning and the end of a program: streams, the CPU, ranks, and what is said at last.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "bpo/cli/program.h"
#include "bpo/terminal/print.h"

namespace {

#ifdef __AVX2__
/// Before any other constructor, which the compiler may have given instructions that this CPU
/// lacks.
__attribute__((constructor(101), target("no-avx"))) void check_cpu() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    return;
  }
  static const char kText[] =
      "bpo: error: this program was built for " BPO_ARCH
      ", and this CPU lacks AVX2, FMA or BMI2; configure with -DBPO_ARCH=x86-64\n";
  if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) _exit(5);
  _exit(2);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  bpo::terminal::prepare_streams();
  try {
    const bpo::Started ranks = bpo::start_comm();
    const bpo::Ending end = bpo::end_together(bpo::cli::run_program(argc, argv));
    std::fflush(stdout);
    if (!end.text.empty()) bpo::terminal::last_words(fmt::format("bpo: error: {}\n", end.text));
    return end.status;
  } catch (const bpo::RanksApart& other) {
    return other.status();
  } catch (const std::runtime_error& refusal) {  // by start_comm()
    bpo::terminal::last_words(fmt::format("bpo: error: {}\n", refusal.what()));
    return 2;
  }
}
