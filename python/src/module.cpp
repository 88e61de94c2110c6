// The module `_core`. It is linked twice from the same objects, with robots and without, so that
// `import bpo` works where MuJoCo is not.
#include <pybind11/pybind11.h>

#include "bpo/core/machine.h"
#include "python/src/bindings.h"

namespace bpo::python {

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
      const py::object instance = type(error.what());
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
  m.attr("commit") = bpo::this_machine().commit;
  m.attr("version") = bpo::program_version();
}
