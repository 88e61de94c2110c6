// `bpo sweep`: all runs of a file, by any number of workers that share a directory.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/text.h"
#include "bpo/report/sweep_text.h"
#include "bpo/terminal/campaign_progress.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/signals.h"

namespace bpo::cli {
namespace {

struct SweepArguments {
  std::string file, out, shard = "1/1";
  SweepWork work;
  std::int64_t threads = 0;
  bool status = false, retry = false, quiet = false;
};

int sweep(const SweepArguments& args) {
  const std::string out =
      !args.out.empty() ? args.out : "runs/" + std::filesystem::path(args.file).stem().string();
  constexpr std::size_t kMostBytes = 1 << 20;
  const Sweep all =
      open_sweep(parse_sweep(read_file(args.file, kMostBytes, Links::kFollowed), args.file), out);
  if (args.status) {
    terminal::print(report::sweep_text(all, status_of(all, args.work.stale)));
    return 0;
  }
  if (args.retry) {
    const std::size_t forgotten = forget_failures(all);
    if (!args.quiet) terminal::notice(fmt::format("{} failed runs are tried again\n", forgotten));
  }
  SweepWork work = args.work;
  work.shard = read_shard(args.shard);
  work.threads = static_cast<int>(args.threads);
  terminal::CampaignProgress progress(all.tasks, work.threads, args.quiet);
  const CampaignEnd end = work_on(all, work, *terminal::stop_on_signal(), progress);
  if (end.interrupted) {
    terminal::notice("stopped; the same `bpo sweep` command goes on from here\n");
    return terminal::signal_status();
  }
  const std::vector<SweepRow> rows = status_of(all, work.stale);
  terminal::print(
      fmt::format("{} runs made here; of all:\n{}", end.made, report::sweep_summary(rows)));
  if (!end.locked.empty()) {
    throw Error(ErrorCode::kLocked,
                fmt::format("{} of the runs cannot be taken over ({}): whoever has them in use has "
                            "not been heard of; end those processes, which --status names, and "
                            "start the sweep again",
                            end.locked.size(), end.locked.front()));
  }
  return report::has_failures(rows) ? static_cast<int>(ErrorCode::kDiverged) : 0;
}

}  // namespace

Verb add_sweep(CLI::App& root) {
  CLI::App* app = root.add_subcommand("sweep", "problems x methods x options x seeds from a file");
  const auto args = std::make_shared<SweepArguments>();
  add_path(*app, "file", args->file, "a TOML file (docs/cluster.md)")
      ->required()
      ->type_name("FILE");
  add_path(*app, "--out", args->out, "the directory that workers share; what is done stays")
      ->type_name("DIR")
      ->default_str("runs/FILE");
  app->add_option("--shard", args->shard, "only the i-th of N shares of the runs")
      ->type_name("i/N");
  add_number(*app, "--stale-after", args->work.stale, 1.0, 86400.0,
             "seconds after which the run of a worker that is not heard of any more is taken over");
  app->add_flag("--status", args->status, "make nothing: a table of what is done, runs and failed");
  app->add_flag("--retry-failed", args->retry, "try again what failed before");
  add_threads(*app, args->threads);
  add_stop_at(*app);
  app->add_flag("--quiet", args->quiet, "show no progress");
  app->footer(
      "Examples:\n"
      "  bpo sweep grid.toml --out runs/grid        # on as many machines as you like\n"
      "  bpo sweep grid.toml --out runs/grid --status");
  return {app, [args] { return sweep(*args); }};
}

}  // namespace bpo::cli
