#include "bpo/problems/mujoco/versions.h"

#include <array>
#include <memory>
#include <mutex>

namespace bpo {
namespace {

/// A virtual file system of MuJoCo's: files that exist in memory only.
class VirtualFiles {
 public:
  explicit VirtualFiles(std::span<const MjcfFile> files) {
    mj_defaultVFS(vfs_.get());
    for (const MjcfFile& file : files) {
      const auto size = static_cast<int>(file.bytes.size());
#if mjVERSION_HEADER >= 300
      mj_addBufferVFS(vfs_.get(), file.name.c_str(), file.bytes.data(), size);
#else
      mj_makeEmptyFileVFS(vfs_.get(), file.name.c_str(), size);
      std::copy_n(file.bytes.data(), size, static_cast<char*>(vfs_->filedata[vfs_->nfile - 1]));
#endif
    }
  }
  ~VirtualFiles() { mj_deleteVFS(vfs_.get()); }
  VirtualFiles(const VirtualFiles&) = delete;
  VirtualFiles& operator=(const VirtualFiles&) = delete;

  const mjVFS* get() const { return vfs_.get(); }

 private:
  std::unique_ptr<mjVFS> vfs_ = std::make_unique<mjVFS>();  // megabytes: not for the stack
};

std::mutex parser;  // it keeps the last model it read in a global

#if mjVERSION_HEADER >= 320
template <class Body>
bool forbid_simple(Body* body) {
  if constexpr (requires { body->simple; }) {
    if (body != nullptr) body->simple = 0;
    return body != nullptr;
  }
  return false;
}
#endif

template <class Model>
std::string why_not(const Model& m) {
  if constexpr (requires { m.nhistory; }) {
    if (m.nhistory > 0) {
      return "has delays of its own (delay, nsample), which a state here does not hold; a latent "
             "with edit = \"delay\" does";
    }
  }
  if constexpr (requires { m.npluginstate; }) {
    if (m.npluginstate > 0) return "has a plugin with a state of its own";
  }
  if constexpr (requires { m.nplastic; }) {
    if (m.nplastic > 0) return "has parts that yield (springyield, yield)";
  }
  if constexpr (requires { m.nactuator; }) {
    if (m.nactuator != m.nu || m.nout != m.nu) {
      return "has an actuator with more or fewer than one control and one force";
    }
  }
#if mjVERSION_HEADER >= 340
  if ((m.opt.enableflags & mjENBL_SLEEP) != 0) return "lets bodies sleep (flag sleep)";
#endif
  return "";
}

}  // namespace

std::string unsupported(const mjModel& m) { return why_not(m); }

mjModel* compile_mjcf(std::span<const MjcfFile> files, std::string& complaint) {
  const std::lock_guard lock(parser);
  const VirtualFiles virtual_files(files);
  std::array<char, 1000> error{};
  mjModel* model =
      mj_loadXML(files[0].name.c_str(), virtual_files.get(), error.data(), error.size());
  complaint = error.data();
  return model;
}

mjModel* compile_general(std::span<const MjcfFile> files, std::span<const std::string> bodies) {
#if mjVERSION_HEADER >= 320
  const std::lock_guard lock(parser);
  const VirtualFiles virtual_files(files);
  std::array<char, 1000> error{};
  const std::unique_ptr<mjSpec, decltype(&mj_deleteSpec)> spec(
      mj_parseXML(files[0].name.c_str(), virtual_files.get(), error.data(), error.size()),
      mj_deleteSpec);
  if (spec == nullptr) return nullptr;
  bool told = true;
  for (const std::string& body : bodies) {
    told = forbid_simple(mjs_findBody(spec.get(), body.c_str())) && told;
  }
  return told ? mj_compile(spec.get(), virtual_files.get()) : nullptr;
#else
  static_cast<void>(files);
  static_cast<void>(bodies);
  return nullptr;
#endif
}

}  // namespace bpo
