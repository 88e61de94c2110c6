#include "bpo/cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <sstream>
#include <string_view>
#include <vector>

#include "bpo/cli/verbs.h"
#include "bpo/core/error.h"
#include "bpo/core/machine.h"
#include "bpo/core/ranks.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/signals.h"

namespace bpo::cli {
namespace {

std::vector<Verb> add_verbs(CLI::App& root) {
  return {add_list(root),      add_train(root),    add_solve(root),         add_resume(root),
          add_eval(root),      add_play(root),     add_compare(root),       add_report(root),
          add_reproduce(root), add_check(root),    add_write_problem(root), add_import_policy(root),
          add_init(root),      add_identify(root), add_bench(root),         add_doctor(root),
          add_sweep(root),     add_status(root),   add_export(root)};
}

void check_verb(std::string_view word, const std::vector<Verb>& verbs) {
  constexpr std::string_view kFlags[] = {"--help", "-h", "--version"};
  if (std::find(std::begin(kFlags), std::end(kFlags), word) != std::end(kFlags)) return;
  if (word.starts_with('-')) {
    throw bad_input(fmt::format("unexpected argument '{}'; see `bpo --help`", word.substr(0, 60)));
  }
  std::vector<std::string> names;
  for (const auto& verb : verbs) names.push_back(verb.app->get_name());
  for (const std::string& name : names) {
    if (name == word) return;
  }
  throw bad_input(fmt::format("unknown verb '{}'{}; verbs are {}", word.substr(0, 60),
                              did_you_mean(word, names), fmt::join(names, ", ")));
}

/// The option that was given more often than it can be, if there is one.
const CLI::Option* repeated(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_expected_max() <= 1 && option->count() > 1) return option;
  }
  return nullptr;
}

/// What CLI11 objects to. Of arguments that nobody asked for it is the first flag that is wrong.
Error refusal(const CLI::ParseError& error, const std::vector<Verb>& verbs) {
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
                       did_you_mean(wrong->substr(0, wrong->find('=')), flags));
  }
  return bad_input(fmt::format("{}; see `{}`", text, help));
}

int run(int argc, char** argv) {
  CLI::App root(
      "Bayesian Policy Optimization: learn, plan, evaluate and replay policies for problems whose "
      "model "
      "is uncertain.",
      "bpo");
  root.set_version_flag("--version",
                        fmt::format("bpo {} ({})", program_version(), this_machine().commit));
  root.require_subcommand(1);
  root.footer("Example:\n  bpo train tiger --out runs/tiger-0 && bpo eval runs/tiger-0 --exact");
  const std::vector<Verb> verbs = add_verbs(root);
  if (argc > 1) check_verb(argv[1], verbs);
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw refusal(error, verbs);
    // --help and --version
    std::ostringstream text;
    root.exit(error, text, text);
    terminal::print(text.str());
    return 0;
  }
  for (const auto& verb : verbs) {
    if (verb.app->parsed()) return verb.run();
  }
  return 0;
}

/// What all ranks must have in common before they do anything.
void check_ranks(int argc, char** argv) {
  const Machine machine = this_machine();
  Facts facts{{"program version", fmt::format("{} ({})", program_version(), machine.commit)},
              {"instruction set", machine.instruction_set},
              {"compiler", machine.compiler + " " + machine.flags}};
  for (const auto& library : optional_libraries()) {
    facts.emplace_back(library.name, library.version);
  }
  facts.emplace_back("arguments", fmt::format("{}", fmt::join(argv + 1, argv + argc, " ")));
  check_same_on_ranks(facts);
}

}  // namespace

Ending run_program(int argc, char** argv) {
  try {
    check_ranks(argc, argv);
    const int status = run(argc, argv);
    const int flushed = terminal::flush_output();
    if (flushed == 0) return {status, ""};
    const bool failed = flushed == static_cast<int>(ErrorCode::kIo);
    return {flushed, failed ? "cannot write the output" : ""};
  } catch (const Error& error) {
    return {static_cast<int>(error.code()), error.what()};
  } catch (const Interrupted&) {
    return {terminal::signal_status(), ""};
  } catch (const RanksApart&) {
    throw;
  } catch (const std::bad_alloc&) {
    return {5, "out of memory; try fewer problem.bins, optimizer.batch_steps or threads"};
  } catch (const std::exception& error) {
    return {5, fmt::format("unexpected: {}", error.what())};
  }
}

}  // namespace bpo::cli
