// The verbs of the command line, one file each. A verb declares its arguments; it runs after they
// were parsed, and what it returns is the exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace bpo::cli {

struct Verb {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

Verb add_list(CLI::App& root);
Verb add_train(CLI::App& root);
Verb add_solve(CLI::App& root);
Verb add_resume(CLI::App& root);
Verb add_eval(CLI::App& root);
Verb add_play(CLI::App& root);
Verb add_compare(CLI::App& root);
Verb add_reproduce(CLI::App& root);
Verb add_report(CLI::App& root);
Verb add_bench(CLI::App& root);
Verb add_doctor(CLI::App& root);
Verb add_sweep(CLI::App& root);
Verb add_status(CLI::App& root);
Verb add_check(CLI::App& root);
Verb add_write_problem(CLI::App& root);
Verb add_import_policy(CLI::App& root);
Verb add_init(CLI::App& root);
Verb add_identify(CLI::App& root);
Verb add_export(CLI::App& root);

}  // namespace bpo::cli
