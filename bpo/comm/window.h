// Memory that the ranks of one machine share. A rank lays down its bytes and counts up; the others
// read them where they lie as soon as they see the count. Each has two places and uses them in
// turn: whoever begins the exchange after the next has seen everybody begin the next, so nobody
// reads the old bytes any more, and one step is enough.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bpo/comm/comm.h"

namespace bpo {

/// What a rank says first in an exchange.
struct Head {
  Exchange what{};
  std::uint64_t size = 0;
};

class Window {
 public:
  /// Null where the ranks are on several machines, or where the memory is not to be had.
  static std::unique_ptr<Window> open(MPI_Comm comm);
  /// All ranks must do this together.
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Tells all ranks `mine`, and gets what each says first and, where nobody has more than there is
  /// room for, what it has; the bytes stay until the next call. Returns whether there was room.
  bool exchange(Head head, const Spans& mine, std::span<Head> heads, std::span<Bytes> parts);
  /// Seconds of the core that were spent waiting for other ranks, so far.
  double waited() const { return waited_; }

 private:
  struct Place {
    alignas(64) std::atomic<std::uint64_t> count{0};
    Head head[2];
  };
  Window(MPI_Win window, int rank, std::vector<Place*> places, std::size_t room);
  std::byte* bytes(std::size_t rank) const;
  /// Waits until all ranks have counted as far as this one.
  void wait();

  MPI_Win window_;
  int rank_;
  std::vector<Place*> places_;  // by rank, each followed by two times room_ bytes
  std::size_t room_;
  std::uint64_t count_ = 0;
  double waited_ = 0.0;
};

}  // namespace bpo
