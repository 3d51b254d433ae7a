"""The tests that JAX ships as data: calls of its primitives in harnesses, with sample arguments.

A harness is a function with descriptions of its arguments. It calls public functions, or binds a
primitive, whose public function has the same name. To find these calls, the function is executed
with recorders instead of JAX's modules and functions.
"""

from __future__ import annotations

import collections
import functools
import importlib
import importlib.util
import inspect
import math
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax.extend.core
import jax.numpy as jnp
import numpy as np

from pmdriver.census import examples, express, inputs

#: How many calls of one function are recorded, and how many harnesses are executed for it.
MOST_SAMPLES, MOST_HARNESSES = 8, 24

_HARNESSES = "jax._src.internal_test_util.test_harnesses"
_DTYPES = ("float32", "int32", "bool", "complex64")
_Primitive = jax.extend.core.Primitive


def absence() -> str:
    """Say why the harnesses cannot be read; empty if they can."""
    if importlib.util.find_spec("absl") is None:
        return "the tests of JAX need the package absl-py, which the environment lacks"
    try:
        found = importlib.util.find_spec(_HARNESSES)
    except ModuleNotFoundError:
        found = None
    return "" if found else "this version of JAX ships no test harnesses"


def makers(wanted: set[str]) -> dict[str, list[Any]]:
    """Return, by name, functions that make calls from harnesses; each takes the kit and the item.

    The harnesses start JAX's back end when they are imported, which only a child may do. Here,
    their text is read: it contains the names of all functions and primitives that they call.

    Parameters
    ----------
    wanted
        The names for which cases are made.
    """
    spec = importlib.util.find_spec(_HARNESSES)
    words = set(re.findall(r"\w+", Path(str(spec and spec.origin)).read_text("utf-8")))
    known = words | {each.removesuffix("_p") for each in words}
    return {name: [_calls] for name in wanted if name.rpartition(".")[2] in known}


def _calls(kit: Any, item: Any) -> Iterator[express.Call]:
    if item.kind != "function":
        return
    harnesses = _harnesses()
    bare = item.name.rpartition(".")[2]
    found = [*harnesses.by_primitive.get(bare, []), *harnesses.by_function.get(id(item.value), [])]
    count = 0
    for harness in sorted(found, key=_rank)[:MOST_HARNESSES]:
        recorder = _Recorder(kit, item)
        try:
            given = harness.args_maker(np.random.RandomState(0))
            with _Binding(recorder) as names:
                recorder.call(_recorded(harness.fun, recorder, names), *map(_on_device, given))
        except Exception:
            pass  # a harness may be for other devices, and what it called before is recorded
        yield from recorder.calls
        count += len(recorder.calls)
        if count >= MOST_SAMPLES:
            return


def _rank(harness: Any) -> tuple[int, bool, bool]:
    """Order by dtype; first those with an array of two axes, and those that can be described."""
    name = np.dtype(harness.dtype).name
    shapes = [each.shape for each in harness.arg_descriptors if hasattr(each, "shape")]
    return (
        _DTYPES.index(name) if name in _DTYPES else len(_DTYPES),
        not any(sum(size > 1 for size in shape) > 1 for shape in shapes),
        any(math.prod(shape) > inputs.MOST_ELEMENTS for shape in shapes),
    )


def _on_device(value: Any) -> Any:
    return jnp.asarray(value) if isinstance(value, np.ndarray) else value


# ------------------------------------------------------------------------ what a harness calls


class _Harnesses(NamedTuple):
    """All harnesses, by the `id` of each function and by the name of each primitive they call."""

    module: Any
    by_function: dict[int, list[Any]]
    by_primitive: dict[str, list[Any]]


@functools.cache
def _harnesses() -> _Harnesses:
    from jax._src import config

    config.parse_flags_with_absl = lambda: None  # the options are set already
    module = importlib.import_module(_HARNESSES)
    found = _Harnesses(module, collections.defaultdict(list), collections.defaultdict(list))
    for harness in module.all_harnesses:
        for called in {id(each): each for each in _called(module, harness.fun)}.values():
            if isinstance(called, _Primitive):
                found.by_primitive[called.name.replace("-", "_")].append(harness)
            else:
                found.by_function[id(called)].append(harness)
    return found


def _called(module: Any, function: Any) -> Iterator[Any]:
    """Yield the functions and primitives that a function of a harness may call."""
    if isinstance(function, functools.partial):
        yield from _called(module, function.func)
        return
    function = _uncompiled(module, function)
    yield getattr(function, "__self__", function)
    if not _is_own(module, function):
        return
    for cell in function.__closure__ or ():
        if callable(cell.cell_contents) or isinstance(cell.cell_contents, _Primitive):
            yield from _called(module, cell.cell_contents)
    names = list(_names(function.__code__))
    for name in names:
        value = getattr(module, name, None)
        if isinstance(value, types.ModuleType):
            yield from (getattr(value, each) for each in names if hasattr(value, each))
        elif _is_own(module, value) and value is not function:
            yield from _called(module, value)


def _is_own(module: Any, value: Any) -> bool:
    return isinstance(value, types.FunctionType) and value.__globals__ is vars(module)


def _uncompiled(module: Any, function: Any) -> Any:
    """Return the function of the harnesses that a compiled one executes, or the function itself."""
    inner = getattr(function, "__wrapped__", None)
    return inner if _is_own(module, inner) else function


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from _names(each)


# ------------------------------------------------------------------------ recording its calls


class _Recorder(examples.Recorder):
    """Records the calls of a function, and those of the primitive with its name."""

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function; a partial call is recorded as the whole one."""
        if isinstance(function, functools.partial):
            return self.call(function.func, *function.args, *args, **function.keywords, **kwargs)
        return super().call(function, *args, **kwargs)

    def record(self, function: Any, args: Any, kwargs: Any) -> express.Call | None:
        """Return the call if the item is called; a primitive has keywords that the item lacks."""
        primitive = getattr(function, "__self__", None)
        if not isinstance(primitive, _Primitive):
            return super().record(function, args, kwargs)
        if primitive.name.replace("-", "_") != self.item.name.rpartition(".")[2]:
            return None
        known = {each.name for signature in self.item.signatures for each in signature}
        kept = {name: value for name, value in kwargs.items() if name in known}
        fitting = _fitting(self.item.value, args, kept)
        return express.Call(express.arguments(self.kit, fitting, kept))


def _fitting(function: Any, args: Any, kwargs: Any) -> Any:
    """Return the positional arguments; as one list if the function takes the arrays of a list."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return [list(args)]
    except ValueError:
        pass  # the signature is unknown
    return args


class _Through:
    """Stands for a function, and passes its calls to a recorder."""

    def __init__(self, function: Any, recorder: _Recorder) -> None:
        self._function, self._recorder = function, recorder

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._recorder.call(self._function, *args, **kwargs)


class _Module:
    """Stands for a module: its functions are recorded."""

    def __init__(self, module: types.ModuleType, recorder: _Recorder) -> None:
        self._module, self._recorder = module, recorder

    def __getattr__(self, name: str) -> Any:
        return _through(getattr(self._module, name), self._recorder)


def _through(value: Any, recorder: _Recorder) -> Any:
    """Return a recorder for a module or a function; any other value as it is."""
    if isinstance(value, types.ModuleType):
        return _Module(value, recorder)
    if callable(value) and not isinstance(value, (type, _Primitive)):
        return _Through(value, recorder)
    return value


def _recorded(function: Any, recorder: _Recorder, names: dict[str, Any]) -> Any:
    """Return a function of the harnesses that calls recorders; any other function as it is."""
    if isinstance(function, functools.partial):
        inner = _recorded(function.func, recorder, names)
        return functools.partial(inner, *function.args, **function.keywords)
    function = _uncompiled(_harnesses().module, function)
    if not _is_own(_harnesses().module, function):
        return function
    cells = []
    for cell in function.__closure__ or ():
        value = _recorded(cell.cell_contents, recorder, names)
        cells.append(types.CellType(_through(value, recorder)))
    made = types.FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, tuple(cells)
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


class _Binding:
    """While active, primitives that the harnesses bind are recorded."""

    def __init__(self, recorder: _Recorder) -> None:
        self._recorder = recorder
        self._bind = _Primitive.bind
        self._names: dict[str, Any] = {}

    def __enter__(self) -> dict[str, Any]:
        """Return the names for the functions of the harnesses, with recorders as modules."""
        module, names, recorder, bind = (
            _harnesses().module, self._names, self._recorder, self._bind,
        )  # fmt: skip
        for name, value in vars(module).items():
            if _is_own(module, value):
                names[name] = _recorded(value, recorder, names)
            else:
                names[name] = _through(value, recorder) if _is_jax(value) else value

        def recorded(primitive: Any, *args: Any, **kwargs: Any) -> Any:
            own = types.MethodType(bind, primitive)
            is_direct = sys._getframe(1).f_globals is names
            return recorder.call(own, *args, **kwargs) if is_direct else own(*args, **kwargs)

        _Primitive.bind = recorded
        return names

    def __exit__(self, *_: Any) -> None:
        _Primitive.bind = self._bind


def _is_jax(value: Any) -> bool:
    return isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] == "jax"
