// Memory that the ranks of one machine share. A rank lays down its bytes and counts up; the others
// read them where they lie as soon as they see the count. Each has two places and uses them in
// turn: whoever begins the exchange after the next has seen everybody begin the next, so nobody
// reads the old bytes any more, and one step is enough. A relay is an exchange in this: a rank
// writes its own place alone, and ends no relay before it has seen everybody begin it.
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
  /// See Comm::relay(); there must be room. Where one of the heads is another, the ranks are apart
  /// and nothing has been taken.
  void relay(Head head, const Relay& relay, std::span<Head> heads, std::span<Bytes> parts);
  /// Bytes of a rank that an exchange has room for.
  std::size_t room() const { return room_; }
  /// Seconds of the core that were spent waiting for other ranks, so far.
  double waited() const { return waited_; }

 private:
  struct Place {
    alignas(64) std::atomic<std::uint64_t> count{0};
    Head head[2];
    alignas(64) std::atomic<std::uint64_t> steps{0};  // of all relays so far
  };
  Window(MPI_Win window, int rank, std::vector<Place*> places, std::size_t room);
  std::byte* bytes(std::size_t rank) const;
  /// Says what this rank is at; the bytes that go with it are there, or go step by step.
  void begin(Head head);
  /// Waits until all ranks have counted as far as this one, and gets what they say first and where
  /// it is. Returns whether there was room.
  bool wait(std::span<Head> heads, std::span<Bytes> parts);
  /// Waits until a rank has done so many steps; false if a rank is at something else.
  bool wait_for_step(std::size_t rank, std::uint64_t steps);
  bool together() const;
  template <class Condition>
  void wait_until(Condition condition);

  MPI_Win window_;
  std::size_t rank_;
  std::vector<Place*> places_;  // by rank, each followed by two times room_ bytes
  std::size_t room_;
  std::uint64_t count_ = 0, steps_ = 0;
  double waited_ = 0.0;
};

}  // namespace bpo
