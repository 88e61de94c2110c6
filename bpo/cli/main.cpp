// The command line: finds the verb, runs it, and turns what goes wrong into a message and an exit
// status: 2 bad input, 3 locked, 4 diverged, 5 input/output.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string_view>
#include <vector>

#include "bpo/cli/print.h"
#include "bpo/cli/signals.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/error.h"
#include "bpo/core/machine.h"

namespace {

constexpr const char* kVersion = "0.1.0";

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

std::vector<bpo::cli::Verb> add_verbs(CLI::App& root) {
  using namespace bpo::cli;
  return {add_list(root),      add_train(root), add_solve(root),         add_resume(root),
          add_eval(root),      add_play(root),  add_compare(root),       add_report(root),
          add_reproduce(root), add_check(root), add_write_problem(root), add_init(root),
          add_bench(root),     add_doctor(root)};
}

void check_verb(std::string_view word, const std::vector<bpo::cli::Verb>& verbs) {
  constexpr std::string_view kFlags[] = {"--help", "-h", "--version"};
  if (std::find(std::begin(kFlags), std::end(kFlags), word) != std::end(kFlags)) return;
  if (word.starts_with('-')) {
    throw bpo::bad_input(
        fmt::format("unexpected argument '{}'; see `bpo --help`", word.substr(0, 60)));
  }
  std::vector<std::string> names;
  for (const auto& verb : verbs) names.push_back(verb.app->get_name());
  for (const std::string& name : names) {
    if (name == word) return;
  }
  throw bpo::bad_input(fmt::format("unknown verb '{}'{}; verbs are {}", word.substr(0, 60),
                                   bpo::did_you_mean(word, names), fmt::join(names, ", ")));
}

/// The option that was given more often than it can be, if there is one.
const CLI::Option* repeated(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_expected_max() <= 1 && option->count() > 1) return option;
  }
  return nullptr;
}

/// What CLI11 objects to. Of arguments that nobody asked for it is the first flag that is wrong.
bpo::Error refusal(const CLI::ParseError& error, const std::vector<bpo::cli::Verb>& verbs) {
  std::string text = error.what(), help = "bpo --help";
  for (const auto& verb : verbs) {
    if (!verb.app->parsed()) continue;
    help = "bpo " + verb.app->get_name() + " --help";
    const bool mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
    if (const CLI::Option* option = mismatch ? repeated(*verb.app) : nullptr) {
      text =
          fmt::format("{} is given {} times; once is enough", option->get_name(), option->count());
    }
    const std::vector<std::string> extras = verb.app->remaining();
    if (extras.empty()) continue;
    auto wrong = std::find_if(extras.begin(), extras.end(),
                              [](const std::string& word) { return word.starts_with('-'); });
    if (wrong == extras.end()) wrong = extras.begin();
    std::vector<std::string> flags;
    for (const CLI::Option* option : verb.app->get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
    text = fmt::format("unexpected argument '{}'{}", wrong->substr(0, 60),
                       bpo::did_you_mean(wrong->substr(0, wrong->find('=')), flags));
  }
  return bpo::bad_input(fmt::format("{}; see `{}`", text, help));
}

int run(int argc, char** argv) {
  CLI::App root(
      "Bayesian Policy Optimization: learn, plan, evaluate and replay policies for problems whose "
      "model "
      "is uncertain.",
      "bpo");
  root.set_version_flag("--version",
                        fmt::format("bpo {} ({})", kVersion, bpo::this_machine().commit));
  root.require_subcommand(1);
  root.footer("Example:\n  bpo train tiger --out runs/tiger-0 && bpo eval runs/tiger-0 --exact");
  const std::vector<bpo::cli::Verb> verbs = add_verbs(root);
  if (argc > 1) check_verb(argv[1], verbs);
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw refusal(error, verbs);
    // --help and --version
    std::ostringstream text;
    root.exit(error, text, text);
    bpo::cli::print(text.str());
    return 0;
  }
  for (const auto& verb : verbs) {
    if (verb.app->parsed()) return verb.run();
  }
  return 0;
}

int fail(int status, std::string_view text) {
  std::fflush(stdout);
  bpo::cli::notice(fmt::format("bpo: error: {}\n", text));
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  bpo::cli::prepare_streams();
  try {
    const int status = run(argc, argv);
    const int flushed = bpo::cli::flush_output();
    if (flushed == 0) return status;
    return flushed == static_cast<int>(bpo::ErrorCode::kIo)
               ? fail(flushed, "cannot write the output")
               : flushed;
  } catch (const bpo::Error& error) {
    return fail(static_cast<int>(error.code()), error.what());
  } catch (const bpo::Interrupted&) {
    return bpo::cli::signal_status();
  } catch (const std::bad_alloc&) {
    return fail(5, "out of memory; try fewer problem.bins, optimizer.batch_steps or threads");
  } catch (const std::exception& error) {
    return fail(5, fmt::format("unexpected: {}", error.what()));
  }
}
