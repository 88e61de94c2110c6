#include "bpo/filters/gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace bpo {
namespace {

template <int N>
Gaussian<N> any_gaussian() {
  const auto number = [] { return *rc::gen::inRange(-1000000, 1000001) / 1024.0; };
  Gaussian<N> g;
  for (int i = 0; i < N; ++i) {
    g.mean[i] = number();
    for (int j = i; j < N; ++j) g.covariance(i, j) = g.covariance(j, i) = number();
  }
  return g;
}

/// Every number survives: as a double to the bit, as a float to a float's precision.
template <int N>
void expect_round_trip() {
  using Full = GaussianSummary<N, false>;
  using Isotropic = GaussianSummary<N, true>;
  const Gaussian<N> g = any_gaussian<N>();
  std::vector<double> full(Full::kSize, -7.0), one(Isotropic::kSize, -7.0);
  Full::write(g, std::span<double>(full));
  const Gaussian<N> back = Full::read(std::span<const double>(full));
  RC_ASSERT(back.mean == g.mean);
  RC_ASSERT(back.covariance == g.covariance);

  std::vector<float> rounded(Full::kSize);
  Full::write(g, std::span<float>(rounded));
  const Gaussian<N> near = Full::read(std::span<const float>(rounded));
  RC_ASSERT((near.mean - g.mean).cwiseAbs().maxCoeff() <= 6e-8 * g.mean.cwiseAbs().maxCoeff());
  RC_ASSERT((near.covariance - g.covariance).cwiseAbs().maxCoeff() <=
            6e-8 * g.covariance.cwiseAbs().maxCoeff());

  Gaussian<N> round = g;
  round.covariance = Matrix<N>::Identity() * g.covariance(0, 0);
  Isotropic::write(round, std::span<double>(one));
  const Gaussian<N> same = Isotropic::read(std::span<const double>(one));
  RC_ASSERT(same.mean == g.mean);
  RC_ASSERT((same.covariance - round.covariance).cwiseAbs().maxCoeff() <=
            1e-15 * std::abs(g.covariance(0, 0)));
}

RC_GTEST_PROP(GaussianSummary, RoundTripInOneDimension, ()) { expect_round_trip<1>(); }
RC_GTEST_PROP(GaussianSummary, RoundTripInTwoDimensions, ()) { expect_round_trip<2>(); }
RC_GTEST_PROP(GaussianSummary, RoundTripInFiveDimensions, ()) { expect_round_trip<5>(); }

TEST(GaussianSummary, IsTheMeanAndTheUpperTriangle) {
  Gaussian<2> g{Vector<2>(1.0, 2.0), Matrix<2>{{3.0, 4.0}, {4.0, 5.0}}};
  std::vector<float> out(5);
  GaussianSummary<2, false>::write(g, std::span<float>(out));
  EXPECT_EQ(out, (std::vector<float>{1.0f, 2.0f, 3.0f, 4.0f, 5.0f}));
  out.resize(3);
  GaussianSummary<2, true>::write(g, std::span<float>(out));
  EXPECT_EQ(out, (std::vector<float>{1.0f, 2.0f, 4.0f})) << "the mean variance";
}

TEST(GaussianEntropy, OfIndependentNormalsIsTheSum) {
  const Gaussian<2> g{Vector<2>(7.0, 8.0), Vector<2>(0.25, 4.0).asDiagonal()};
  EXPECT_NEAR(gaussian_entropy(g), 2.0 * 1.4189385332046727 + std::log(0.5) + std::log(2.0), 1e-12);
  const double c = std::sqrt(0.5);
  const Matrix<2> turn{{c, -c}, {c, c}};
  EXPECT_NEAR(gaussian_entropy(Gaussian<2>{g.mean, turn * g.covariance * turn.transpose()}),
              gaussian_entropy(g), 1e-12);
}

}  // namespace
}  // namespace bpo
