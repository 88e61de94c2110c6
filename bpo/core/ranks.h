// A program on several ranks (bpo/comm) is one program: every rank takes the same steps, and what
// comes from outside is the same for all. Files are rank 0's, which reads, writes and tells what it
// read; clocks and signals are asked about together.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bpo/comm/comm.h"
#include "bpo/core/error.h"
#include "bpo/core/wire.h"

namespace bpo {

/// Whether `here` is true on any rank.
bool any_rank(bool here);
int sum_over_ranks(int here);

/// What ranks must have in common, by name.
using Facts = std::vector<std::pair<std::string, std::string>>;
/// Refuses ranks that differ from rank 0, by name and host.
void check_same_on_ranks(const Facts& facts);

/// The outside world as rank 0 finds it: it acts, and its result or its Error is that of all.
template <class Act>
auto by_root(const Act& act) -> decltype(act());

/// While the object lives, this rank waits for a disk, which may take its time.
class AtDisk {
 public:
  AtDisk() { comm().wait_for_disk(true); }
  ~AtDisk() { comm().wait_for_disk(false); }
  AtDisk(const AtDisk&) = delete;
  AtDisk& operator=(const AtDisk&) = delete;
};

namespace ranks {

/// An Error on its way, or none.
struct Trouble {
  int code = 0;
  std::string text;

  void visit(Wire& wire) {
    wire(code);
    wire(text);
  }
  void raise() const {
    if (code != 0) throw Error(static_cast<ErrorCode>(code), text);
  }
};

/// What rank 0 sends, as the others get it.
std::span<const std::byte> from_root(std::span<const std::byte> bytes);

}  // namespace ranks

template <class Act>
auto by_root(const Act& act) -> decltype(act()) {
  using Value = decltype(act());
  using Kept = std::conditional_t<std::is_void_v<Value>, char, Value>;
  if (comm().size() == 1) return act();
  ranks::Trouble trouble;
  Kept value{};
  std::vector<std::byte> bytes;
  if (comm().is_root()) {
    const AtDisk at_disk;
    try {
      if constexpr (std::is_void_v<Value>) {
        act();
      } else {
        value = act();
      }
    } catch (const Error& error) {
      trouble = {static_cast<int>(error.code()), error.what()};
    }
    Wire out(bytes);
    out(trouble);
    out(value);
  }
  const std::span<const std::byte> told = ranks::from_root(bytes);
  if (!comm().is_root()) {
    Wire in(told);
    in(trouble);
    in(value);
  }
  trouble.raise();
  if constexpr (!std::is_void_v<Value>) return value;
}

}  // namespace bpo
