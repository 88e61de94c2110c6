// Watches that all ranks live. A thread of every rank tells how far it is, four times a second:
// all tell rank 0, and rank 0 tells all. A rank that has been silent is dead, stopped or cut off; a
// rank that the others wait for, that uses no time of its CPU and waits for no disk, hangs. Either
// ends the whole job by name within ten seconds. Seconds are counted by the watcher's own beats, so
// that a job that was suspended as a whole goes on.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace bpo {

class Heart {
 public:
  Heart(MPI_Comm comm, std::vector<std::string> names);
  /// All ranks are at their end: none is watched any more.
  ~Heart();
  Heart(const Heart&) = delete;
  Heart& operator=(const Heart&) = delete;

  void begin_exchange() { at_.fetch_add(1, std::memory_order_relaxed); }
  void end_exchange() { at_.fetch_add(1, std::memory_order_relaxed); }
  /// Ends this process at the latest after so many seconds.
  static void end_after(double patience);
  void wait_for_disk(bool waits) { disk_.store(waits, std::memory_order_relaxed); }

 private:
  struct Beat {
    std::uint64_t at = 0;  // exchanges begun and ended: odd within one
    double cpu = 0.0;      // seconds, without the heart's own
    bool disk = false;
  };
  struct Peer {
    int rank = 0;
    Beat out, in, last;
    MPI_Request sending = MPI_REQUEST_NULL, receiving = MPI_REQUEST_NULL;
    double silent = 0.0, idle = 0.0;  // seconds
  };

  void loop();
  void beat(Peer& peer);
  void judge(const Peer& peer, std::uint64_t at) const;
  [[noreturn]] static void give_up(const std::string& text);

  MPI_Comm comm_;
  std::vector<std::string> names_;
  std::vector<Peer> peers_;
  std::atomic<std::uint64_t> at_{0};
  std::atomic<bool> disk_{false}, stop_{false};
  std::thread thread_;
};

}  // namespace bpo
