// Ranks: processes, perhaps on several machines, that run the same program step by step. All they
// ever do together is one thing: everybody gives bytes and gets those of all, in the order of
// ranks. Nothing is added up on the way, so no sum depends on their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <typeindex>
#include <vector>

namespace bpo {

/// What a rank exchanges bytes for. All must be at the same: if not, they have gone apart.
enum class Exchange : std::uint32_t { kStart, kChunks, kRoot, kQuestion, kEnd };

/// What an exchange costs, roughly.
struct LinkSpeed {
  double seconds = 50e-6, bytes_per_second = 1e9;
};

/// What one of the loops cost whose chunks were divided among ranks: the seconds of all ranks
/// together, and of whoever took longest, and the bytes of all ranks.
struct LoopCost {
  std::uint64_t calls = 0, bytes = 0;
  double divided = 0.0, longest = 0.0;

  void add(double all_seconds, double longest_seconds, std::uint64_t told) {
    ++calls;
    bytes += told;
    divided += all_seconds;
    longest += longest_seconds;
  }
};

/// What exchanges have cost so far.
struct Traffic {
  std::uint64_t exchanges = 0, bytes = 0;  // bytes of all ranks
  std::map<std::type_index, LoopCost> loops;
  LoopCost sums;  // exact sums of what lies on different ranks, in this rank's seconds
  double carrying = 0.0, waiting = 0.0;  // this rank's, for bytes and for others
};

using Bytes = std::span<const std::byte>;
/// What lies apart and is told as one.
using Spans = std::vector<Bytes>;
inline std::size_t size_of(const Spans& spans) {
  std::size_t sum = 0;
  for (const Bytes bytes : spans) sum += bytes.size();
  return sum;
}
/// Lays them down one after another.
inline void lay_down(const Spans& spans, std::byte* to) {
  for (const Bytes bytes : spans) to = std::copy(bytes.begin(), bytes.end(), to);
}
/// What every rank told, by rank.
using Told = std::span<const Bytes>;

class Comm {
 public:
  virtual ~Comm() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::string host(int rank) const = 0;
  /// The bytes of every rank, by rank; they stay until the next exchange. Throws RanksApart where
  /// another rank is at something else.
  virtual Told exchange(Exchange what, const Spans& mine) = 0;
  Told exchange(Exchange what, Bytes mine) { return exchange(what, Spans{mine}); }
  /// Gives each rank bytes of its own, `to` by rank, and gets what each has for this one.
  virtual Told exchange_apart(Exchange what, std::span<const Spans> to);
  /// Whether this rank waits for a disk from here on, however long that takes.
  virtual void wait_for_disk(bool /*waits*/) {}
  virtual LinkSpeed link_speed() const { return {}; }

  Traffic traffic;

  bool is_root() const { return rank() == 0; }
  /// "rank 2 on node7".
  std::string name(int rank) const { return "rank " + std::to_string(rank) + " on " + host(rank); }

 private:
  std::vector<std::uint64_t> begins_;
  Spans all_, for_me_;
};

/// On stderr: a line for this rank, and on rank 0 one for each loop (docs/scale.md).
void print_traffic(const Comm& comm);

/// Another rank ended or does something else; it has said why, if there is anything to say.
class RanksApart : public std::exception {
 public:
  explicit RanksApart(int status) : status_(status) {}
  const char* what() const noexcept override { return "another rank ended"; }
  int status() const { return status_; }

 private:
  int status_;  // what this rank is to exit with as well
};

/// The ranks of this process: one, unless start_comm() made others.
Comm& comm();

/// Keeps comm() what it is for the life of the object.
class Started {
 public:
  explicit Started(std::unique_ptr<Comm> comm);
  Started(Started&&) = default;
  ~Started();

 private:
  std::unique_ptr<Comm> comm_;  // null: there is one rank
};

/// The program's choice, made by what it is linked with: serial.cpp or mpi.cpp.
Started start_comm();

/// The last thing that ranks do together: each tells its exit status and what went wrong. The
/// first is the status of all, the second what this rank should print, if anything: what all say
/// is said by rank 0, what one alone says by that one with its name.
struct Ending {
  int status = 0;
  std::string text;
};
Ending end_together(const Ending& mine);

}  // namespace bpo
