// A model's text with one edit written into it, by another way than the compiled model is edited:
// attributes of the named elements, and <inertial> in bodies.
#pragma once

#include "bpo/problems/mujoco/edits.h"
#include "bpo/problems/mujoco/mjcf_text.h"

namespace bpo {

/// Thrown inside: this cannot be written into the text.
struct NotWritten {
  std::string why;
};

class RecompileWriter {
 public:
  RecompileWriter(const mjModel& model, const std::vector<MjcfFile>& files, const Edit& edit,
                  double value)
      : m_(model), edit_(edit), value_(value), text_(files) {}

  std::vector<MjcfFile> files();

 private:
  double to(const EditTarget& t) const {
    return changed(edit_.op, nominal_value(m_, edit_, t), value_);
  }
  void target(const EditTarget& t);
  /// The element itself, by its name or, of a shape without one, by its place in its body.
  MjcfText::Which element(const EditTarget& t) const;
  void rewrite(const EditTarget& t, const MjcfText::Change& change, const std::string& inside = "");
  double angle_unit(const EditTarget& t) const;
  void actuator(const EditTarget& t);
  void options();
  void pairs();

  // recompile_bodies.cpp
  void inertia(const EditTarget& t);
  void length(const EditTarget& t);
  void lengthen(XmlTag& tag, int geom, double density) const;
  void write_inertial(int body, double mass, const double* centre, const double* moments);
  MjcfText::Which inside(int body, const std::string& element) const;
  void refuse_compilers_choices() const;

  const mjModel& m_;
  const Edit& edit_;
  double value_;
  MjcfText text_;
};

}  // namespace bpo
