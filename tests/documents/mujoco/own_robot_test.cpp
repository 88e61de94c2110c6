// The robot file of docs/own-robot.md: its parts make a file that is read as the example's is, and
// what it shows of `bpo init` is what that prints.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "bpo/problems/mujoco/robot_file.h"
#include "tests/cli/process.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

/// The blocks of TOML, as they stand in the document.
std::vector<std::string> blocks() {
  std::istringstream in(cli::slurp(std::string(kSourcePath) + "/docs/own-robot.md"));
  std::vector<std::string> out;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```toml") {
      out.emplace_back();
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      out.back() += line + "\n";
    }
  }
  return out;
}

/// Its lines without comments, from that which begins the first to that which begins the last.
std::string bare(const std::string& text, const std::string& from, const std::string& to) {
  std::istringstream in(text);
  std::string out;
  bool between = false;
  for (std::string line; std::getline(in, line);) {
    line = std::regex_replace(line, std::regex("\\s*#.*$"), "");
    between = line != to && (between || line == from);
    if (between && !line.empty()) out += line + "\n";
  }
  return out;
}

class OwnRobotDocument : public cli::CliTest {};

TEST_F(OwnRobotDocument, ShowsWhatInitMakesOfTheCartPole) {
  const std::string model = std::string(kSourcePath) + "/examples/robots/cart-pole/cart-pole.xml";
  cli::fs::copy_file(model, path("cart-pole.xml"));
  const cli::Outcome made = run({"init", "cart-pole.xml"});
  ASSERT_EQ(made.status, 0) << made.err;
  ASSERT_EQ(blocks().size(), 5u);
  EXPECT_EQ(blocks()[0], bare(made.out, "[reward]", "[filter]"));
}

TEST_F(OwnRobotDocument, WalksThroughTheExample) {
  const std::string folder = std::string(kSourcePath) + "/examples/robots/cart-pole/";
  const auto parts = blocks();
  ASSERT_EQ(parts.size(), 5u);
  const std::string text = parts[1] + parts[2] + parts[3] + parts[4];
  const RobotFile shown = read_robot("cart-pole", text, folder + "shown.toml"),
                  there = read_robot("cart-pole", cli::slurp(folder + "cart-pole.toml"),
                                     folder + "cart-pole.toml");
  EXPECT_EQ(shown.frame_skip, there.frame_skip);
  EXPECT_EQ(shown.horizon, there.horizon);
  EXPECT_EQ(shown.qpos_noise, there.qpos_noise);
  EXPECT_EQ(shown.qvel_noise, there.qvel_noise);
  EXPECT_EQ(shown.camera, there.camera);
  EXPECT_EQ(shown.sees_state, there.sees_state);
  EXPECT_EQ(shown.shows_moments, there.shows_moments);
  EXPECT_EQ(shown.sigma, there.sigma);
  EXPECT_EQ(shown.rewards.size(), there.rewards.size());
  ASSERT_GE(shown.terminations.size(), 1u);
  EXPECT_LE(shown.terminations.size(), there.terminations.size());
  ASSERT_EQ(shown.seen.size(), there.seen.size());
  for (std::size_t i = 0; i < shown.seen.size(); ++i) {
    EXPECT_EQ(shown.seen[i].name, there.seen[i].name);
    EXPECT_EQ(shown.seen[i].noise, there.seen[i].noise);
  }
  ASSERT_EQ(shown.latents.size(), 1u);
  const RobotLatent &one = shown.latents[0], &same = there.latents[0];
  EXPECT_EQ(one.name, same.name);
  EXPECT_EQ(one.edit.kind, same.edit.kind);
  EXPECT_EQ(one.edit.targets[0].name, same.edit.targets[0].name);
  EXPECT_EQ(one.bins, same.bins);
  EXPECT_EQ(one.prior.quantile(0.1), same.prior.quantile(0.1));
  EXPECT_EQ(one.prior.quantile(0.9), same.prior.quantile(0.9));
}

/// What the document shows as a comment can be said, too.
TEST_F(OwnRobotDocument, TakesWhatItLeavesOut) {
  const std::string folder = std::string(kSourcePath) + "/examples/robots/cart-pole/";
  const auto parts = blocks();
  ASSERT_EQ(parts.size(), 5u);
  const auto with = [&](const std::string& rest) {
    return read_robot("cart-pole", parts[1] + parts[2] + parts[3] + rest, folder + "shown.toml");
  };
  const auto said = [&](std::string text, const std::string& what) {
    const std::size_t at = text.find("# " + what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? text : text.erase(at, 2);
  };
  std::string state = said(parts[4], "every = 8");
  state.replace(state.find("\"observation\""), 13, "\"state\"");
  state.replace(state.find("\"moments\""), 9, "\"cells\"");
  EXPECT_EQ(with(state).every, 8);
  EXPECT_EQ(with(said(parts[4], "changes = ")).latents[0].rate, 0.005);
}

}  // namespace
}  // namespace bpo
