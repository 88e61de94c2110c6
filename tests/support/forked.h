// An executor that computes every chunk in a process of its own and brings back nothing but the
// bytes of its result: what a chunk writes anywhere else is lost. So a sum that depends on such a
// write comes out wrong.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bpo/core/parallel.h"

namespace bpo::test {

class Forked final : public Executor {
 public:
  int runs = 0;
  std::size_t bytes = 0;  // brought back so far

  /// The last chunk first, for no chunk may count on an earlier one.
  void run(Chunks& chunks, ThreadPool&) override {
    ++runs;
    std::vector<std::vector<std::byte>> results(chunks.size());
    for (int chunk = chunks.size() - 1; chunk >= 0; --chunk) {
      results[chunk] = computed(chunks, chunk);
    }
    for (int chunk = 0; chunk < chunks.size(); ++chunk) {
      const std::vector<std::byte>& result = results[chunk];
      if (result.empty()) throw std::runtime_error("chunk " + std::to_string(chunk) + " failed");
      bytes += result.size() - 1;
      Wire wire{std::span<const std::byte>(result).subspan(1)};
      chunks.carry(chunk, chunk + 1, wire);
    }
  }

 private:
  /// A byte and the result; nothing if the chunk failed.
  static std::vector<std::byte> computed(Chunks& chunks, int chunk) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
      ::close(ends[0]);
      ::_exit(send(chunks, chunk, ends[1]) ? 0 : 1);
    }
    ::close(ends[1]);
    std::vector<std::byte> out;
    std::array<std::byte, 65536> some;
    for (ssize_t n; (n = ::read(ends[0], some.data(), some.size())) > 0;) {
      out.insert(out.end(), some.begin(), some.begin() + n);
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? out : std::vector<std::byte>{};
  }

  static bool send(Chunks& chunks, int chunk, int to) {
    try {
      chunks.compute(chunk, 0);
      std::vector<std::byte> result(1);
      Wire wire(result);
      chunks.carry(chunk, chunk + 1, wire);
      for (std::size_t done = 0; done < result.size();) {
        const ssize_t n = ::write(to, result.data() + done, result.size() - done);
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
      }
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }
};

}  // namespace bpo::test
