// The parts of an exported policy that are the same for all: C99 that a generated header is put
// together from. They repeat bpo/core/simd.h, bpo/core/rng.h and bpo/filters operation by
// operation, so that the bits agree.
#pragma once

namespace bpo::c_text {

extern const char* const kNumbers;         // exp, tanh, products
extern const char* const kRandom;          // Philox, uniform and normal numbers
extern const char* const kGridFilter;      // filters/grid.h
extern const char* const kStateFilter;     // filters/discrete.h
extern const char* const kKalmanFilter;    // filters/ekf.h, isotropic
extern const char* const kMomentFilter;    // filters/moment.h
extern const char* const kUsage;           // the head comment of a header
extern const char* const kDeclarations;    // the functions
extern const char* const kSoftmax;         // the softmax of the outputs, in C
extern const char* const kDiscreteChoice;  // nn/heads.h
extern const char* const kGaussianChoice;
extern const char* const kInterface;  // reset, step and what was executed
extern const char* const kSetBelief;  // where the belief comes from outside
extern const char* const kSelfTest;   // the golden sequences, compared
extern const char* const kTestProgram;

}  // namespace bpo::c_text
