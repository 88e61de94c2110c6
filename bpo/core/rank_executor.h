// Chunks divided among ranks: each computes a range of them and tells all the others the results,
// as bytes. So every rank has every result, and whoever folds them adds the same numbers in the
// same order. Ranks also tell how long they took. A loop whose results take longer to exchange than
// to compute is then computed by every rank itself, and tried again now and then; all have heard
// the same times, so all decide alike, and who computes a chunk changes no bit.
#pragma once

#include <map>
#include <typeindex>
#include <utility>
#include <vector>

#include "bpo/core/parallel.h"

namespace bpo {

class RankExecutor final : public Executor {
 public:
  /// Whether there are ranks to divide chunks among. Chunks within a chunk stay where they are.
  static bool can_run();
  /// Whether that is faster than to compute all of them on every rank.
  bool pays(const Chunks& chunks);
  /// The same of loops that take so many seconds on one rank, and exchange so many bytes in all.
  static bool pays(double seconds, double bytes, int exchanges);
  static int rank_of(int chunk, int chunks);
  void run(Chunks& chunks, ThreadPool& pool) override;
  /// Computes this rank's chunks and tells nobody.
  static void run_own(Chunks& chunks, ThreadPool& pool);

 private:
  /// A loop of the program, apart for few and for many chunks.
  using Loop = std::pair<std::type_index, int>;
  struct Cost {
    double seconds = 0.0;  // what a chunk takes on one rank
    double bytes = 0.0;    // how many its result has
    int calls = 0;         // how often it was called since it was measured
  };
  static Loop loop_of(const Chunks& chunks);

  std::map<Loop, Cost> costs_;
  std::vector<std::byte> bytes_;
};

}  // namespace bpo
