// The module `_core`. It is linked twice from the same objects, with robots and without, so that
// `import bpo` works where MuJoCo is not.
#include <pybind11/pybind11.h>

#include <string>

#include "bpo/core/machine.h"
#include "python/src/bindings.h"

namespace bpo::python {
namespace {

/// Why there are no robots; empty where they are, or where nobody has said so.
std::string& missing_robots() {
  static std::string why;
  return why;
}

/// What the library said, and why where a problem that it does not know may be a robot.
std::string text_of(const Error& error) {
  const std::string said = error.what();
  const auto says = [&](const char* part) { return said.find(part) != std::string::npos; };
  const bool unknown = says("unknown problem") || says("a problem in TOML says what it is") ||
                       says("is no kind of problem file") || says("is not in this program") ||
                       (says("run.problem = ") && says("must be one of"));
  if (missing_robots().empty() || !unknown) return said;
  return said + "; robots need MuJoCo, which cannot be loaded: " + missing_robots();
}

}  // namespace

std::shared_ptr<py::object> keep(py::object object) {
  return {new py::object(std::move(object)), [](py::object* kept) {
            if (Py_IsInitialized() == 0) {
              kept->release();
              delete kept;
              return;
            }
            const py::gil_scoped_acquire gil;
            delete kept;
          }};
}

void bind_errors(py::module_& m) {
  static PyObject* kError = PyErr_NewExceptionWithDoc(
      "bpo.Error",
      "What the library refuses or cannot do. The text is the one of the command line, and\n"
      "`exit_code` its exit status: 2 bad input, 3 the run is in use, 4 diverged, 5 input or\n"
      "output failed.",
      PyExc_RuntimeError, nullptr);
  m.attr("Error") = py::reinterpret_borrow<py::object>(kError);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      const auto* callback = dynamic_cast<const CallbackError*>(&error);
      const py::object cause = callback != nullptr && callback->cause() != nullptr
                                   ? *callback->cause()
                                   : py::object(py::none());
      if (!cause.is_none() && !py::isinstance(cause, PyExc_Exception)) {
        PyErr_SetObject(py::type::handle_of(cause).ptr(), cause.ptr());  // Ctrl-C, or exit()
        return;
      }
      const auto type = py::reinterpret_borrow<py::object>(kError);
      const py::object instance = type(callback != nullptr ? error.what() : text_of(error));
      instance.attr("exit_code") = static_cast<int>(error.code());
      if (!cause.is_none()) instance.attr("__cause__") = cause;
      PyErr_SetObject(kError, instance.ptr());
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace bpo::python

PYBIND11_MODULE(_core, m) {
  namespace python = bpo::python;
  m.doc() = "The library of bpo.";
  python::bind_errors(m);
  python::bind_runs(m);
  python::bind_reports(m);
  python::bind_agent(m);
  python::bind_environments(m);
  python::bind_own_problems(m);
  m.def("set_robots_missing", [](const std::string& why) { python::missing_robots() = why; });
  m.attr("commit") = bpo::this_machine().commit;
  m.attr("version") = bpo::program_version();
}
