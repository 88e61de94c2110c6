// What a bpo.Problem says, as the library takes it.
#include <tuple>

#include "python/src/own_problem.h"

namespace bpo::python {

void bind_own_problems(py::module_& m) {
  py::class_<RowNoise, std::shared_ptr<RowNoise>>(
      m, "RowNoise", "Random numbers, of which every row has a stream of its own.")
      .def(
          "normal",
          [](RowNoise& self, const py::args& shape) {
            return self.normal(shape.cast<std::vector<py::ssize_t>>());
          },
          "Standard normal numbers: rng.normal(2) is an array of shape (rows, 2).")
      .def(
          "uniform",
          [](RowNoise& self, const py::args& shape) {
            return self.uniform(shape.cast<std::vector<py::ssize_t>>());
          },
          "Numbers in (0, 1): rng.uniform() is an array of shape (rows,).");
  m.def("define_problem", [](const py::dict& said) {
    OwnDefinition d;
    d.name = said["name"].cast<std::string>();
    d.summary = said["summary"].cast<std::string>();
    for (const py::handle item : said["latents"]) {
      const auto [name, kind, low, high, mean, sd, values, cells] =
          item.cast<std::tuple<std::string, std::string, double, double, double, double,
                               std::vector<double>, int>>();
      const Prior::Kind of = kind == "uniform"       ? Prior::Kind::kUniform
                             : kind == "log-uniform" ? Prior::Kind::kLogUniform
                             : kind == "normal"      ? Prior::Kind::kNormal
                                                     : Prior::Kind::kChoice;
      d.latents.push_back({name, {of, low, high, mean, sd, values}, cells});
    }
    const auto [count, dim, low, high] =
        said["actions"].cast<std::tuple<int, int, double, double>>();
    d.actions = {count, dim, low, high};
    d.obs_dim = said["obs_dim"].cast<int>();
    d.state_dim = said["state_dim"].cast<int>();
    d.horizon = said["horizon"].cast<std::int64_t>();
    d.discount = said["discount"].cast<double>();
    d.observation_names = said["observation_names"].cast<std::vector<std::string>>();
    d.action_names = said["action_names"].cast<std::vector<std::string>>();
    d.functions = said["functions"].cast<std::string>();
    for (const auto& [name, to] : {std::pair{"reset", &d.reset},
                                   {"step", &d.step},
                                   {"observe", &d.observe},
                                   {"predict", &d.predict},
                                   {"release", &d.release}}) {
      *to = keep(said[name]);
    }
    define(std::move(d));
  });
  m.def("callback_time", [] {
    const CallbackTime& time = callback_time();
    return py::make_tuple(time.seconds, time.calls);
  });
}

}  // namespace bpo::python
