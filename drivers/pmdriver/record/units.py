"""Write a function that a program compiles with `jax.jit` as a text of JAX's primitives.

A compiled function is one unit: its parts have no time of their own. Its trace (a jaxpr) says
everything that it computes, and has no names of the program and no lines of its files. The text
makes the same trace again: it is Python, and calls primitives and public functions of JAX. Arrays
that the function closes over are its first parameters, so that the text has none of their values.
"""

from __future__ import annotations

import enum
import math
import sys
from typing import Any, Callable

from pmdriver.record.values import LONGEST_TEXT, Unknown, number_class

MOST_TEXT = 1 << 18
"""The most characters of a unit's text: the cases of 40 units fit into a case file."""

#: Primitives that only call a traced function: the parameter that has it.
_CALLS = {
    "jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
    "custom_vjp_call_jaxpr": "fun_jaxpr", "remat2": "jaxpr", "checkpoint": "jaxpr",
    "remat": "jaxpr", "named_call": "call_jaxpr",
}  # fmt: skip

#: Functions that make a primitive whose own parameters include a function.
_SCATTERS = {
    "scatter": "scatter", "scatter-add": "scatter_add", "scatter_add": "scatter_add",
    "scatter-sub": "scatter_sub", "scatter_sub": "scatter_sub", "scatter_mul": "scatter_mul",
    "scatter_min": "scatter_min", "scatter_max": "scatter_max",
}  # fmt: skip

#: Primitives that return their operand: the program's own name for a value is not kept.
_SAME = ("name",)
_PYTHON = ("pure_callback", "io_callback", "debug_callback", "debug_print", "host_callback")
_DEVICES = ("shard_map", "pmap", "xla_pmap", "sharding_constraint", "psum",
            "all_gather", "all_to_all", "ppermute", "axis_index")  # fmt: skip


_EXTENDED = "jax.extend.core.primitives"


def _modules() -> list[tuple[str, Any]]:
    """Return the modules with public primitives, each with its name in a case."""
    found = [
        ("jax.lax", sys.modules.get("jax.lax")),
        ("jax.lax.linalg", sys.modules.get("jax.lax.linalg")),
        (_EXTENDED, _imported(_EXTENDED)),
    ]
    return [(name, module) for name, module in found if module is not None]


def _imported(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        return None


class Unit:
    """A compiled function.

    Attributes
    ----------
    text
        Defines a function ``unit``.
    constants
        The arrays that the function closes over: its first parameters.
    is_random
        Whether its results depend on the calls before.
    inputs
        The dtype and the shape of each of its other parameters; the dtype of a key begins with
        ``key``.
    """

    is_random = False

    def __init__(self, closed: Any) -> None:
        writer = _Writer()
        name, constants = writer.function(closed)
        self.constants = [writer.constants[key] for key in constants]
        self.inputs = [(str(aval.dtype), list(aval.shape)) for aval in closed.in_avals]
        lines = [*writer.imports, *writer.lines, f"unit = jax.jit({name})", ""]
        self.text = "\n".join(lines)
        if len(self.text) > MOST_TEXT:
            raise Unknown("a large compiled function")

    def arguments(self, describe: Callable[[Any], Any], leaves: list[Any]) -> list[Any]:
        """Describe the parameters of ``unit``.

        Parameters
        ----------
        describe
            Describes an array that the function closes over.
        leaves
            The described arguments of the call. If their shapes are not those of the parameters,
            as for an argument that is static, no range of numbers is known.
        """
        known = [_shape_and_range(leaf) for leaf in leaves]
        fits = [shape for shape, _ in known] == [shape for _, shape in self.inputs]
        found = [_on_device(describe(value)) for value in self.constants]
        for at, (dtype, shape) in enumerate(self.inputs):
            of_values = known[at][1] if fits else None
            key = dtype.startswith("key<")
            found.append({"key": shape} if key else {"array": [dtype, shape, of_values]})
        return found


def _on_device(described: Any) -> Any:
    """Return the description of an array on the device instead of one on the host."""
    return {"array": described["host"]} if "host" in described else described


def _shape_and_range(leaf: Any) -> tuple[list[int] | None, Any]:
    """Return the shape of a described argument, and what is known of its numbers."""
    if type(leaf) in (bool, int, float):
        whole = type(leaf) is int
        return [], [leaf, leaf] if whole else number_class(float(leaf), float(leaf))
    if not isinstance(leaf, dict):
        return None, None
    if "key" in leaf:
        return leaf["key"], None
    found = leaf.get("array") or leaf.get("host")
    return (found[1], found[2]) if found else (None, None)


class _Writer:
    """Writes functions of the unit, the innermost first."""

    def __init__(self) -> None:
        self.modules = _modules()
        self.imports: list[str] = []
        self.lines: list[str] = []
        self.constants: dict[str, Any] = {}
        self.functions: dict[int, tuple[str, list[str], Any]] = {}
        self.length = 0

    def add(self, line: str) -> None:
        self.length += len(line) + 1
        if self.length > MOST_TEXT:
            raise Unknown("a large compiled function")
        self.lines.append(line)

    def function(self, closed: Any) -> tuple[str, list[str]]:
        """Write a traced function; return its name, and the constants that it needs first."""
        known = self.functions.get(id(closed))
        if known is None:
            known = self.functions[id(closed)] = (*_Function(self, closed).write(), closed)
        return known[0], known[1]

    def constant(self, value: Any) -> str:
        for name, known in self.constants.items():
            if known is value:
                return name
        name = f"c{len(self.constants)}"
        self.constants[name] = value
        return name

    def primitive(self, primitive: Any) -> str:
        """Return the public name of a primitive."""
        for where, module in self.modules:
            for name, value in vars(module).items():
                if value is primitive:
                    if where == _EXTENDED:
                        self.imports = [f"import {where}"]
                    return f"{where}.{name}"
        raise Unknown(f"compiles the primitive {primitive.name}")

    def parameter(self, value: Any) -> str:
        """Return the text of a parameter of a primitive."""
        if type(value) is str and len(value) > LONGEST_TEXT:
            raise Unknown("compiles a primitive with a long text")
        if value is None or type(value) in (bool, int, str):
            return repr(value)
        if type(value) is float:
            return repr(value) if math.isfinite(value) else f'float("{value}")'
        if isinstance(value, enum.Enum):
            return f"{self._public(type(value))}.{value.name}"
        fields = getattr(value, "_fields", None) or getattr(value, "__dataclass_fields__", None)
        if fields is not None:
            words = (f"{key}={self.parameter(getattr(value, key))}" for key in fields)
            return f"{self._public(type(value))}({', '.join(words)})"
        if type(value) in (tuple, list):
            items = ", ".join(map(self.parameter, value))
            return f"[{items}]" if type(value) is list else f"({items}{',' * (len(value) == 1)})"
        if hasattr(value, "bind") and hasattr(value, "multiple_results"):
            return self.primitive(value)
        if type(value).__module__.partition(".")[0] == "numpy":
            return self._numpy(value)
        raise Unknown("compiles a primitive with an argument that a text cannot have")

    def _numpy(self, value: Any) -> str:
        import numpy

        if isinstance(value, numpy.dtype):
            return f'np.dtype("{value}")'
        if isinstance(value, numpy.generic):
            return self.parameter(value.item())
        if isinstance(value, type) and issubclass(value, numpy.generic):
            return f'np.dtype("{numpy.dtype(value)}")'
        raise Unknown("compiles a primitive with an array as its argument")

    @staticmethod
    def _public(cls: type) -> str:
        for name, value in vars(sys.modules["jax.lax"]).items():
            if value is cls and not name.startswith("_"):
                return f"jax.lax.{name}"
        raise Unknown(f"compiles a primitive with a {cls.__name__}")


def _scalar(value: Any, dtype: str) -> str:
    if dtype == "bool":
        return f"np.bool_({bool(value)})"
    number = complex(value) if "complex" in dtype else value
    number = int(value) if "int" in dtype else number
    if not isinstance(number, (int, complex)):
        number = float(value)
    plain = isinstance(number, int) or (isinstance(number, float) and math.isfinite(number))
    text = repr(number) if plain else f'{type(number).__name__}("{number}")'
    return f'np.array({text}, "{dtype}")'


class _Function:
    """Writes one traced function."""

    def __init__(self, writer: _Writer, closed: Any) -> None:
        self.writer = writer
        self.jaxpr = getattr(closed, "jaxpr", closed)
        self.needs: list[str] = []
        self.names: dict[Any, str] = {}
        self.body: list[str] = []
        for variable, value in zip(self.jaxpr.constvars, getattr(closed, "consts", ())):
            self.names[variable] = self._need(writer.constant(value))

    def _need(self, name: str) -> str:
        if name not in self.needs:
            self.needs.append(name)
        return name

    def write(self) -> tuple[str, list[str]]:
        if self.jaxpr.effects:
            raise Unknown("compiles a function with effects, such as a callback")
        parameters = [self._bind(variable) for variable in self.jaxpr.invars]
        for equation in self.jaxpr.eqns:
            self._equation(equation)
        results = ", ".join(map(self._value, self.jaxpr.outvars))
        name = f"f{len(self.writer.functions)}_{len(self.writer.lines)}"
        self.writer.add(f"def {name}({', '.join([*self.needs, *parameters])}):")
        for line in self.body:
            self.writer.add(f"    {line}")
        self.writer.add(f"    return ({results}{',' * (len(self.jaxpr.outvars) == 1)})")
        return name, self.needs

    def _bind(self, variable: Any) -> str:
        if variable not in self.names:
            self.names[variable] = f"v{len(self.names)}"
        return self.names[variable]

    def _value(self, atom: Any) -> str:
        if not hasattr(atom, "val"):
            return self.names[atom]
        if atom.aval.shape != ():
            raise Unknown("compiles a constant array")
        return _scalar(atom.val, str(atom.aval.dtype))

    def _call(self, closed: Any, words: list[str]) -> str:
        """Return the text of a call of a traced function."""
        name, needs = self.writer.function(closed)
        return f"{name}({', '.join([*map(self._need, needs), *words])})"

    def _equation(self, equation: Any) -> None:
        name, params = equation.primitive.name, equation.params
        words = [self._value(atom) for atom in equation.invars]
        if name in _CALLS:
            text = self._call(params[_CALLS[name]], words)
        elif name == "scan":
            text = self._scan(params, words)
        elif name == "while":
            text = self._while(params, words)
        elif name == "cond":
            text = self._cond(params, words)
        elif name == "device_put" and _stays(params):
            text = _tuple(words)
        elif name == "platform_index":  # only `_cond` reads it
            text = "(None,)"
        elif name == "custom_linear_solve":
            text = self._solve(params, words)
        else:
            text = self._primitive(equation, words)
            if not equation.primitive.multiple_results:
                text = f"({text},)"
        targets = [
            "_" if type(variable).__name__ == "DropVar" else self._bind(variable)
            for variable in equation.outvars
        ]
        self.body.append(f"{', '.join(targets)}, = {text}" if targets else text)

    def _lambda(self, closed: Any, first: list[str]) -> str:
        return f"lambda *v: {self._call(closed, [*first, '*v'])}"

    def _cond(self, params: Any, words: list[str]) -> str:
        branches = [self._lambda(branch, []) for branch in params["branches"]]
        platforms = params.get("branches_platforms")
        if platforms is None:
            return f"jax.lax.switch({words[0]}, [{', '.join(branches)}], {', '.join(words[1:])})"
        named = [
            f"{platform}={branch}"
            for branch, names in zip(branches, platforms)
            for platform in names or ("default",)
        ]
        return f"jax.lax.platform_dependent({', '.join([*words[1:], *named])})"

    def _scan(self, params: Any, words: list[str]) -> str:
        consts, carry = params["num_consts"], params["num_carry"]
        body = self._lambda(params["jaxpr"], words[:consts])
        rest = consts + carry
        options = ", ".join(f"{key}={params[key]!r}" for key in ("length", "reverse", "unroll"))
        step = f"lambda c, x: (lambda y: (y[:{carry}], y[{carry}:]))(({body})(*c, *x))"
        start, items = _tuple(words[consts:rest]), _tuple(words[rest:])
        return f"(lambda r: (*r[0], *r[1]))(jax.lax.scan({step}, {start}, {items}, {options}))"

    def _while(self, params: Any, words: list[str]) -> str:
        first, second = params["cond_nconsts"], params["body_nconsts"]
        test = self._call(params["cond_jaxpr"], [*words[:first], "*c"])
        body = self._call(params["body_jaxpr"], [*words[first : first + second], "*c"])
        start = _tuple(words[first + second :])
        return f"jax.lax.while_loop(lambda c: {test}[0], lambda c: {body}, {start})"

    def _solve(self, params: Any, words: list[str]) -> str:
        """Write what solves a linear system: the other functions serve only derivatives."""
        lengths = params["const_lengths"]
        begin = lengths.matvec + lengths.vecmat
        consts = words[begin : begin + lengths.solve]
        return self._call(params["jaxprs"].solve, [*consts, *words[sum(lengths) :]])

    def _primitive(self, equation: Any, words: list[str]) -> str:
        name, params = equation.primitive.name, equation.params
        if name in _SAME:
            return words[0]
        if name in _PYTHON:
            raise Unknown("compiles a callback")
        if name in _DEVICES:
            raise Unknown("compiles for several devices")
        if name == "random_wrap":
            return f"jax.random.wrap_key_data({words[0]}, impl={params['impl'].name!r})"
        if name in ("empty", "empty2"):  # memory without values
            aval = equation.outvars[0].aval
            return f'jax.lax.full({tuple(aval.shape)}, 0, np.dtype("{aval.dtype}"))'
        if name == "random_unwrap":
            return f"jax.random.key_data({words[0]})"
        if name == "random_seed":
            return f"jax.random.key({words[0]}, impl={params['impl'].name!r})"
        if name in _SCATTERS:
            kept = ("dimension_numbers", "indices_are_sorted", "unique_indices", "mode")
            function = f"jax.lax.{_SCATTERS[name]}"
        else:
            kept = tuple(params)
            function = f"{self.writer.primitive(equation.primitive)}.bind"
        options = [f"{key}={self.writer.parameter(params[key])}" for key in kept]
        return f"{function}({', '.join([*words, *options])})"


class Units:
    """The compiled functions of a program."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Unit | Unknown]] = {}

    @staticmethod
    def leaves(describe: Callable[[Any], Any], args: Any, kwargs: Any) -> list[Any]:
        """Describe the numbers and arrays in the arguments of a call, in the order of JAX.

        Raises
        ------
        Unknown
            An argument is traced for a derivative.
        """
        jax = sys.modules["jax"]
        found = []
        for value in jax.tree_util.tree_leaves((args, kwargs)):
            if isinstance(value, jax.core.Tracer):
                raise Unknown("a derivative of a compiled function")
            if type(value) in (bool, int, float) or hasattr(value, "dtype"):
                found.append(describe(value))
        return found

    def of_call(self, target: Any, args: Any, kwargs: Any, leaves: list[Any]) -> Unit:
        """Return the unit of a call that was made.

        JAX keeps the trace of a call, so that the function of the program does not run again. An
        array that the call consumed has no values any more, but its dtype and shape.

        Raises
        ------
        Unknown
            The function cannot become a unit.
        """
        if not hasattr(target, "trace"):
            raise Unknown("a compiled function without a trace")
        closed = target.trace(*args, **kwargs).jaxpr
        known = self._known.get(id(closed))
        if known is None:
            made: Unit | Unknown
            try:
                made = Unit(closed)
            except Unknown as why:
                made = why
            known = self._known[id(closed)] = (closed, made)
        if isinstance(known[1], Unknown):
            raise Unknown(str(known[1]))
        return known[1]


def _stays(params: Any) -> bool:
    """Return whether a primitive that places arrays names no device: they stay where they are."""
    places = params.get("devices") or (params.get("device"),)
    return all(place is None or isinstance(place, enum.Enum) for place in places)


def _tuple(words: list[str]) -> str:
    return f"({', '.join(words)}{',' * (len(words) == 1)})"
