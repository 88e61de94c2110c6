#include "bpo/comm/comm.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace bpo {
namespace {

class Alone final : public Comm {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string host(int) const override {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
  }
  Told exchange(Exchange, const Spans& mine) override {
    joined_.resize(size_of(mine));
    lay_down(mine, joined_.data());
    told_ = joined_;
    return {&told_, 1};
  }

 private:
  std::vector<std::byte> joined_;
  Bytes told_;
};

Comm* started = nullptr;

}  // namespace

Comm& comm() {
  static Alone alone;
  return started != nullptr ? *started : alone;
}

/// Exchanges everything, preceded by where each rank's bytes begin, and leaves alone what is for
/// others.
Told Comm::exchange_apart(Exchange what, std::span<const Spans> to) {
  begins_.assign(1, (to.size() + 1) * sizeof(std::uint64_t));
  all_.assign(1, {});
  for (const Spans& spans : to) {
    begins_.push_back(begins_.back() + size_of(spans));
    all_.insert(all_.end(), spans.begin(), spans.end());
  }
  all_.front() = std::as_bytes(std::span(begins_));
  for_me_.clear();
  for (const Bytes told : exchange(what, all_)) {
    std::uint64_t ends[2] = {};
    std::memcpy(ends, told.data() + sizeof(std::uint64_t) * static_cast<std::size_t>(rank()),
                sizeof ends);
    for_me_.push_back(told.subspan(ends[0], ends[1] - ends[0]));
  }
  return for_me_;
}

Started::Started(std::unique_ptr<Comm> comm) : comm_(std::move(comm)) { started = comm_.get(); }

Started::~Started() {
  if (comm_) started = nullptr;
}

Ending end_together(const Ending& mine) {
  Comm& all = comm();
  std::vector<std::byte> bytes(sizeof mine.status + mine.text.size());
  std::memcpy(bytes.data(), &mine.status, sizeof mine.status);
  std::memcpy(bytes.data() + sizeof mine.status, mine.text.data(), mine.text.size());
  Ending out = mine;
  bool same_as_root = false;
  try {
    const auto said = all.exchange(Exchange::kEnd, bytes);
    for (const auto one : said) {
      int status = 0;
      std::memcpy(&status, one.data(), sizeof status);
      out.status = std::max(out.status, status);
    }
    same_as_root = std::equal(bytes.begin(), bytes.end(), said[0].begin(), said[0].end());
  } catch (const RanksApart&) {
  }
  if (all.is_root() || mine.text.empty()) return out;
  out.text = same_as_root ? "" : all.name(all.rank()) + ": " + mine.text;
  return out;
}

}  // namespace bpo
