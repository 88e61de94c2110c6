// Runs the program on ranks as a user does, more of them than there are cores.
#pragma once

#include <algorithm>
#include <chrono>

#include "tests/attack/artifacts.h"

namespace bpo::cli {

using Arguments = std::vector<std::string>;

/// This process becomes mpirun; what follows "-n N" are programs and their arguments.
[[noreturn]] inline void become_mpirun(const Arguments& words) {
  // OpenMPI refuses to run as root, on fewer cores than ranks or without a network unless told.
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  ::setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
  ::setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
  ::setenv("OMPI_MCA_btl", "self,vader", 1);
  Arguments all{"mpirun"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(99);
}

inline Arguments on_ranks(int ranks, const Arguments& arguments) {
  Arguments all{"-n", std::to_string(ranks), kMpiBinaryPath};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

class RanksTest : public CliTest {
 protected:
  std::unique_ptr<Process> start(const Arguments& mpirun) const {
    return std::make_unique<Process>(dir_, Arguments{}, [&] { become_mpirun(mpirun); });
  }
  Outcome run_on(int ranks, const Arguments& arguments) const {
    return start(on_ranks(ranks, arguments))->wait();
  }

  /// The process of a rank below mpirun; 0 while there is none.
  static pid_t process_of(pid_t mpirun, int rank) {
    const std::string wanted = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != name.npos) continue;
      std::istringstream stat(slurp(entry.path() / "stat"));
      std::string pid, command, state, parent;
      stat >> pid >> command >> state >> parent;
      if (parent != std::to_string(mpirun)) continue;
      const std::string environment = slurp(entry.path() / "environ");
      if (environment.find(wanted + '\0') != environment.npos) return std::stoi(name);
    }
    return 0;
  }

  /// Whether all processes that work in this test's directory end within ten seconds: the ranks of
  /// an mpirun that was killed are not its test's children.
  bool ranks_end() const {
    const auto here = [&](const fs::path& process) {
      std::error_code error;
      return fs::read_symlink(process / "cwd", error) == dir_ && !error;
    };
    const fs::path self = "/proc/" + std::to_string(::getpid());
    for (int i = 0; i < 1000; ++i) {
      bool any = false;
      for (const auto& entry : fs::directory_iterator("/proc")) {
        any = any || (entry.path() != self && here(entry.path()));
      }
      if (!any) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
};

}  // namespace bpo::cli
