// Agents (bpo/agent/agent.h) as Python sees them: observations and actions are numbers, arrays, or
// the names of values where there are few.
#include "bpo/agent/agent.h"

#include <algorithm>

#include "bpo/agent/export/export.h"
#include "bpo/core/file.h"
#include "bpo/runs/loaded.h"
#include "python/src/bindings.h"

namespace bpo::python {
namespace {

/// The numbers of `told`, or the index of the value that it names.
std::vector<double> numbers(const char* what, const py::handle& told,
                            const std::vector<std::string>& values) {
  if (py::isinstance<py::str>(told)) {
    const auto name = told.cast<std::string>();
    const auto found = std::find(values.begin(), values.end(), name);
    if (found == values.end()) {
      throw bad_input(std::string(what) + " '" + name + "': no such value" +
                      did_you_mean(name, values));
    }
    return {static_cast<double>(found - values.begin())};
  }
  const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(told);
  if (!array) {
    PyErr_Clear();
    throw bad_input(std::string(what) + ": numbers or the name of a value are wanted");
  }
  return {array.data(), array.data() + array.size()};
}

py::object action_of(const Agent& agent, std::span<const double> action) {
  if (!agent.names().action_values.empty()) return py::int_(static_cast<int>(action[0]));
  return array_of(action);
}

Agent load(const std::string& path, bool greedy, const std::vector<std::string>& sets) {
  const py::gil_scoped_release release;
  if (is_run(path)) return Agent(load_run(path, sets, greedy));
  if (!sets.empty()) throw bad_input("load: options change the problem of a run, not of a file");
  if (!exists(path)) throw bad_input(path + ": there is no run and no policy file");
  return Agent::load(path, greedy);
}

std::string export_run(const std::string& directory, const std::string& out, const std::string& to,
                       const std::vector<std::string>& sets) {
  if (to != "c" && to != "onnx") {
    throw bad_input("export: to = '" + to + "': 'c' or 'onnx' is wanted");
  }
  const py::gil_scoped_release release;
  const LoadedPolicy loaded = load_run(directory, sets);
  return to == "c" ? export_c(loaded, out) : export_onnx(loaded, out);
}

}  // namespace

void bind_agent(py::module_& m) {
  py::class_<AgentNames>(m, "AgentNames", "What the numbers of an agent stand for, in order.")
      .def_readonly("problem", &AgentNames::problem)
      .def_readonly("observation", &AgentNames::observation)
      .def_readonly("observation_values", &AgentNames::observation_values)
      .def_readonly("action", &AgentNames::action)
      .def_readonly("action_values", &AgentNames::action_values)
      .def_readonly("latent", &AgentNames::latent)
      .def_readonly("belief", &AgentNames::belief)
      .def_readonly("estimate", &AgentNames::estimate);
  py::class_<Agent>(m, "Agent", R"(A policy and its filter without a world.

>>> agent = bpo.load("runs/t")
>>> agent.reset(seed=0)
>>> action = agent.act("nothing")            # or its index, or an array of numbers
>>> agent.observe(action, "heard left")
>>> agent.belief)")
      .def_property_readonly("names", &Agent::names, py::return_value_policy::reference_internal)
      .def_property_readonly("observation_size", &Agent::observation_size)
      .def_property_readonly("action_size", &Agent::action_size)
      .def_property_readonly("action_low", &Agent::action_low)
      .def_property_readonly("action_high", &Agent::action_high)
      .def("reset", &Agent::reset, py::arg("seed") = 0, py::arg("episode") = 0,
           "A new episode begins. Random choices are those of `bpo play --seed --episode`.")
      .def(
          "act",
          [](Agent& agent, const py::object& observation) {
            return action_of(agent, agent.act(numbers("observation", observation,
                                                      agent.names().observation_values)));
          },
          py::arg("observation"),
          "Chooses after this observation: the episode's first, or the one told last.")
      .def(
          "observe",
          [](Agent& agent, const py::object& executed, const py::object& next) {
            const AgentNames& names = agent.names();
            return agent.observe(numbers("action", executed, names.action_values),
                                 numbers("observation", next, names.observation_values));
          },
          py::arg("action"), py::arg("next_observation"),
          "Tells what was done and what was seen then. False if no model explains it; the\n"
          "belief has then fallen back to the prior.")
      .def_property_readonly(
          "belief", [](const Agent& agent) { return array_of<float>(agent.belief()); },
          "The belief as the policy sees it.")
      .def_property_readonly(
          "estimate", [](const Agent& agent) { return array_of<float>(agent.estimate()); },
          "The estimate of the latent.")
      .def_property_readonly("entropy", &Agent::entropy, "Of the belief, in nats.");
  m.def("load", &load);
  m.def("export_run", &export_run);
}

}  // namespace bpo::python
