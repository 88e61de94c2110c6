// Sums over chunks: the same bits whoever computes a chunk, in whatever order, and wherever.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "bpo/core/parallel.h"
#include "tests/support/forked.h"

namespace bpo {
namespace {

constexpr int kChunks = 37;

/// Terms whose sum depends on the order in which they are added.
double term(int chunk) { return std::sin(chunk + 1.0) * std::pow(10.0, chunk % 9); }

double sum_of_terms(ThreadPool& pool) {
  std::vector<double> result(kChunks);
  double sum = 0.0;
  map_reduce(
      pool, kChunks, [&](int chunk) -> double& { return result[chunk]; },
      [&](int chunk, int) { result[chunk] = term(chunk); },
      [&](int chunk) { sum += result[chunk]; });
  return sum;
}

TEST(MapReduce, SameBitsForAnyNumberOfThreads) {
  double forward = 0.0, backward = 0.0;
  for (int chunk = 0; chunk < kChunks; ++chunk) forward += term(chunk);
  for (int chunk = kChunks - 1; chunk >= 0; --chunk) backward += term(chunk);
  ASSERT_NE(forward, backward) << "these terms would not show the order";
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 20; ++round) EXPECT_EQ(sum_of_terms(pool), forward) << threads;
  }
}

TEST(MapReduce, FoldsInIndexOrderWhenChunksFinishInReverse) {
  constexpr int kFew = 6;
  ThreadPool pool(kFew);
  std::atomic<int> finished = 0;
  std::vector<int> finish_order(kFew, -1), fold_order;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  map_reduce(
      pool, kFew, [&](int chunk) -> int& { return finish_order[chunk]; },
      [&](int chunk, int) {
        while (finished < kFew - 1 - chunk && std::chrono::steady_clock::now() < deadline) {
          std::this_thread::yield();
        }
        finish_order[chunk] = finished++;
      },
      [&](int chunk) {
        EXPECT_EQ(finished, kFew) << "folded before all had finished";
        fold_order.push_back(chunk);
      });
  EXPECT_EQ(finish_order, (std::vector<int>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(fold_order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST(MapReduce, ThrowsTheFirstFailureByIndexAndFoldsNothing) {
  for (int threads : {1, 3}) {
    ThreadPool pool(threads);
    int folded = 0, result = 0;
    try {
      map_reduce(
          pool, 32, [&](int) -> int& { return result; },
          [](int chunk, int) {
            if (chunk % 10 == 3) throw std::runtime_error(std::to_string(chunk));
          },
          [&](int) { ++folded; });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "3");
    }
    EXPECT_EQ(folded, 0);
    EXPECT_EQ(sum_of_terms(pool), [] {
      ThreadPool one(1);
      return sum_of_terms(one);
    }()) << "and it goes on";
  }
}

TEST(MapReduce, NoChunksFoldNothing) {
  ThreadPool pool(2);
  int calls = 0;
  map_reduce(
      pool, 0, [&](int) -> int& { return calls; }, [&](int, int) { ++calls; },
      [&](int) { ++calls; });
  EXPECT_EQ(calls, 0);
}

struct Mixed {
  int number = 0;
  std::vector<float> values;
  std::vector<std::vector<int>> lists;
  void visit(Wire& wire) {
    wire(number);
    wire(values);
    wire(lists);
  }
};

TEST(Wire, BringsBackWhatWasWritten) {
  Mixed out{7, {1.0f, -0.0f}, {{1}, {}, {2, 3}}}, in;
  std::array<double, 3> numbers{1.0, 2.0, 3.0}, copied{};
  std::tuple<std::span<double>, Mixed&> sent(numbers, out), received(copied, in);
  std::vector<std::byte> bytes;
  Wire writer(bytes);
  writer(sent);
  Wire reader{std::span<const std::byte>(bytes)};
  reader(received);
  EXPECT_EQ(copied, numbers);
  EXPECT_EQ(in.number, 7);
  EXPECT_EQ(in.values, out.values);
  EXPECT_TRUE(std::signbit(in.values[1]));
  EXPECT_EQ(in.lists, out.lists);
  Wire cut{std::span<const std::byte>(bytes).first(bytes.size() - 1)};
  EXPECT_THROW(cut(received), std::length_error);
}

TEST(MapReduce, ChunksMayBeComputedInOtherProcesses) {
  ThreadPool pool(1);
  const double here = sum_of_terms(pool);
  test::Forked forked;
  {
    const Elsewhere elsewhere(pool, forked);
    EXPECT_EQ(sum_of_terms(pool), here);
    EXPECT_EQ(forked.bytes, kChunks * sizeof(double));
    EXPECT_THROW(map_reduce(
                     pool, 2, [&](int) -> int& { return forked.runs; },
                     [](int, int) { throw std::runtime_error("no"); }),
                 std::runtime_error);
  }
  const int runs = forked.runs;
  EXPECT_EQ(sum_of_terms(pool), here);
  EXPECT_EQ(forked.runs, runs) << "only for the life of the object";
}

TEST(MapReduce, OtherProcessesShowAWriteOutsideTheResult) {
  const auto sloppy = [](ThreadPool& pool) {
    std::vector<double> result(kChunks), outside(kChunks);
    map_reduce(
        pool, kChunks, [&](int chunk) -> double& { return result[chunk]; },
        [&](int chunk, int) { outside[chunk] = term(chunk); });
    return std::accumulate(outside.begin(), outside.end(), 0.0);
  };
  ThreadPool pool(1);
  const double here = sloppy(pool);
  test::Forked forked;
  const Elsewhere elsewhere(pool, forked);
  EXPECT_NE(sloppy(pool), here);
}

}  // namespace
}  // namespace bpo
