// Ranks by MPI, one communicator for the work and one for the heart. On one machine they exchange
// bytes through memory that they share; on several, or where that has no room, by two calls: the
// sizes with what is small, and the rest where there is any. All are gathers, so no rank count and
// no algorithm of MPI's changes a bit.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "bpo/comm/comm.h"
#include "bpo/comm/heart.h"
#include "bpo/comm/window.h"

namespace bpo {
namespace {

constexpr std::size_t kSmall = 240;
constexpr LinkSpeed kWithin{.seconds = 3e-6, .bytes_per_second = 4e9};  // one machine
// What all ranks together send at once: MPI counts bytes by int.
constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 30;

/// Tasks that Slurm started without telling them of each other. (What mpirun starts below Slurm has
/// Slurm's variables, too.) OpenMPI itself would end them with advice on how to build it.
void refuse_strangers() {
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (tasks == nullptr || std::atoi(tasks) < 2) return;
  for (const char* known : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(known) != nullptr) return;
  }
  throw std::runtime_error(std::string("srun started ") + tasks +
                           " tasks that know nothing of each other; start it by `srun --mpi=pmix`");
}

struct Opening {
  Head head;
  std::array<std::byte, kSmall> small{};
};

class MpiComm final : public Comm {
 public:
  MpiComm() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
    if (level < MPI_THREAD_MULTIPLE) throw std::runtime_error("this MPI knows no threads");
    MPI_Comm_dup(MPI_COMM_WORLD, &work_);
    MPI_Comm_dup(MPI_COMM_WORLD, &beats_);
    MPI_Comm_rank(work_, &rank_);
    MPI_Comm_size(work_, &size_);
    heads_.resize(static_cast<std::size_t>(size_));
    openings_.resize(heads_.size());
    parts_.resize(heads_.size());
    gather_hosts();
    window_ = Window::open(work_);
    std::vector<std::string> names;
    for (int r = 0; r < size_; ++r) names.push_back(name(r));
    if (size_ > 1) heart_ = std::make_unique<Heart>(beats_, std::move(names));
  }
  ~MpiComm() override {
    heart_.reset();
    if (std::getenv("BPO_EXCHANGES") != nullptr) print_traffic(*this);
    if (size_ > 1) Heart::end_after(10.0);  // nobody may wait here for a rank that is gone
    window_.reset();
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  LinkSpeed link_speed() const override { return window_ ? kWithin : LinkSpeed{}; }
  std::string host(int rank) const override { return hosts_[static_cast<std::size_t>(rank)]; }
  void wait_for_disk(bool waits) override {
    if (heart_) heart_->wait_for_disk(waits);
  }

  Told exchange(Exchange what, const Spans& mine) override {
    if (heart_) heart_->begin_exchange();
    const Head head{.what = what, .size = size_of(mine)};
    const bool told = window_ && window_->exchange(head, mine, heads_, parts_);
    if (!told) gather(head, mine);
    ++traffic.exchanges;
    for (const Head& one : heads_) traffic.bytes += one.size;
    if (window_) traffic.waiting = window_->waited();
    if (heart_) heart_->end_exchange();
    for (int r = 0; r < size_; ++r) {
      if (heads_[static_cast<std::size_t>(r)].what != what) apart(what);
    }
    return parts_;
  }

  Told exchange_apart(Exchange what, std::span<const Spans> to) override {
    if (window_) return Comm::exchange_apart(what, to);
    const auto ranks = static_cast<std::size_t>(size_);
    std::vector<std::uint64_t> sizes(ranks), all;
    for (std::size_t r = 0; r < ranks; ++r) sizes[r] = size_of(to[r]);
    for (const Bytes told : Comm::exchange(what, std::as_bytes(std::span(sizes)))) {
      const auto one = all.insert(all.end(), ranks, 0);
      std::memcpy(&*one, told.data(), told.size());
    }
    if (std::accumulate(all.begin(), all.end(), std::uint64_t{0}) > kMostAtOnce) {
      return Comm::exchange_apart(what, to);
    }
    if (heart_) heart_->begin_exchange();
    scatter(to, all);
    if (heart_) heart_->end_exchange();
    return parts_;
  }

 private:
  void gather_hosts() {
    std::array<char, 256> own{};
    if (::gethostname(own.data(), own.size() - 1) != 0) std::strcpy(own.data(), "unknown");
    std::vector<char> all(own.size() * heads_.size());
    MPI_Allgather(own.data(), own.size(), MPI_CHAR, all.data(), own.size(), MPI_CHAR, work_);
    for (std::size_t r = 0; r < heads_.size(); ++r) hosts_.push_back(&all[r * own.size()]);
  }

  /// By MPI, where there is no window or it has no room.
  void gather(const Head& head, const Spans& mine) {
    mine_.resize(head.size);
    lay_down(mine, mine_.data());
    if (window_ || !open_with(head, mine_)) gather_rest(mine_);
  }

  /// Tells all what comes, and what is small at once. Whether that was all.
  bool open_with(const Head& head, Bytes mine) {
    Opening own{.head = head};
    std::copy_n(mine.begin(), std::min(kSmall, mine.size()), own.small.begin());
    MPI_Allgather(&own, sizeof own, MPI_BYTE, openings_.data(), sizeof own, MPI_BYTE, work_);
    bool small = true;
    for (std::size_t r = 0; r < heads_.size(); ++r) {
      heads_[r] = openings_[r].head;
      parts_[r] = {openings_[r].small.data(), heads_[r].size};
      small = small && heads_[r].size <= kSmall;
    }
    return small;
  }

  void gather_rest(Bytes mine) {
    std::uint64_t sum = 0;
    for (const Head& head : heads_) sum += head.size;
    rest_.resize(sum);
    std::uint64_t from = 0;
    for (std::size_t r = 0; r < heads_.size(); ++r) {
      parts_[r] = {rest_.data() + from, heads_[r].size};
      from += heads_[r].size;
    }
    if (sum <= kMostAtOnce) return gather_at_once(mine);
    for (int r = 0; r < size_; ++r) {
      const auto own = const_cast<std::byte*>(parts_[static_cast<std::size_t>(r)].data());
      if (r == rank_) std::copy(mine.begin(), mine.end(), own);
      const std::uint64_t bytes = heads_[static_cast<std::size_t>(r)].size;
      for (std::uint64_t done = 0; done < bytes; done += kMostAtOnce) {
        const auto count = static_cast<int>(std::min(kMostAtOnce, bytes - done));
        MPI_Bcast(own + done, count, MPI_BYTE, r, work_);
      }
    }
  }

  void gather_at_once(Bytes mine) {
    counts_.clear();
    begins_.clear();
    int begin = 0;
    for (const Head& head : heads_) {
      counts_.push_back(static_cast<int>(head.size));
      begins_.push_back(begin);
      begin += counts_.back();
    }
    MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, rest_.data(),
                   counts_.data(), begins_.data(), MPI_BYTE, work_);
  }

  /// `sizes` is the number of bytes from each rank to each.
  void scatter(std::span<const Spans> to, std::span<const std::uint64_t> sizes) {
    const auto ranks = static_cast<std::size_t>(size_), self = static_cast<std::size_t>(rank_);
    std::vector<int> counts(ranks), begins(ranks);
    mine_.clear();
    counts_.clear();
    begins_.clear();
    int from = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      counts[r] = static_cast<int>(size_of(to[r]));
      begins[r] = static_cast<int>(mine_.size());
      mine_.resize(mine_.size() + size_of(to[r]));
      lay_down(to[r], mine_.data() + begins[r]);
      counts_.push_back(static_cast<int>(sizes[r * ranks + self]));
      begins_.push_back(from);
      from += counts_.back();
    }
    rest_.resize(static_cast<std::size_t>(from));
    MPI_Alltoallv(mine_.data(), counts.data(), begins.data(), MPI_BYTE, rest_.data(),
                  counts_.data(), begins_.data(), MPI_BYTE, work_);
    for (std::size_t r = 0; r < ranks; ++r) {
      parts_[r] = {rest_.data() + begins_[r], static_cast<std::size_t>(counts_[r])};
    }
    ++traffic.exchanges;
    traffic.bytes += std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  }

  /// A rank that ended early has told its status and prints why.
  [[noreturn]] void apart(Exchange what) const {
    int status = -1;
    for (std::size_t r = 0; r < heads_.size(); ++r) {
      if (heads_[r].what != Exchange::kEnd) continue;
      int told = 0;
      std::memcpy(&told, parts_[r].data(), sizeof told);
      status = std::max(status, told);
    }
    if (status < 0 && what != Exchange::kEnd) {
      throw std::logic_error("the ranks went apart: they no longer take the same steps");
    }
    throw RanksApart(status);
  }

  MPI_Comm work_ = MPI_COMM_NULL, beats_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::vector<std::string> hosts_;
  std::vector<Head> heads_;
  std::vector<Opening> openings_;
  std::vector<Bytes> parts_;
  std::vector<std::byte> rest_, mine_;
  std::vector<int> counts_, begins_;
  std::unique_ptr<Window> window_;  // null: MPI alone
  std::unique_ptr<Heart> heart_;
};

}  // namespace

Started start_comm() {
  refuse_strangers();
  return Started(std::make_unique<MpiComm>());
}

}  // namespace bpo
