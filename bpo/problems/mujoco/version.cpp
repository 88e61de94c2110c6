// Which MuJoCo is there, for `bpo doctor`.
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "bpo/core/machine.h"

namespace bpo {
namespace {

OptionalLibrary library() {
  const std::string found = mj_versionString();
  if (mj_version() == mjVERSION_HEADER) return {"MuJoCo", found};
  return {"MuJoCo", fmt::format("{}, but built for version {}", found, mjVERSION_HEADER), false};
}

const RegisterLibrary kMujoco{library()};

}  // namespace
}  // namespace bpo
