// Training, planning and measuring: the same calls as `bpo train`, `solve`, `resume` and `eval`.
#include <fmt/format.h>

#include <optional>

#include "bpo/core/problem_file.h"
#include "bpo/report/group_text.h"
#include "bpo/report/result_text.h"
#include "bpo/runs/group.h"
#include "bpo/runs/history.h"
#include "bpo/runs/inventory.h"
#include "bpo/runs/result.h"
#include "bpo/runs/settings.h"
#include "python/src/interrupt.h"

namespace bpo::python {
namespace {

using Sets = std::vector<std::string>;

constexpr double kCheckpointSeconds = 20.0;

/// Tells a Python function of every iteration. What that raises stops the work in order.
class TellingLog final : public Log {
 public:
  TellingLog(py::object tell, StopOnInterrupt& stop) : tell_(std::move(tell)), stop_(stop) {}

  void iteration(const Metrics& metrics) override {
    if (tell_.is_none() || raised_) return;
    const py::gil_scoped_acquire gil;
    py::dict values;
    values["iteration"] = metrics.iteration;
    for (const auto& [name, value] : metrics.values) values[py::str(name)] = value;
    try {
      tell_(values);
    } catch (py::error_already_set& error) {
      raised_.emplace(error);
      stop_.stop();
    }
  }
  void message(const std::string&) override {}

  /// With the lock held, after the work.
  void rethrow() {
    if (raised_) throw py::error_already_set(*raised_);
  }

 private:
  py::object tell_;
  StopOnInterrupt& stop_;
  std::optional<py::error_already_set> raised_;
};

int threads_or_all(int threads) { return threads > 0 ? threads : ThreadPool::available(); }

struct Finished {
  std::string directory;
  std::optional<Measurement> result;
  std::int64_t iterations = 0;
  bool interrupted = false;
};

/// Brings a run to its end; without the lock.
Finished finish(Run& run, double seconds, std::int64_t steps, const std::atomic<bool>& stop,
                Log& log, ThreadPool& pool) {
  Budget budget{.stop = &stop};
  if (seconds > 0.0) budget.seconds = seconds;
  if (steps > 0) budget.steps = steps;
  const Run::End end = run.solve(budget, kCheckpointSeconds, log);
  Finished out{run.directory(), {}, run.training().value_or(Training{}).iterations};
  out.interrupted = stop;
  if (end == Run::End::kBudgetSpent) return out;
  try {
    out.result = write_result(run, usual_protocol(run, usual_episodes(run.plan().run.problem)),
                              stop, log, pool);
  } catch (const Interrupted&) {
    out.interrupted = true;
  }
  return out;
}

Config settings(const std::string& problem, const std::string& algorithm, SolverKind kind,
                std::int64_t seed, const Sets& sets) {
  Config config = config_of(sets);
  config.set("run.problem=" + open_problem(problem));
  config.set("run.algorithm=" + solvers(kind).at(algorithm).name);
  config.set(fmt::format("run.seed={}", seed));
  return config;
}

/// Works without the lock, and tells `progress` how far it is.
template <class Work>
Finished with_progress(const py::object& progress, Work work) {
  StopOnInterrupt stop;
  TellingLog log(progress, stop);
  Finished out;
  try {
    const py::gil_scoped_release release;
    out = work(stop.flag(), log);
  } catch (const Interrupted&) {
    log.rethrow();
    throw;
  }
  log.rethrow();
  return out;
}

Finished train(const std::string& problem, const std::string& algorithm, std::int64_t seed,
               const Sets& sets, const std::string& out, bool force, int threads, double seconds,
               std::int64_t steps, const py::object& progress) {
  return with_progress(progress, [&](const std::atomic<bool>& stop, Log& log) {
    RunPlan plan = make_plan(settings(problem, algorithm, SolverKind::kAlgorithm, seed, sets));
    const std::string directory =
        !out.empty() ? out
                     : fmt::format("runs/{}-{}-{}", short_name(plan.run.problem), algorithm, seed);
    ThreadPool pool(threads_or_all(threads));
    const auto run = Run::create(directory, std::move(plan), force, pool);
    return finish(*run, seconds, steps, stop, log, pool);
  });
}

Finished resume(const std::string& directory, int threads, double seconds, std::int64_t steps,
                const py::object& progress) {
  return with_progress(progress, [&](const std::atomic<bool>& stop, Log& log) {
    ThreadPool pool(threads_or_all(threads));
    const auto run = Run::resume(directory, pool);
    if (run->solution().finished()) {
      if (auto stored = stored_result(directory)) {
        return Finished{directory, stored, run->training().value_or(Training{}).iterations};
      }
    }
    return finish(*run, seconds, steps, stop, log, pool);
  });
}

Finished solve_problem(const std::string& problem, const std::string& planner, std::int64_t seed,
                       const Sets& sets, const std::string& out, bool force, int threads,
                       double seconds, double gap, std::int64_t iterations, std::int64_t episodes,
                       const py::object& progress) {
  return with_progress(progress, [&](const std::atomic<bool>& stop, Log& log) {
    RunPlan plan = make_plan(settings(problem, planner, SolverKind::kPlanner, seed, sets));
    ThreadPool pool(threads_or_all(threads));
    Budget budget{.gap = gap, .stop = &stop};
    if (seconds > 0.0) budget.seconds = seconds;
    if (iterations > 0) budget.iterations = iterations;
    const Protocol protocol{.episodes = episodes, .seed = seed, .exactness = Exactness::kOptimum};
    Finished done{out};
    if (out.empty()) {
      const Interruptible interruptible(pool, stop);
      done.result = solve_and_measure(plan, budget, protocol, log, pool);
    } else {
      const auto run = Run::create(out, std::move(plan), force, pool);
      run->solve(budget, kCheckpointSeconds, log);
      done.result = write_result(*run, protocol, stop, log, pool);
    }
    done.interrupted = stop;
    return done;
  });
}

Group evaluate_runs(const std::string& directory, std::int64_t episodes, std::int64_t seed,
                    bool greedy, bool exact, const Sets& sets, int threads) {
  const StopOnInterrupt stop;
  const py::gil_scoped_release release;
  const std::vector<LoadedPolicy> runs = load_runs(directory, sets, greedy);
  const Protocol protocol{
      .episodes = episodes > 0 ? episodes : usual_episodes(runs.front().run.problem),
      .seed = seed,
      .greedy = greedy,
      .sets = sets,
      .exactness = exact ? Exactness::kValueOnly : Exactness::kOptimum};
  ThreadPool pool(threads_or_all(threads));
  const Interruptible interruptible(pool, stop.flag());
  NullLog quiet;
  return measure_group(directory, runs, protocol, quiet, pool);
}

/// Columns of equal length, "iteration" among them; what is missing is NaN.
py::dict history(const std::string& directory) {
  const History all = load_history(directory);
  py::dict out;
  const auto iterations = all.find("iteration");
  if (iterations == all.end()) return out;
  for (const auto& [name, values] : all) {
    std::vector<double> column;
    for (const auto& [iteration, unused] : iterations->second) {
      const auto found = values.find(iteration);
      column.push_back(found != values.end() ? found->second
                                             : std::numeric_limits<double>::quiet_NaN());
    }
    out[py::str(name)] = array_of<double>(column);
  }
  return out;
}

py::dict inventory_of_all() {
  py::dict out;
  for (const std::string& kind : inventory_kinds()) {
    py::dict items;
    for (const InventoryItem& item : inventory(kind)) items[py::str(item.name)] = item.summary;
    out[py::str(kind)] = items;
  }
  return out;
}

py::list options_listed(const std::string& name) {
  py::list out;
  for (const OptionRow& row : options_of(name)) {
    out.append(py::make_tuple(row.key, row.value, row.accepts, row.help));
  }
  return out;
}

}  // namespace

void bind_runs(py::module_& m) {
  py::class_<Measurement>(m, "Measurement",
                          R"(What a policy was found to be worth; its text is that of `bpo eval`.

>>> measured = run.evaluate(episodes=1000)
>>> measured.mean, measured.ci95, measured.returns.std(), measured.optimum)")
      .def_readonly("mean", &Measurement::mean)
      .def_readonly("ci95", &Measurement::ci95)
      .def_readonly("episodes", &Measurement::episodes)
      .def_readonly("faults", &Measurement::faults)
      .def_readonly("exact", &Measurement::exact)
      .def_readonly("exact_value", &Measurement::exact_value)
      .def_readonly("optimum", &Measurement::optimum)
      .def_property_readonly("gap", &Measurement::gap)
      .def_property_readonly("returns",
                             [](const Measurement& x) { return array_of<double>(x.returns); })
      .def_property_readonly("json", [](const Measurement& x) { return json_text(x.json()); })
      .def("__str__", [](const Measurement& x) { return report::result_text(x); });
  py::class_<Group>(m, "Group", "The measurements of one training's seeds.")
      .def_readonly("directory", &Group::directory)
      .def_readonly("runs", &Group::runs)
      .def_property_readonly("mean", &Group::mean)
      .def("__str__", [](const Group& g) { return report::group_text(g); });
  py::class_<Finished>(m, "Finished")
      .def_readonly("directory", &Finished::directory)
      .def_readonly("result", &Finished::result)
      .def_readonly("iterations", &Finished::iterations)
      .def_readonly("interrupted", &Finished::interrupted);
  m.def("train", &train);
  m.def("resume", &resume);
  m.def("solve", &solve_problem);
  m.def("evaluate", &evaluate_runs);
  m.def("history", &history);
  m.def("inventory", &inventory_of_all);
  m.def("options", &options_listed);
  m.def("open_problem", &open_problem);
  m.def("is_run", &is_run);
  m.def("stored_result", &stored_result);
  m.def("policy_path", &policy_path);
}

}  // namespace bpo::python
