// Work that several processes, on one machine or on many with a common file system, divide among
// themselves. Who creates NAME.claim-1 has it: creation is atomic, over NFS as well. Its owner adds
// a beat to the file again and again. A claim that has not beaten for a stated time, by the clock
// of whoever looks, is given up for dead: who then creates NAME.claim-2 has the work. No file is
// removed, so there is nothing that two could do at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace bpo {

/// "node7, process 4711".
std::string this_process();

class Claims {
 public:
  /// `stale`: seconds without a beat after which a claim may be taken over.
  Claims(std::string directory, double stale);
  ~Claims();
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  /// Whether the work is this object's from now on. It is not while another's claim beats, nor
  /// until one has been looked at for the stated time without a beat.
  bool take(const std::string& name);
  /// Whether another has it whose claim has not beaten for the stated time.
  bool is_silent(const std::string& name);
  /// Gives the work up, so that anybody may take it at once.
  void release(const std::string& name);
  /// Says that the work is done: nobody beats for it any more.
  void drop(const std::string& name);

  struct Owner {
    std::string process;  // "node7, process 4711"
    double silent = 0.0;  // seconds since its last beat, by the times of files and this clock
  };
  /// Who has it, as the last claim says; nothing where nobody has.
  static std::optional<Owner> owner(const std::string& directory, const std::string& name);
  /// How often it was claimed.
  static int generations(const std::string& directory, const std::string& name);

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    std::string text;
    Clock::time_point looked;
    double silent = 0.0;  // seconds
  };
  enum class State { kFree, kBeats, kSilent };

  State look(const std::string& name, int generation);
  void loop();
  void beat();

  std::string directory_;
  double stale_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::map<std::string, std::string> held_;  // name, file
  std::map<std::string, Seen> seen_;         // claims of others, by file
  std::uint64_t beats_ = 0;
  std::thread thread_;
};

}  // namespace bpo
