#include "bpo/core/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bpo/core/error.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

class Parallel : public testing::TestWithParam<int> {
 protected:
  ThreadPool pool_{GetParam()};
};

TEST_P(Parallel, RunsEveryChunkOnce) {
  for (int chunks : {0, 1, 2, 3, 7, 64, 1000}) {
    std::vector<std::atomic<int>> count(chunks);
    pool_.run(chunks, [&](int chunk, int thread) {
      ASSERT_GE(thread, 0);
      ASSERT_LT(thread, pool_.threads());
      ++count[chunk];
    });
    for (int c = 0; c < chunks; ++c) EXPECT_EQ(count[c], 1) << c << " of " << chunks;
  }
}

TEST_P(Parallel, ManyShortRuns) {
  std::vector<int> sum(4, 0);  // a chunk writes only what belongs to it
  constexpr int kRuns = 1000;
  for (int i = 0; i < kRuns; ++i) {
    pool_.run(4, [&](int chunk, int) { sum[chunk] += chunk + i % 3; });
  }
  for (int chunk = 0; chunk < 4; ++chunk) {
    int expected = 0;
    for (int i = 0; i < kRuns; ++i) expected += chunk + i % 3;
    EXPECT_EQ(sum[chunk], expected);
  }
}

TEST_P(Parallel, WakesUpAfterAPause) {
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int> done = 0;
    pool_.run(9, [&](int, int) { ++done; });
    EXPECT_EQ(done, 9);
  }
}

TEST_P(Parallel, ThrowsTheFirstFailureByIndexAndGoesOn) {
  for (int round = 0; round < 10; ++round) {
    try {
      pool_.run(32, [&](int chunk, int) {
        if (chunk % 10 != 3) return;
        // Later chunks fail sooner.
        std::this_thread::sleep_for(std::chrono::microseconds(200 - 5 * chunk));
        throw std::runtime_error(std::to_string(chunk));
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "3");
    }
    std::atomic<int> done = 0;
    pool_.run(32, [&](int, int) { ++done; });
    EXPECT_EQ(done, 32);
  }
}

TEST_P(Parallel, NoTaskRunsAfterRunHasReturned) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<bool> over = false;
    std::atomic<int> late = 0;
    {
      std::vector<int> buffer(16, 0);
      pool_.run(16, [&](int chunk, int) {
        late += over;
        buffer[chunk] = 1;
      });
      over = true;
      for (int x : buffer) ASSERT_EQ(x, 1);
    }
    EXPECT_EQ(late, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 3));

TEST(ParallelPool, AThreadAtLeast) {
  EXPECT_EQ(ThreadPool(0).threads(), 1);
  EXPECT_EQ(ThreadPool(-3).threads(), 1);
  EXPECT_EQ(ThreadPool(4).threads(), 4);
  EXPECT_GE(ThreadPool::available(), 1);
}

TEST(ParallelPool, AnInterruptedRunThrowsBeforeItsNextChunk) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::atomic<bool> stop = false;
    std::atomic<int> begun = 0;
    {
      const Interruptible interruptible(pool, stop);
      EXPECT_NO_THROW(pool.run(10, [&](int, int) { ++begun; }));
      EXPECT_EQ(begun, 10);
      EXPECT_THROW(pool.run(1000,
                            [&](int, int) {
                              ++begun;
                              stop = true;
                            }),
                   Interrupted);
      EXPECT_LE(begun, 10 + threads);
    }
    EXPECT_NO_THROW(pool.run(10, [](int, int) {})) << "only for the life of the object";
  }
}

TEST(ParallelPool, FewerThreadsWhereTheSystemRefusesThem) {
#ifdef BPO_SANITIZED
  GTEST_SKIP() << "a sanitizer needs more address space than this test leaves";
#endif
  if (*kEmulator != '\0') GTEST_SKIP() << "an emulator does not limit address space";
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{std::size_t{200} << 20, std::size_t{200} << 20};
    ::setrlimit(RLIMIT_AS, &limit);  // a thread's stack is eight megabytes of address space
    ThreadPool pool(1000);
    std::atomic<int> sum = 0;
    pool.run(100, [&](int chunk, int) { sum += chunk; });
    ::_exit(pool.threads() > 1 && pool.threads() < 1000 && sum == 4950 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(ParallelPool, TwoThreadsShareTheWork) {
  // Each chunk waits until both have begun: one thread alone would never finish.
  ThreadPool pool(2);
  std::atomic<int> begun = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  pool.run(2, [&](int, int) {
    ++begun;
    while (begun < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  EXPECT_LT(std::chrono::steady_clock::now(), deadline);
}

}  // namespace
}  // namespace bpo
