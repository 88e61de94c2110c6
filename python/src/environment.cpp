#include "python/src/environment.h"

#include "bpo/core/problem_file.h"
#include "bpo/runs/settings.h"

namespace bpo::python {

std::unique_ptr<AnyProblem> make_problem(const std::string& name,
                                         const std::vector<std::string>& sets) {
  Config config = config_of(sets, "problem.");
  const ProblemEntry& entry = problems().at(open_problem(name));
  const ResolvedProblem resolved = entry.resolve(config);
  config.finish();
  return resolved.build();
}

void bind_environments(py::module_& m) {
  py::enum_<Form>(m, "Form")
      .value("state", Form::kState)
      .value("dict", Form::kDict)
      .value("flat", Form::kFlat);
  py::class_<Environment>(m, "Environment")
      .def_property_readonly("name", [](const Environment& e) { return e.spec().name; })
      .def_property_readonly("horizon", [](const Environment& e) { return e.spec().horizon; })
      .def_property_readonly("discount", [](const Environment& e) { return e.spec().discount; })
      .def_property_readonly("actions",
                             [](const Environment& e) {
                               const ActionSpace& a = e.spec().actions;
                               return py::make_tuple(a.count, a.dim, a.low, a.high);
                             })
      .def_property_readonly("latent_dim", [](const Environment& e) { return e.spec().latent_dim; })
      .def_property_readonly("latents", [](const Environment& e) { return e.view().latents; })
      .def_property_readonly("state_dim", &Environment::state_dim)
      .def_property_readonly("belief_dim", &Environment::belief_dim)
      .def_property_readonly("on_grid", &Environment::on_grid);
  bind_scalar_environment(m);
  bind_vector_environment(m);
}

}  // namespace bpo::python
