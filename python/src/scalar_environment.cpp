// One episode at a time: what a scalar Gymnasium environment is made of.
#include <algorithm>

#include "bpo/core/numbers.h"
#include "python/src/environment.h"

namespace bpo::python {
namespace {

class ScalarEnvironment : public Environment {
 public:
  ScalarEnvironment(const std::string& name, const std::vector<std::string>& sets, Form form)
      : Environment(name, sets, form), world_(make_world()), actions_(spec().actions.dim) {
    world_->reset({0, 0, 1}, LatentSource::kPrior);
    begun_ = false;
  }

  py::tuple reset(std::uint64_t seed, std::uint64_t episode, const std::vector<double>& latent) {
    begun_ = false;
    world_->begin(0, {episode_seed(seed), episode, latent});
    begun_ = true;
    return py::make_tuple(observation(), info());
  }

  py::tuple step(const py::handle& action) {
    if (!begun_ || world_->done(0)) {
      throw bad_input(begun_ ? "step: the episode is over; call reset()"
                             : "step: call reset() first");
    }
    read(action);
    begun_ = false;  // a step that breaks off leaves half of it behind
    world_->step(actions_);
    begun_ = true;
    const bool terminated = world_->terminal(0);
    py::dict told = info();
    if (world_->fault(0)) told["fault"] = true;
    return py::make_tuple(observation(), world_->reward(0), terminated,
                          world_->done(0) && !terminated, told);
  }

  double entropy() const { return world_->belief_entropy(0); }

 private:
  void read(const py::handle& action) {
    const ActionSpace& space = spec().actions;
    if (space.discrete()) {
      const Py_ssize_t index = PyNumber_AsSsize_t(action.ptr(), PyExc_IndexError);
      if (index == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
      if (index < 0 || index >= space.count) {
        check_index("action", static_cast<double>(index), space.count);
      }
      actions_.index[0] = static_cast<int>(index);
      return;
    }
    const auto numbers = Array<float>::ensure(action);
    if (!numbers) throw py::error_already_set();
    check_count("action", static_cast<std::size_t>(numbers.size()), space.dim);
    for (int i = 0; i < space.dim; ++i) {
      if (!std::isfinite(numbers.data()[i])) {
        throw bad_input(fmt::format("action: number {} is not finite", i));
      }
      actions_.box[0][i] = numbers.data()[i];
    }
  }
  py::object observation() const {
    const auto state = world_->obs()[0], belief = world_->belief()[0];
    if (form_ == Form::kState) return array_of<float>(state);
    if (form_ == Form::kDict) {
      py::dict out;
      out[state_key_] = array_of<float>(state);
      out[belief_key_] = array_of<float>(belief);
      return out;
    }
    py::array_t<float> out(static_cast<py::ssize_t>(state.size() + belief.size()));
    std::copy(state.begin(), state.end(), out.mutable_data());
    std::copy(belief.begin(), belief.end(), out.mutable_data() + state.size());
    return out;
  }
  py::dict info() {
    py::dict out;
    out[latent_key_] = array_of<float>(world_->latent()[0]);
    if (world_->observation(0, numbers_)) {
      out[observation_key_] = array_of<double>(numbers_);
    }
    return out;
  }

  std::unique_ptr<World> world_;
  Actions actions_;
  bool begun_ = false;
  py::str state_key_{"state"}, belief_key_{"belief"}, latent_key_{"latent"},
      observation_key_{"observation"};
};

}  // namespace

void bind_scalar_environment(py::module_& m) {
  py::class_<ScalarEnvironment, Environment>(m, "ScalarEnvironment")
      .def(py::init<const std::string&, const std::vector<std::string>&, Form>())
      .def("reset", &ScalarEnvironment::reset)
      .def("step", &ScalarEnvironment::step)
      .def_property_readonly("entropy", &ScalarEnvironment::entropy);
}

}  // namespace bpo::python
