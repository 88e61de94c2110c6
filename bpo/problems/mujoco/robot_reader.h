// Reads a robot file and checks it against the compiled model.
#pragma once

#include "bpo/problems/mujoco/measure_reader.h"
#include "bpo/problems/mujoco/robot_file.h"

namespace bpo {

class RobotReader : MeasureReader {
 public:
  RobotReader(const std::string& text, const std::string& file) : MeasureReader(text, file) {}

  RobotFile read(const std::string& problem);

 private:
  const mjModel& model() const { return out_.sim->model(); }
  std::vector<MjcfFile> model_files(const toml::node& mjcf) const;
  void read_robot_table();
  void read_filter(const toml::table& t);
  void read_calibrated(const toml::node& node);
  void read_training(const toml::table& t);

  // latent_reader.cpp
  Prior read_prior(const toml::node& node, int& bins) const;
  void read_latent(const toml::table& t);
  void add_latent(const toml::table& t, RobotLatent latent);
  void read_latents();
  void read_changes(const toml::node& node, RobotLatent& latent) const;
  void check_cells() const;
  void check_delays(const toml::node& latents);

  // observe_reader.cpp
  void read_observe();
  void read_term(const toml::node& node);
  void read_noise(const toml::node& node);
  bool state_is_seen() const;

  RobotFile out_;
};

}  // namespace bpo
