#include "bpo/comm/window.h"

#include <sched.h>

#include <algorithm>
#include <new>
#include <utility>

#include "bpo/comm/core_time.h"

namespace bpo {
namespace {

// Bytes of all ranks together. What is not used takes no memory.
constexpr std::size_t kBytes = std::size_t{64} << 20;
constexpr std::size_t kLeast = std::size_t{1} << 16, kPage = 4096;
// A rank is at most so many looks ahead of the others before it lets other programs run.
constexpr int kLooks = 4000;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

bool on_one_machine(MPI_Comm comm, int size) {
  MPI_Comm near = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
  int here = 0;
  MPI_Comm_size(near, &here);
  MPI_Comm_free(&near);
  int least = 0;
  MPI_Allreduce(&here, &least, 1, MPI_INT, MPI_MIN, comm);
  return least == size;
}

}  // namespace

std::unique_ptr<Window> Window::open(MPI_Comm comm) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (size == 1 || !on_one_machine(comm, size)) return nullptr;
  const std::size_t ranks = static_cast<std::size_t>(size);
  const std::size_t room = std::max(kLeast, kBytes / ranks / 2 / kPage * kPage);
  void* base = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int status = MPI_Win_allocate_shared(static_cast<MPI_Aint>(kPage + 2 * room), 1,
                                             MPI_INFO_NULL, comm, &base, &window);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  const int here = status == MPI_SUCCESS ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, comm);
  if (all == 0) return nullptr;
  new (base) Place();
  std::vector<Place*> places;
  for (int r = 0; r < size; ++r) {
    MPI_Aint bytes = 0;
    int unit = 0;
    void* of_rank = nullptr;
    MPI_Win_shared_query(window, r, &bytes, &unit, &of_rank);
    places.push_back(static_cast<Place*>(of_rank));
  }
  MPI_Barrier(comm);
  return std::unique_ptr<Window>(new Window(window, rank, std::move(places), room));
}

Window::Window(MPI_Win window, int rank, std::vector<Place*> places, std::size_t room)
    : window_(window), rank_(rank), places_(std::move(places)), room_(room) {}

Window::~Window() { MPI_Win_free(&window_); }

std::byte* Window::bytes(std::size_t rank) const {
  return reinterpret_cast<std::byte*>(places_[rank]) + kPage + count_ % 2 * room_;
}

bool Window::exchange(Head head, const Spans& mine, std::span<Head> heads, std::span<Bytes> parts) {
  ++count_;
  const auto self = static_cast<std::size_t>(rank_);
  if (head.size <= room_) lay_down(mine, bytes(self));
  places_[self]->head[count_ % 2] = head;
  places_[self]->count.store(count_, std::memory_order_release);
  wait();
  bool fits = true;
  for (std::size_t r = 0; r < places_.size(); ++r) {
    heads[r] = places_[r]->head[count_ % 2];
    parts[r] = {bytes(r), heads[r].size};
    fits = fits && heads[r].size <= room_;
  }
  return fits;
}

void Window::wait() {
  const double start = cost_seconds(CLOCK_THREAD_CPUTIME_ID);
  for (const Place* place : places_) {
    for (int looks = 0; place->count.load(std::memory_order_acquire) < count_; ++looks) {
      if (looks < kLooks) {
        relax();
      } else {
        ::sched_yield();
      }
    }
  }
  waited_ += cost_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
}

}  // namespace bpo
