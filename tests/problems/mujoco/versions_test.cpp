// Models as others make them, and models that ask for another MuJoCo than this one.
#include "bpo/problems/mujoco/versions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "bpo/core/error.h"
#include "bpo/problems/mujoco/sim.h"
#include "tests/cli/process.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

/// A hand with a mesh, a coupled finger, a tendon, servos and a slow actuator, on a floating base.
constexpr const char* kHand = R"(<mujoco model='hand'>
<compiler angle='radian' meshdir='parts'/><option timestep='0.004'/><size nconmax='60' njmax='300'/>
<default><default class='finger'><joint axis='0 1 0' damping='.05' armature='.01'/>
<geom type='capsule' size='.01' density='800'/></default></default>
<asset><mesh name='palm' file='palm.obj' scale='.1 .1 .05'/></asset>
<worldbody><geom name='floor' type='plane' size='2 2 1'/>
<body name='palm' pos='0 0 .4'><freejoint name='root'/><geom name='palm' type='mesh' mesh='palm' density='300'/>
<body name='thumb' pos='.1 0 0'><joint class='finger' name='thumb'/><geom class='finger' name='thumb' fromto='0 0 0 .08 0 0'/>
<body name='tip' pos='.08 0 0'><joint class='finger' name='tip'/><geom class='finger' name='tip' fromto='0 0 0 .05 0 0'/><site name='touch' pos='.05 0 0'/></body></body>
<body name='index' pos='0 .1 0'><joint class='finger' name='index' axis='1 0 0'/><geom class='finger' name='index' fromto='0 0 0 0 .08 0'/></body>
</body></worldbody>
<tendon><fixed name='pull' stiffness='.2'><joint joint='thumb' coef='1'/><joint joint='tip' coef='-1'/></fixed></tendon>
<equality><joint joint1='index' joint2='thumb' polycoef='0 .5 0 0 0'/></equality>
<actuator><position name='thumb' joint='thumb' kp='2' ctrllimited='true' ctrlrange='-1 1'/>
<position name='pull' tendon='pull' kp='1' ctrllimited='true' ctrlrange='-1 1'/>
<general name='slow' joint='index' dyntype='filter' dynprm='.05' gainprm='.2' ctrllimited='true' ctrlrange='-1 1'/></actuator>
<sensor><touch name='touch' site='touch'/><tendonpos name='pull' tendon='pull'/></sensor>
<keyframe><key name='home' qpos='0 0 .3 1 0 0 0 .1 .1 .05'/></keyframe></mujoco>)";
constexpr const char* kObject = R"(v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
)";
constexpr const char* kRobot = R"(
[robot]
mjcf = "hand.xml"
horizon = 20
reset = { keyframe = "home", qpos_noise = 0.01 }
camera = "corner"
[observe]
terms = ["qpos", "qvel", "act", "sensor:touch", "sensor:pull"]
[reward]
reach = { kind = "position", site = "touch", to = [0.1, 0, 0.3], weight = -1.0 }
[filter]
sigma = 0.1
[[latent]]
name = "kp"
edit = "kp"
of = ["thumb"]
prior = { uniform = [0.5, 2.0] }
bins = 3
[[latent]]
name = "spring"
edit = "stiffness"
of = ["pull"]
prior = { uniform = [0.5, 2.0] }
bins = 2
[[latent]]
name = "tip"
edit = "mass"
of = ["tip"]
prior = { uniform = [0.5, 2.0] }
bins = 2
)";

class ModelsOfOthers : public cli::CliTest {
 protected:
  void SetUp() override {
    cli::CliTest::SetUp();
    cli::spill(path("hand.xml"), kHand);
    cli::fs::create_directory(path("parts"));
    cli::spill(path("parts/palm.obj"), kObject);
  }
};

TEST_F(ModelsOfOthers, LoadAreCheckedAndTrain) {
  cli::spill(path("hand.toml"), kRobot);
  const auto found = run_json({"check", "hand.toml"});
  EXPECT_TRUE(found["ok"].get<bool>()) << found.dump(1);
  for (const char* latent : {"kp", "spring", "tip"}) {
    EXPECT_LT(found["recompiled"][latent].value("difference", 1.0), 1e-9) << found.dump(1);
    EXPECT_GT(found["latents"][latent]["effect"].get<double>(), 1e-6) << latent;
  }
  const cli::Outcome trained = run(training("hand.toml", "run", 1));
  ASSERT_EQ(trained.status, 0) << trained.err;
  const auto result = nlohmann::json::parse(cli::slurp(path("run/result.json")));
  EXPECT_EQ(result["mujoco"], mj_versionString());
}

TEST_F(ModelsOfOthers, AreStartedFromCheckedAndTrain) {
  const cli::Outcome start = run({"init", "hand.xml"});
  ASSERT_EQ(start.status, 0) << start.err;
  EXPECT_NE(start.out.find("keyframe = \"home\""), std::string::npos);
  EXPECT_NE(start.out.find("\nforward = { body = \"palm\""), std::string::npos);
  cli::spill(path("hand.toml"), start.out);
  const auto found = run_json({"check", "hand.toml"});
  EXPECT_TRUE(found["ok"].get<bool>()) << found.dump(1);
  const cli::Outcome trained = run(training("hand.toml", "run", 2));
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(run({"report", "run", "-o", "page.html"}).status, 0);
}

/// Told only what the policy sees, and with particles.
TEST_F(ModelsOfOthers, TrainWithOtherFilters) {
  for (const std::string filter :
       {"sees = \"observation\"\n", "kind = \"particle\"\nparticles = 20\n"}) {
    std::string text = kRobot;
    text.replace(text.find("sigma"), 0, filter);
    cli::spill(path("hand.toml"), text);
    const cli::Outcome trained =
        run({"train", "hand.toml", "--out", "run" + filter.substr(0, 4), "--set",
             "algo.iterations=1", "--set", "optimizer.batch_steps=100", "--set",
             "problem.horizon=4", "--set", "algo.validate_episodes=4"});
    EXPECT_EQ(trained.status, 0) << trained.err;
  }
}

struct Newer {
  const char *model, *since;
  int version, line;  // as mj_version() had it
};
const Newer kNewer[] = {
    {"<mujoco>\n<option integrator='implicitfast'/></mujoco>",
     "'implicitfast' of <option> came with MuJoCo 2.3.3", 233, 2},
    {"<mujoco><worldbody>\n\n<body gravcomp='1'/></worldbody></mujoco>",
     "'gravcomp' of <body> came with MuJoCo 2.3", 230, 3},
    {"<mujoco><worldbody><frame pos='0 0 1'/></worldbody></mujoco>", "<frame> came with MuJoCo 3.1",
     310, 1},
    {"<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>\n"
     "<actuator><position joint='j' kv='1'/></actuator></mujoco>",
     "'kv' of <position> came with MuJoCo 3.1", 310, 2},
    {"<mujoco><worldbody><body><joint actuatorfrcrange='-1 1'/><geom "
     "size='1'/></body></worldbody></mujoco>",
     "'actuatorfrcrange' of <joint> came with MuJoCo 3.0", 300, 1},
    {"<mujoco><worldbody><geom name='a' size='1'/><body><geom name='b' size='1'/></body>"
     "</worldbody>\n<sensor><distance geom1='a' geom2='b'/></sensor></mujoco>",
     "<distance> came with MuJoCo 3.1.6", 316, 2},
    {"<mujoco><worldbody><site name='s'/><camera name='c' resolution='9 9'/></worldbody>\n"
     "<sensor><camprojection site='s' camera='c'/></sensor></mujoco>",
     "'resolution' of <camera> came with MuJoCo 3.0", 300, 1},
    {"<mujoco><worldbody><site name='s'/><camera name='c'/></worldbody>\n"
     "<sensor><camprojection site='s' camera='c'/></sensor></mujoco>",
     "<camprojection> came with MuJoCo 3.0", 300, 2},
    {"<mujoco><sensor>\n<contact num='1'/></sensor></mujoco>", "<contact> came with MuJoCo 3.3.5",
     335, 2},
    {"<mujoco><worldbody><site name='a'/><body><site name='b'/><geom size='1'/></body></worldbody>"
     "<equality>\n<weld site1='a' site2='b'/></equality></mujoco>",
     "of <weld> came with MuJoCo 3.2.3", 323, 2},
};

TEST(Versions, WhatCameLaterIsNamedWithItsVersionOrWorks) {
  for (const Newer& newer : kNewer) {
    try {
      const Sim sim("new.xml", std::string(newer.model));
      EXPECT_GE(mj_version(), newer.version) << newer.model;
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_LT(mj_version(), newer.version) << text;
      EXPECT_NE(text.find(newer.since), std::string::npos) << text;
      EXPECT_NE(text.find(fmt::format("new.xml:{}: ", newer.line)), std::string::npos) << text;
      EXPECT_NE(text.find("make build MUJOCO=3"), std::string::npos) << text;
    }
  }
  EXPECT_EQ(when_known("anything else"), "");
  EXPECT_NE(
      when_known("unrecognized attribute: 'colour'\nElement 'body', line 1").find("has MuJoCo"),
      std::string::npos);
}

/// Elements by their paths, each with "" and its attributes, as mj_printSchema writes them.
using Schema = std::set<std::pair<std::string, std::string>>;
Schema schema_of(const std::string& text) {
  static const std::regex kElement("( *)(\\S+) \\((.)\\) *(.*)");
  Schema out;
  std::vector<std::string> path;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::smatch found;
    if (std::regex_match(line, found, kElement)) {
      path.resize(static_cast<std::size_t>(found[1].length()) / 3);
      path.push_back(found[2]);
      out.emplace(fmt::format("{}", fmt::join(path, "/")), "");
      line = found[4].str();
    }
    std::istringstream attributes(line);
    for (std::string name; attributes >> name;) {
      out.emplace(fmt::format("{}", fmt::join(path, "/")), name);
    }
  }
  return out;
}

/// schema-2.2.2.txt is what that MuJoCo prints; where it says what it does not know, it is told.
TEST(Versions, EverythingThatCameSince222HasAVersion) {
  std::string text(1 << 18, '\0');
  mj_printSchema(nullptr, text.data(), static_cast<int>(text.size()), 0, 0);
  const Schema now = schema_of(text.c_str()),
               old = schema_of(cli::slurp(std::string(kSourcePath) +
                                          "/tests/problems/mujoco/schema-2.2.2.txt"));
  ASSERT_GT(old.size(), 1000u);
  EXPECT_EQ(now == old, mj_version() == 222);
  if (mj_version() < 330) return;  // what came and left again before has no row
  for (const auto& [path, what] : now) {
    const std::size_t slash = path.rfind('/');
    if (old.contains({path, what}) || slash == std::string::npos) continue;
    // MuJoCo names an element that it does not know, and nothing of what is in it.
    if (!old.contains({what.empty() ? path.substr(0, slash) : path, ""})) continue;
    std::string element = path.substr(slash + 1);
    if (element == "(world)body") element = "body";
    const std::string complaint =
        what.empty() ? "unrecognized element" : fmt::format("unrecognized attribute: '{}'", what);
    const std::string when =
        when_known(fmt::format("{}\nElement '{}', line 1", complaint, element), "2.2.2");
    EXPECT_NE(when.find("came with MuJoCo"), std::string::npos) << path << " " << what << when;
  }
}

TEST_F(ModelsOfOthers, AStateOfAnotherKindIsRefused) {
  if (mj_version() < 1'000'000) GTEST_SKIP() << "MuJoCo " << mj_versionString() << " has none";
  std::string model = kHand;
  model.replace(model.find("kp='2'"), 6, "kp='2' delay='.02' nsample='6'");
  cli::spill(path("hand.xml"), model);
  cli::spill(path("hand.toml"), kRobot);
  expect_refused({"check", "hand.toml"}, 2, {"hand.toml:3:", "delays of its own", "not supported"});
}

}  // namespace
}  // namespace bpo
