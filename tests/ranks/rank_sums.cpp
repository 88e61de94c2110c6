// Sums on ranks without a training around them: rank_sums NUMBERS adds up slices with that many
// numbers, compares with the sum that one process takes, and says how many exchanges that took;
// rank_sums NUMBERS RANK lets a rank end with status 7 instead.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "bpo/comm/comm.h"
#include "bpo/core/rank_sum.h"

namespace bpo {
namespace {

constexpr int kEnded = 7;

std::vector<float> random_slice(std::size_t numbers, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> out(numbers);
  for (float& x : out) x = static_cast<float>(random()) / 3e5f - 7e3f;
  return out;
}

/// Slices by rank, ascending, as a network's pass divides them. Some ranks may have none.
std::vector<int> divided(int slices) {
  std::vector<int> out;
  for (int slice = 0; slice < slices; ++slice) {
    out.push_back(((slice + 1) * comm().size() - 1) / slices);
  }
  return out;
}

struct Problem {
  std::vector<SlicePiece> pieces;
  std::vector<SliceRun> runs;
  std::vector<std::vector<float>> all, own;
  std::vector<double> sum, expected;
};

/// Pieces of many slices, of one, of none and of seven, in runs with gaps between them.
Problem make_problem(std::size_t numbers) {
  Problem p;
  const std::size_t a = numbers / 3 + 1, b = a + numbers / 5, c = b + 40;
  p.pieces = {{0, a, divided(16)}, {a, b, divided(1)}, {b, c, {}}, {c, numbers, divided(7)}};
  std::size_t total = 0;
  for (const SlicePiece& piece : p.pieces) {
    std::size_t width = 1;
    for (std::size_t at = piece.begin; at < piece.end; at += width + 3, width = width * 7 % 701) {
      width = std::min(width, piece.end - at);
      p.runs.push_back({at, total, static_cast<int>(width)});
      total += width;
    }
  }
  // The sum has its runs the other way round.
  for (SliceRun& run : p.runs) run.sum = total - run.sum - static_cast<std::size_t>(run.count);
  for (unsigned slice = 0; slice < 16; ++slice) {
    p.all.push_back(random_slice(numbers, slice));
    p.own.push_back(p.all.back());
  }
  for (const SlicePiece& piece : p.pieces) {
    for (std::size_t slice = 0; slice < piece.rank_of.size(); ++slice) {
      if (piece.rank_of[slice] == comm().rank()) continue;
      std::fill(&p.own[slice][piece.begin], &p.own[slice][piece.begin] + (piece.end - piece.begin),
                1e30f);
    }
  }
  for (const float x : random_slice(total, 99)) p.sum.push_back(0.1 * x);
  p.expected = p.sum;
  for (const SliceRun& run : p.runs) {
    const auto in = [&](const SlicePiece& piece) { return run.slice < piece.end; };
    const auto piece = std::find_if(p.pieces.begin(), p.pieces.end(), in);
    for (int i = 0; i < run.count; ++i) {
      for (std::size_t slice = 0; slice < piece->rank_of.size(); ++slice) {
        p.expected[run.sum + i] += p.all[slice][run.slice + i];
      }
    }
  }
  return p;
}

int run(int argc, char** argv) {
  Problem problem = make_problem(std::strtoul(argv[1], nullptr, 10));
  if (argc > 2) {
    if (comm().rank() == std::atoi(argv[2])) return end_together({kEnded, ""}).status;
    try {
      rank_sum(problem.pieces, problem.runs, problem.own, problem.sum);
    } catch (const RanksApart& apart) {
      return apart.status();
    }
    return 1;
  }
  for (int time = 0; time < 5; ++time) {
    std::vector<double> sum = problem.sum;
    const std::uint64_t before = comm().traffic.exchanges;
    rank_sum(problem.pieces, problem.runs, problem.own, sum);
    if (std::memcmp(sum.data(), problem.expected.data(), sum.size() * sizeof(double)) != 0) {
      std::printf("rank %d has another sum\n", comm().rank());
      return 1;
    }
    if (!comm().is_root()) continue;
    std::printf("%d\n", static_cast<int>(comm().traffic.exchanges - before));
  }
  return 0;
}

}  // namespace
}  // namespace bpo

int main(int argc, char** argv) {
  const bpo::Started started = bpo::start_comm();
  return argc < 2 ? 2 : bpo::run(argc, argv);
}
