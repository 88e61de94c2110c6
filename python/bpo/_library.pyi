from . import _core

core = _core
robots_missing: str
