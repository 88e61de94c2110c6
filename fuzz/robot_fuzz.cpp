// Any bytes, as a robot file about a fixed model, are read or refused with a bpo::Error, and so are
// values of its latents; any bytes have XML tags or none, and are base 64 or not. The MJCF itself
// is MuJoCo's to read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bpo/core/error.h"
#include "bpo/problems/mujoco/mjcf_files.h"
#include "bpo/problems/mujoco/robot_file.h"

namespace {

const std::string kModel = R"(
[[file]]
name = 'm.xml'
text = '''
<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='a' pos='0 0 1'>
<joint name='x' type='slide' damping='1'/><geom name='g' size='.1'/><site name='s'/>
<body name='b'><joint name='y' type='hinge' stiffness='1'/><geom type='capsule' size='.1 .2'/></body>
</body></worldbody><sensor><touch name='t' site='s'/></sensor>
<actuator><motor name='u' joint='x'/><position name='v' joint='y' kp='2'/></actuator>
<keyframe><key name='k' qpos='0 0'/></keyframe></mujoco>'''
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  bpo::xml_tags(text);
  try {
    bpo::base64_decoded(text);
  } catch (const bpo::Error&) {
  }
  if (text.find("file") != std::string::npos) return 0;
  try {
    const bpo::RobotFile robot = bpo::read_robot("fuzzed", text + kModel, "fuzzed.toml");
    bpo::Sim sim = *robot.sim;
    std::vector<double> values;
    for (const bpo::RobotLatent& latent : robot.latents) values.push_back(latent.prior.high);
    robot.edits->patch(sim, values);
  } catch (const bpo::Error& error) {
    if (error.code() != bpo::ErrorCode::kBadInput) std::abort();
  }
  return 0;
}
