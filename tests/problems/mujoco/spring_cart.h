// A cart on a spring, as a robot from a file: linear, so that a Kalman filter is exact.
#pragma once

#include <memory>
#include <string>

#include "bpo/problems/mujoco/own_robot.h"
#include "bpo/problems/mujoco/robot_file.h"
#include "tests/problems/mujoco/small_models.h"

namespace bpo::test {

inline const std::string kSpringModel =
    "\n[[file]]\nname = 'm.xml'\ntext = \"\"\"" +
    Cart{.step = ".02",
         .rail = "stiffness='2'",
         .body = "<site name='s'/>",
         .motor = "ctrlrange='-1 1' gear='3'",
         .rest = "<sensor><accelerometer name='felt' site='s'/></sensor>"}
        .mjcf() +
    "\"\"\"\n";
inline constexpr const char* kSpringRobot = R"(
[robot]
mjcf = "m.xml"
frame_skip = 2
horizon = 60
reset = { qpos_noise = 0.2, qvel_noise = 0.1 }
[reward]
alive = 1.0
)";
/// The robot with `rest` added to its file.
inline OwnRobotOptions spring_cart(const std::string& rest) {
  return OwnRobotOptions(std::make_shared<const RobotFile>(
      read_robot("m", kSpringRobot + rest + kSpringModel, "m.toml")));
}

}  // namespace bpo::test
