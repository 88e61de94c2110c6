// What a file of a run carries besides its tensors: its format, the run it belongs to, a hash of
// that run's settings and a checksum of the tensors, so that a damaged or foreign file is refused
// rather than used.
#pragma once

#include <string>

#include "bpo/core/solver.h"
#include "bpo/nn/safetensors.h"

namespace bpo {

void seal(TensorFile& file, const std::string& format, const RunIdentity& run);
/// The sealed file with one more tensor of bytes, `last` by its name, that is never held as a
/// whole.
Pieces sealed_with(TensorFile file, const std::string& last, Pieces bytes,
                   const std::string& format, const RunIdentity& run);

/// The file, if it is sound and of this format. `remedy` says what to do with another format.
TensorFile load_sealed(const std::string& path, const std::string& format,
                       const std::string& remedy);
/// Throws bad_input where a sealed file belongs to another run, or to one with other settings.
void check_belongs(const TensorFile& file, const std::string& path, const RunIdentity& run);

}  // namespace bpo
