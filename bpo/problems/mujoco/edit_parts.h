// What the rows of the table of edits share, and those of actuators: kept out of it so that the
// table reads as one.
#pragma once

#include "bpo/problems/mujoco/edits.h"

namespace bpo::edit_parts {

/// The value, if it is above `least` (or it itself, if that is allowed); else bad_input.
double at_least(double least, bool itself, double value, const char* what, const EditTarget& t);
inline double positive(double v, const char* what, const EditTarget& t) {
  return at_least(0.0, false, v, what, t);
}
inline double no_less(double v, const char* what, const EditTarget& t) {
  return at_least(0.0, true, v, what, t);
}
/// Throws bad_input: an edit cannot be of this.
[[noreturn]] void unsuited(const char* what, const EditTarget& t, const char* why);

double get_strength(const mjModel& m, const EditTarget& t, const Edit&);
void set_strength(mjModel& m, const EditTarget& t, const Edit&, double f);
double get_kp(const mjModel& m, const EditTarget& t, const Edit&);
void set_kp(mjModel& m, const EditTarget& t, const Edit&, double kp);
double get_kd(const mjModel& m, const EditTarget& t, const Edit&);
void set_kd(mjModel& m, const EditTarget& t, const Edit&, double kd);
double get_limit(const mjModel& m, const EditTarget& t, const Edit&);
void set_limit(mjModel& m, const EditTarget& t, const Edit&, double high);

}  // namespace bpo::edit_parts
