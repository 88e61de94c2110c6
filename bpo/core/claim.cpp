#include "bpo/core/claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bpo/comm/comm.h"
#include "bpo/core/parallel.h"
#include "bpo/core/posix.h"

namespace bpo {
namespace {

constexpr std::size_t kMostBytes = 4096;
constexpr std::string_view kReleased = "released\n";
constexpr double kSlowestBeat = 5.0;  // seconds

std::string file_of(const std::string& directory, const std::string& name, int generation) {
  return fmt::format("{}/{}.claim-{}", directory, name, generation);
}

void write_claim(const std::string& path, const FileHandle& file, std::string_view text) {
  if (::ftruncate(file.get(), 0) != 0) throw failed(path, "truncate", errno);
  write_all(file, path, text);
}

std::string claim_text(std::uint64_t beat) {
  return fmt::format("{}\nbeat {}\n", this_process(), beat);
}

}  // namespace

std::string this_process() { return fmt::format("{}, process {}", comm().host(0), ::getpid()); }

Claims::Claims(std::string directory, double stale)
    : directory_(std::move(directory)), stale_(stale), thread_(start_thread([this] { loop(); })) {
  if (!thread_.joinable()) throw io_error("no thread can be started to keep claims alive");
}

Claims::~Claims() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

/// Claims are numbered without gaps, and none is ever removed: by doubling, then by halving.
int Claims::generations(const std::string& directory, const std::string& name) {
  const auto there = [&](int n) { return link_status(file_of(directory, name, n)).has_value(); };
  int last = 0, free = 1;
  while (there(free)) {
    last = free;
    free *= 2;
  }
  while (free - last > 1) {
    const int middle = last + (free - last) / 2;
    (there(middle) ? last : free) = middle;
  }
  return last;
}

std::optional<Claims::Owner> Claims::owner(const std::string& directory, const std::string& name) {
  const int last = generations(directory, name);
  if (last == 0) return std::nullopt;
  const std::string path = file_of(directory, name, last);
  const std::string text = read_file(path, kMostBytes);
  if (text == kReleased) return std::nullopt;
  return Owner{text.substr(0, text.find('\n')), seconds_since_written(path)};
}

Claims::State Claims::look(const std::string& name, int generation) {
  if (generation == 0) return State::kFree;
  const std::string path = file_of(directory_, name, generation);
  const std::string text = read_file(path, kMostBytes);
  const std::lock_guard lock(mutex_);
  if (held_.contains(name)) return State::kBeats;
  if (text == kReleased) return State::kFree;
  const Clock::time_point now = Clock::now();
  Seen& seen = seen_.try_emplace(path, Seen{text, now}).first->second;
  if (seen.text != text) seen = {text, now};
  // Between two looks the clock may jump, or this machine sleep: that is no silence of the other.
  const std::chrono::duration<double> passed = now - seen.looked;
  seen.silent += std::min(passed.count(), stale_ / 4);
  seen.looked = now;
  return seen.silent < stale_ ? State::kBeats : State::kSilent;
}

bool Claims::is_silent(const std::string& name) {
  return look(name, generations(directory_, name)) == State::kSilent;
}

bool Claims::take(const std::string& name) {
  const int last = generations(directory_, name);
  if (look(name, last) == State::kBeats) return false;
  const std::string path = file_of(directory_, name, last + 1);
  make_directories(std::filesystem::path(path).parent_path().string());
  const FileHandle file = try_open(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.open()) {
    if (errno == EEXIST) return false;
    throw failed(path, "create", errno);
  }
  write_claim(path, file, claim_text(0));
  const std::lock_guard lock(mutex_);
  held_[name] = path;
  return true;
}

void Claims::release(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(name);
  if (held == held_.end()) return;
  write_claim(held->second, open_plain(held->second, O_WRONLY), kReleased);
  held_.erase(held);
}

void Claims::drop(const std::string& name) {
  const std::lock_guard lock(mutex_);
  held_.erase(name);
}

void Claims::beat() {
  ++beats_;
  for (const auto& [name, path] : held_) {
    try {
      write_claim(path, open_plain(path, O_WRONLY), claim_text(beats_));
    } catch (const Error&) {
      // A disk that is full or away for a while: whether the claim is lost, others decide.
    }
  }
}

void Claims::loop() {
  const std::chrono::duration<double> period(std::min(kSlowestBeat, stale_ / 4));
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, period, [&] { return stop_; })) beat();
}

}  // namespace bpo
