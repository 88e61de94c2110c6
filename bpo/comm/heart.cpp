#include "bpo/comm/heart.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "bpo/comm/core_time.h"
#include "bpo/comm/start_thread.h"

namespace bpo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPeriod{250};
constexpr double kPatience = 7.0;  // seconds; the rest of the ten are for mpirun to end them all
// Rank 0 sees all ranks. It may itself wait for one that is gone, and then it speaks first.
constexpr double kPatienceWithFirst = 8.0;
constexpr double kIdle = 0.002;  // a process that uses less of a CPU is idle
constexpr int kStatus = 5;

}  // namespace

void Heart::end_after(double patience) {
  std::thread end = start_thread([patience] {
    std::this_thread::sleep_for(std::chrono::duration<double>(patience));
    ::_exit(kStatus);
  });
  if (end.joinable()) end.detach();
}

Heart::Heart(MPI_Comm comm, std::vector<std::string> names)
    : comm_(comm), names_(std::move(names)) {
  int rank = 0;
  MPI_Comm_rank(comm_, &rank);
  const int size = static_cast<int>(names_.size());
  for (int other = 0; other < size; ++other) {
    if (other != rank && (rank == 0 || other == 0)) peers_.push_back({.rank = other});
  }
  thread_ = start_thread([this] { loop(); });
  if (!thread_.joinable()) throw std::runtime_error("no thread can be started to watch the ranks");
}

Heart::~Heart() {
  stop_ = true;
  thread_.join();
  for (Peer& peer : peers_) {
    for (MPI_Request* request : {&peer.receiving, &peer.sending}) {
      if (*request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(request);
      MPI_Request_free(request);
    }
  }
}

void Heart::loop() {
  for (Clock::time_point last = Clock::now(); !stop_;) {
    std::this_thread::sleep_for(kPeriod);
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> passed = std::min(now - last, Clock::duration(2 * kPeriod));
    last = now;
    for (Peer& peer : peers_) {
      peer.silent += passed.count();
      peer.idle += passed.count();
      beat(peer);
      judge(peer, at_);
    }
  }
}

void Heart::beat(Peer& peer) {
  int done = 1;
  if (peer.sending != MPI_REQUEST_NULL) MPI_Test(&peer.sending, &done, MPI_STATUS_IGNORE);
  if (done != 0) {
    peer.out = {at_, core_seconds(CLOCK_PROCESS_CPUTIME_ID) - core_seconds(CLOCK_THREAD_CPUTIME_ID),
                disk_};
    MPI_Isend(&peer.out, sizeof(Beat), MPI_BYTE, peer.rank, 0, comm_, &peer.sending);
  }
  while (true) {
    if (peer.receiving != MPI_REQUEST_NULL) {
      MPI_Test(&peer.receiving, &done, MPI_STATUS_IGNORE);
      if (done == 0) return;
      peer.silent = 0.0;
      const bool moves = peer.in.at != peer.last.at || peer.in.disk ||
                         peer.in.cpu - peer.last.cpu > kIdle * std::max(1.0, peer.idle);
      if (moves) {
        peer.idle = 0.0;
        peer.last = peer.in;
      }
    }
    MPI_Irecv(&peer.in, sizeof(Beat), MPI_BYTE, peer.rank, 0, comm_, &peer.receiving);
  }
}

void Heart::judge(const Peer& peer, std::uint64_t at) const {
  const std::string& name = names_[static_cast<std::size_t>(peer.rank)];
  if (peer.silent > kPatience) {
    give_up(name + " has been silent for " + std::to_string(static_cast<int>(peer.silent)) +
            " s: it is dead, stopped or cut off");
  }
  const bool waited_for = at % 2 == 1 && peer.last.at < at;
  if (waited_for && peer.idle > (peer.rank == 0 ? kPatienceWithFirst : kPatience)) {
    give_up(name + " hangs: the others have waited for it for " +
            std::to_string(static_cast<int>(peer.idle)) + " s, in which it did nothing");
  }
}

void Heart::give_up(const std::string& text) {
  const std::string line =
      "bpo: error: " + text + "; the last checkpoint is whole, continue with `bpo resume`\n";
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) ::_exit(kStatus);
  end_after(2.0);  // ends this process even where that call hangs
  MPI_Abort(MPI_COMM_WORLD, kStatus);
  ::_exit(kStatus);
}

}  // namespace bpo
