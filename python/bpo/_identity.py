"""A hash of what functions do, so that a run is not taken up by other functions of the same name.

It is of bytecode, constants, defaults and captured values, and of the functions, classes and values
of one's own that they use; comments and line numbers are not in it. Of what is installed, only the
name is.
"""

import dis
import functools
import hashlib
import inspect
import sysconfig
import types
from pathlib import Path

import numpy as np

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_LIBRARY = sysconfig.get_paths()["stdlib"]


def _is_own(thing) -> bool:
    """Whether it was written by the user: neither built in, nor installed, nor of this package."""
    module = inspect.getmodule(thing)
    if module is None or module.__name__ == "__main__":
        return True
    file = getattr(module, "__file__", None)
    return (file is not None and not file.startswith(_LIBRARY)
            and not {"site-packages", "dist-packages"} & set(Path(file).parts)
            and module.__name__.split(".")[0] != "bpo")


class _Reader:
    def __init__(self):
        self.seen = {}
        self.hash = hashlib.sha256()

    def say(self, *words) -> None:
        self.hash.update(("\0".join(map(str, words)) + "\1").encode())

    def read(self, thing) -> None:
        if isinstance(thing, _PLAIN):
            return self.say(type(thing).__name__, repr(thing))
        # Which of these are one object may differ between processes.
        if isinstance(thing, tuple):
            return self.items(thing)
        if isinstance(thing, frozenset):
            return self.items(sorted(thing, key=repr))
        if isinstance(thing, types.CodeType):
            return self.code(thing)
        if id(thing) in self.seen:
            return self.say("again", self.seen[id(thing)][0])
        self.seen[id(thing)] = (len(self.seen), thing)  # kept, so that no other has its id
        if isinstance(thing, list):
            self.items(thing)
        elif isinstance(thing, set):
            self.items(sorted(thing, key=repr))
        elif isinstance(thing, dict):
            self.named("dict", thing)
        elif isinstance(thing, (np.ndarray, np.generic)) and thing.dtype != object:
            self.say("array", thing.dtype.str, thing.shape)
            self.hash.update(np.ascontiguousarray(thing).tobytes())
        elif isinstance(thing, types.FunctionType):
            self.function(thing)
        elif isinstance(thing, types.MethodType):
            self.read((thing.__func__, thing.__self__))
        elif isinstance(thing, (staticmethod, classmethod)):
            self.read(thing.__func__)
        elif isinstance(thing, property):
            self.read((thing.fget, thing.fset))
        elif isinstance(thing, functools.partial):
            self.read((thing.func, thing.args, thing.keywords))
        elif isinstance(thing, type):
            self.say("class", thing.__qualname__)
            if _is_own(thing):
                self.named("members", {name: value for name, value in vars(thing).items()
                                       if not name.startswith("__") or callable(value)})
                self.read(thing.__bases__)
        else:
            self.say("instance", type(thing).__qualname__, getattr(thing, "__name__", ""))
            if _is_own(type(thing)):
                self.read(type(thing))
                self.named("attributes", getattr(thing, "__dict__", {}))

    def items(self, values) -> None:
        self.say("items", len(values))
        for value in values:
            self.read(value)

    def named(self, what, values) -> None:
        self.say(what, len(values))
        for name, value in sorted(values.items(), key=lambda item: repr(item[0])):
            self.say(name)
            self.read(value)

    def function(self, function) -> None:
        own = _is_own(function)
        self.say("function", "" if own else f"{function.__module__}.{function.__qualname__}")
        for cell in function.__closure__ or ():
            try:
                self.read(cell.cell_contents)
            except ValueError:  # it is filled later
                self.say("empty")
        self.read((function.__defaults__, function.__kwdefaults__))
        if not own:
            return
        self.read(function.__code__)
        codes = _nested(function.__code__)
        attributes = {name for code in codes for name in code.co_names}
        for name in sorted({name for code in codes for name in _globals(code)}):
            value = function.__globals__.get(name)
            self.say(name)
            self.read(value)
            if isinstance(value, types.ModuleType) and _is_own(value):
                self.named("module", {name: getattr(value, name) for name in attributes
                                      if hasattr(value, name)})

    def code(self, code) -> None:
        self.say("code", code.co_argcount, code.co_kwonlyargcount, code.co_flags)
        self.hash.update(code.co_code)
        self.read((code.co_names, code.co_varnames, code.co_freevars))
        for constant in code.co_consts:
            self.read(constant)


def _nested(code) -> list:
    """The code and that of the functions inside of it."""
    inner = [one for constant in code.co_consts if isinstance(constant, types.CodeType)
             for one in _nested(constant)]
    return [code] + inner


def _globals(code) -> set:
    return {step.argval for step in dis.get_instructions(code)
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}


def hash_of(*things) -> str:
    """Equal in every process of one Python version, where nothing that is read has changed."""
    reader = _Reader()
    reader.read(things)
    return reader.hash.hexdigest()[:16]
