// Robot files that are wrong: each is refused with its place and what would work, and nothing is
// written.
#include "bpo/problems/mujoco/robot_file.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "tests/cli/process.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

const std::string kFolder = std::string(kSourcePath) + "/examples/robots/hopper/";

struct Fault {
  const char *from, *to;              // what is replaced in the good file
  std::vector<const char*> expected;  // words of the refusal
};

const std::vector<Fault> kFaults{
    // The whole.
    {"schema = 1", "schema = 2", {"r.toml:3:10", "schema = 1"}},
    {"schema = 1",
     "schema = 1\nlatents = 3",
     {"r.toml:4:1", "unknown key 'latents'", "did you mean 'latent'"}},
    {"schema = 1", "schema = 1\nkind = \"robt\"", {"r.toml:4:8", "no kind of problem file"}},
    {"schema = 1", "schema = ", {"r.toml:3:"}},
    {"[reward]", "[rewards]", {"unknown key 'rewards'"}},
    {"[robot]", "[robot", {"r.toml:5:"}},
    // [robot]
    {"mjcf = \"hopper.xml\"", "", {"mjcf is missing"}},
    {"mjcf = \"hopper.xml\"", "mjcf = 3", {"r.toml:6:8", "text in quotes"}},
    {"mjcf = \"hopper.xml\"", "mjcf = \"hoper.xml\"", {"r.toml:6:8", "hoper.xml"}},
    {"mjcf = \"hopper.xml\"", "mjcf = \"bad.xml\"", {"bad.xml:2", "unrecognized", "MuJoCo"}},
    {"mjcf = \"hopper.xml\"", "mjcf = \"passive.xml\"", {"no actuators"}},
    {"mjcf = \"hopper.xml\"", "mjcf = \"includes.xml\"", {"includes.xml:1", "absent.xml"}},
    {"mjcf = \"hopper.xml\"", "mjcf = \"meshes.xml\"", {"meshes.xml:2", "absent.stl"}},
    {"frame_skip = 4", "frame_skip = 0", {"r.toml:7:14", "whole number in [1, 1000]"}},
    {"frame_skip = 4", "frame_skip = 1.5", {"whole number"}},
    {"frame_skip = 4", "frame_skip = \"4\"", {"whole number"}},
    {"frame_skip = 4", "frameskip = 4", {"did you mean 'frame_skip'"}},
    {"horizon = 400", "horizon = nan", {"horizon must be a whole number"}},
    {"horizon = 400", "horizon = 99999999999", {"r.toml:8:11"}},
    {"reset = { qpos", "reset = { qpo", {"unknown key 'qpo_noise'"}},
    {"reset = { qpos_noise = 0.005",
     "reset = { qpos_noise = -1",
     {"qpos_noise must be a number in [0"}},
    {"reset = { qpos_noise = 0.005",
     "reset = { keyframe = \"home\", qpos_noise = 0.005",
     {"no keyframe", "'home'"}},
    // [observe]
    {"\"qpos[1:]\"", "\"qpos[1:9]\"", {"r.toml:12:10", "qpos has 6 numbers"}},
    {"\"qpos[1:]\"", "\"qpos[6]\"", {"qpos has 6 numbers"}},
    {"\"qpos[1:]\"", "\"qpo\"", {"'qpo' is no term", "sensor:NAME"}},
    {"\"qpos[1:]\"", "\"sensor:foot\"", {"no sensor", "'foot'"}},
    {"\"qpos[1:]\"", "\"joint:kne\"", {"did you mean 'knee'"}},
    {"\"qpos[1:]\"", "\"act\"", {"act has 0 numbers"}},
    {"\"qpos[1:]\"", "7", {"a term must be a text"}},
    {"terms = [\"qpos[1:]\", \"qvel\"]", "terms = []", {"terms must be a list"}},
    {"terms = [", "noise = { qpo = 1 }\nterms = [", {"unknown key 'qpo'", "qpos"}},
    {"terms = [", "noise = { qpos = inf }\nterms = [", {"qpos must be a number"}},
    // [reward] and [terminate]
    {"body = \"torso\", axis", "body = \"toros\", axis", {"r.toml:15:20", "did you mean 'torso'"}},
    {"axis = \"x\"", "axis = \"w\"", {"axis = \"w\"", "x, y, z"}},
    {"axis = \"x\", weight = 1.0", "axis = \"x\"", {"weight is missing"}},
    {"weight = 1.0", "weight = nan", {"weight must be a number"}},
    {"weight = 1.0", "weight = 1.0, clip = [1, 0]", {"clip must be [least, most]"}},
    {"weight = 1.0", "weight = 1.0, wieght = 1", {"unknown key 'wieght'", "did you mean 'weight'"}},
    {"control = { weight = -1e-3 }", "control = 3.0", {"control must be a table"}},
    {"control = { weight", "contrl = { weight", {"needs kind", "did you mean 'control'"}},
    {"alive = 1.0", "alive = \"yes\"", {"alive must be a table"}},
    {"min = 0.7", "min = 0.7, max = 0.5", {"min must be below max"}},
    {"height = { body = \"torso\", min = 0.7 }",
     "height = { body = \"torso\" }",
     {"needs min or max"}},
    {"joint = \"tilt\", min", "joint = \"titl\", min", {"did you mean 'tilt'"}},
    {"alive = 1.0", "pose = { weight = 1.0 }", {"r.toml:17:", "body is missing"}},
    {"alive = 1.0",
     "pose = { body = \"torso\", weight = 1.0 }",
     {"r.toml:17:8", "a pose is { body = NAME, quat = [w, x, y, z] }"}},
    {"alive = 1.0",
     "pose = { body = \"torso\", quat = [1, 0, 0], weight = 1.0 }",
     {"r.toml:17:", "list of 4 numbers"}},
    {"alive = 1.0",
     "pose = { body = \"torso\", quat = [0, 0, 0, 0], weight = 1.0 }",
     {"r.toml:17:", "quat must not be 0"}},
    {"alive = 1.0",
     "pose = { joints = [\"hip\", \"knee\"], to = [1], weight = 1.0 }",
     {"r.toml:17:", "list of 2 numbers"}},
    {"alive = 1.0",
     "pose = { joints = [\"hip\", \"kne\"], to = [1, 2], weight = 1.0 }",
     {"r.toml:17:", "did you mean 'knee'"}},
    {"alive = 1.0",
     "pose = { joints = \"hip\", to = [1], weight = 1.0 }",
     {"r.toml:17:", "joints must be a list"}},
    {"alive = 1.0",
     "pose = { joints = [\"hip\"], quat = [1, 0, 0, 0], weight = 1.0 }",
     {"r.toml:17:8", "a pose is"}},
    {"alive = 1.0",
     "control2 = { kind = \"control\", target = [1], weight = 1.0 }",
     {"r.toml:17:", "target must be a number"}},
    // [filter] and [train]
    {"kind = \"grid\"", "kind = \"gird\"", {"did you mean 'grid'"}},
    {"kind = \"grid\"",
     "kind = \"grid\"\nparticles = 100",
     {"r.toml:25:13", "a grid has no particles"}},
    {"kind = \"grid\"",
     "kind = \"particle\"\nparticles = 3",
     {"r.toml:25:13", "particles must be a whole number in [20, 5000]"}},
    {"kind = \"grid\"",
     "kind = \"grid\"\nparticle = 100",
     {"r.toml:25:1", "did you mean 'particles'"}},
    {"sees = \"state\"", "sees = \"stat\"", {"r.toml:25:8", "did you mean 'state'"}},
    {"sees = \"state\"", "sees = 1", {"r.toml:25:8", "sees"}},
    {"sees = \"state\"",
     "sees = \"state\"\nshows = \"moments\"",
     {"r.toml:26:9", "shows its cells", "latents that change"}},
    {"kind = \"grid\"",
     "kind = \"particle\"\nshows = \"cells\"",
     {"r.toml:25:9", "particles have no cells"}},
    {"every = 8", "every = 0", {"every must be a whole number in [1, 100]"}},
    {"sees = \"state\"",
     "sees = \"observation\"",
     {"r.toml:27:9", "looks at every step", "sees = \"state\""}},
    {"sigma = \"auto\"", "sigma = \"often\"", {"\"auto\" or a number"}},
    {"sigma = \"auto\"", "sigma = 0", {"sigma must be a number"}},
    {"iterations = 400", "iterations = 0.5", {"iterations must be a number in [1"}},
    {"iterations = 400", "whiten = 1", {"whiten must be true or false"}},
    {"iterations = 400", "iteration = 400", {"did you mean 'iterations'"}},
    // [[latent]]
    {"edit = \"payload\"", "edit = \"paylod\"", {"r.toml:31:8", "did you mean 'payload'"}},
    {"edit = \"payload\"", "", {"edit is missing"}},
    {"of = [\"torso\"]",
     "of = [\"trunk\"]",
     {"r.toml:32:6", "no body of the model is called 'trunk'", "torso, thigh, shin, foot"}},
    {"of = [\"torso\"]", "", {"payload needs of"}},
    {"of = [\"torso\"]", "of = [\"re:x.*\"]", {"no body of the model matches"}},
    {"of = [\"re:.*\"]", "of = [\"re:[\"]", {"regular expression"}},
    {"of = [\"torso\"]", "of = [\"torso\"]\nop = \"scale\"", {"op = \"scale\"", "add, set"}},
    {"at = [0.0, 0.0, 0.2]", "at = [0.0, 0.0]", {"list of 3 numbers"}},
    {"at = [0.0, 0.0, 0.2]", "axis = \"x\"", {"takes no axis"}},
    {"uniform = [0.0, 4.0]", "uniform = [4.0, 0.0]", {"uniform must be [low, high]"}},
    {"uniform = [0.0, 4.0]", "uniform = [0.0, inf]", {"uniform must be a number"}},
    {"uniform = [0.0, 4.0]", "unifrm = [0.0, 4.0]", {"did you mean 'uniform'"}},
    {"uniform = [0.0, 4.0]", "normal = [0.0, 4.0]", {"limits = [low, high]"}},
    {"uniform = [0.0, 4.0]", "choice = [2.0, 1.0]", {"must ascend"}},
    {"loguniform = [0.4, 2.0]", "loguniform = [0.0, 2.0]", {"positive"}},
    {"bins = 6", "bins = 500", {"500 x 3 x 7 = 10500 cells", "fewer bins"}},
    {"bins = 6", "bins = 6\nchanges = 0.1", {"r.toml:36:11", "changes must be a table"}},
    {"bins = 6", "bins = 6\nchanges = {}", {"r.toml:36:11", "rate is missing"}},
    {"bins = 6",
     "bins = 6\nchanges = { rat = 0.1 }",
     {"r.toml:36:13", "unknown key 'rat'", "did you mean 'rate'"}},
    {"bins = 6",
     "bins = 6\nchanges = { rate = 1.5 }",
     {"r.toml:36:20", "rate must be a number in [0, 1]"}},
    {"bins = 6", "bins = 6\nchanges = { rate = 0 }", {"r.toml:36:20", "leave changes out"}},
    {"bins = 6", "bins = 6\nchange = { rate = 0.1 }", {"did you mean 'changes'"}},
    {"bins = 6", "bins = 0", {"bins must be a whole number"}},
    {"name = \"load\"", "name = \"strength\"", {"two latents are called 'strength'"}},
    {"name = \"load\"", "name = \"a b\"", {"a name is letters"}},
    {"name = \"load\"", "name = \"horizon\"", {"option of every robot"}},
    {"uniform = [0.0, 4.0]",
     "uniform = [-40.0, 4.0]",
     {"r.toml:29:1", "load = -40", "payload of 'torso'"}},
    {"edit = \"friction\"", "edit = \"damping\"", {"no joint or tendon", "'foot'"}},
    {"edit = \"strength\"", "edit = \"kp\"", {"no position servo"}},
    {"edit = \"strength\"", "edit = \"force_limit\"", {"forcerange"}},
};

class RobotFiles : public cli::CliTest {
 protected:
  void SetUp() override {
    cli::CliTest::SetUp();
    cli::fs::copy_file(kFolder + "hopper.xml", path("hopper.xml"));
    cli::spill(path("bad.xml"), "<mujoco>\n<worldbody><body colour='red'/></worldbody></mujoco>");
    cli::spill(path("passive.xml"),
               "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>");
    cli::spill(path("includes.xml"), "<mujoco><include file='absent.xml'/></mujoco>");
    cli::spill(path("meshes.xml"),
               "<mujoco>\n<asset><mesh name='a' file='absent.stl'/></asset></mujoco>");
  }
  /// Everything below the test's folder that the test did not write by running programs.
  std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : cli::fs::recursive_directory_iterator(dir_)) {
      const std::string name = entry.path().lexically_relative(dir_).string();
      if (!name.starts_with('.')) out[name] = entry.is_directory() ? "" : cli::slurp(entry.path());
    }
    return out;
  }
};

TEST_F(RobotFiles, WhatIsWrongIsNamedWithItsPlaceAndNothingIsWritten) {
  const std::string good = cli::slurp(kFolder + "hopper.toml");
  EXPECT_GE(kFaults.size(), 95u);
  const std::regex place("(r\\.toml|bad\\.xml|includes\\.xml|meshes\\.xml):[0-9]+");
  for (const Fault& fault : kFaults) {
    std::string text = good;
    const std::size_t at = text.find(fault.from);
    ASSERT_NE(at, std::string::npos) << fault.from;
    text.replace(at, std::string(fault.from).size(), fault.to);
    cli::spill(path("r.toml"), text);
    const auto before = everything();
    const cli::Outcome found = run({"train", "r.toml", "--out", "run"});
    EXPECT_EQ(found.status, 2) << fault.to << ": " << found.err;
    EXPECT_TRUE(std::regex_search(found.err, place)) << "no place in: " << found.err;
    for (const char* word : fault.expected) {
      EXPECT_NE(found.err.find(word), std::string::npos) << word << " is not in: " << found.err;
    }
    EXPECT_EQ(everything(), before) << "something was written for " << fault.to;
  }
}

TEST(MjcfFiles, TagsAreFoundInAnyText) {
  const auto tags = xml_tags("<a x='1' y = \"2 3\"/>\n<!-- <b/> -->\n<c d='<>' e>text</c><f g='");
  ASSERT_EQ(tags.size(), 3u);
  EXPECT_EQ(tags[0]["y"], "2 3");
  EXPECT_EQ(tags[1].name, "c");
  EXPECT_EQ(tags[1].line, 3);
  EXPECT_EQ(tags[1]["d"], "<>");
  EXPECT_EQ(tags[2].name, "f");
}

TEST(MjcfFiles, TagsKnowWhatTheyAreInsideOf) {
  const auto tags = xml_tags("<a><b><c/></b><!-- </a> --><d x='/>'/><e></e></a><f/>");
  ASSERT_EQ(tags.size(), 6u);
  const std::vector<int> parents{-1, 0, 1, 0, 0, -1};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(tags[i].parent, parents[i]) << tags[i].name;
}

/// Since MuJoCo 3.
TEST_F(RobotFiles, AttachedModelsAndFlexibleBodiesBringTheirFiles) {
  cli::fs::create_directories(path("hand/meshes"));
  cli::fs::create_directories(path("parts"));
  cli::spill(path("m.xml"),
             "<mujoco><asset><model name='hand' file='hand/hand.xml'/></asset>"
             "<worldbody><flexcomp name='cloth' type='mesh' file='cloth.obj'/>"
             "<flexcomp name='grid' type='grid'/></worldbody><compiler meshdir='parts'/></mujoco>");
  cli::spill(path("hand/hand.xml"),
             "<mujoco><compiler meshdir='meshes'/><asset><mesh file='palm.obj'/></asset></mujoco>");
  cli::spill(path("hand/meshes/palm.obj"), "palm");
  cli::spill(path("parts/cloth.obj"), "cloth");
  std::map<std::string, std::string> found;
  for (const MjcfFile& file : gather_mjcf(path("m.xml"))) found[file.name] = file.bytes;
  EXPECT_EQ(found.size(), 4u);
  EXPECT_EQ(found["palm.obj"], "palm");
  EXPECT_EQ(found["cloth.obj"], "cloth");
  cli::fs::remove(path("hand/meshes/palm.obj"));
  try {
    gather_mjcf(path("m.xml"));
    ADD_FAILURE() << "a mesh is missing";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("hand.xml:1: "), std::string::npos) << error.what();
  }
}

TEST(MjcfFiles, BytesSurviveBase64) {
  for (std::size_t n = 0; n < 9; ++n) {
    std::string bytes;
    for (std::size_t i = 0; i < n; ++i) bytes += static_cast<char>(200 + 37 * i);
    const std::string toml = files_as_toml({{"x.stl", bytes}});
    const std::size_t at = toml.find("base64 = \"");
    if (n == 0) continue;  // plain text
    ASSERT_NE(at, std::string::npos) << toml;
    EXPECT_EQ(base64_decoded(toml.substr(at + 10, toml.find('"', at + 10) - at - 10)), bytes);
  }
  EXPECT_THROW(base64_decoded("a\n"), Error);
}

}  // namespace
}  // namespace bpo
