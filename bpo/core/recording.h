// An episode that was recorded as a table, on a machine or in a simulation: a row per control step,
// with the time, the controls that were sent from then on, and what was read then. What of it is
// an observation, and how well models explain a step of it, a problem says by its format.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bpo {

struct Recording {
  std::vector<std::vector<double>> actions, observations;  // [row]; the last action is not used
  std::vector<std::string> unused;                         // columns
};

/// How far steps of a model are from a recording, in standard deviations of what its filter
/// expects.
struct Misses {
  double rms = 0.0;
  int broken = 0;  // steps in which the simulation broke down
};

struct RecordingFormat {
  /// Its numbers are in the actuator's own unit; an action in [-1, 1] spans [low, high].
  struct Control {
    std::string column;
    double low = -1.0, high = 1.0;
  };
  /// A number of an observation: a column, or a control that was sent some steps before, or the
  /// same as another number. One that nothing depends on may be missing.
  struct Number {
    std::string column;
    int control = -1, steps_before = 0;
    int same_as = -1;
    bool needed = true;
  };
  struct Latent {
    std::string name;
    std::function<double(double)> quantile;  // the prior's
    std::optional<double> nominal = {};      // what leaves the model as it was compiled
  };

  double seconds = 0.0;  // from row to row
  std::vector<Control> controls;
  std::vector<Number> observation;
  std::vector<Latent> latents;
  /// By how much the model with these latents (without any: the one that was compiled) misses each
  /// next row.
  std::function<Misses(std::span<const double> latents, const Recording& log)> misses;
};

/// The recording in CSV. A column that is missing, a row of another length, what is no finite
/// number, time that stands still or runs at another rate, and controls that the robot cannot be
/// sent are bad_input with file:line:column.
Recording read_recording(const std::string& text, const std::string& file,
                         const RecordingFormat& format);
std::string recording_text(const Recording& recording, const RecordingFormat& format);

}  // namespace bpo
