"""Describe the arguments of a call without their values.

An array is described by its dtype, its shape and the range of its numbers; a plain value by itself;
an object of the framework by the recorded call that made it. Other values raise `Unknown`.

A description is JSON: null, true, false, a number or a string is written as it is. Everything else
is an object with one of the keys that `Describer.describe` sets.
"""

from __future__ import annotations

import contextlib
import functools
import math
import sys
import types
import weakref
from typing import Any, Callable

from pmdriver.record.graphs import Graphs
from pmdriver.record.names import Names
from pmdriver.record.units import Units
from pmdriver.record.values import LONGEST_TEXT, Unknown, number_range

DEEPEST = 5
MOST_ITEMS = 64

MOST_MADE = 65_536
"""The most objects with a stored call that made them; then freed and old ones are dropped."""


_PLAIN = (type(None), bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset)


_SCALARS = (type(None), bool, int, float, complex, str, bytes)


def _never() -> bool:
    return False


def _tracing(root: str) -> Callable[[], bool]:
    """Return a function that returns whether the framework is now tracing for a compiler."""

    def jax_traces() -> bool:
        jax = sys.modules.get("jax")
        trace = jax._src.core.trace_ctx.trace if jax else None
        while hasattr(trace, "parent_trace") and type(trace).__name__ != "DynamicJaxprTrace":
            trace = trace.parent_trace  # a trace for a derivative executes its calls
        return trace is not None and type(trace).__name__ != "EvalTrace"

    def tensorflow_traces() -> bool:
        tf = sys.modules.get("tensorflow")
        return hasattr(tf, "executing_eagerly") and not tf.executing_eagerly()

    def torch_traces() -> bool:
        torch = sys.modules.get("torch")
        return torch is not None and torch._C._get_tracing_state() is not None

    traces = {"jax": jax_traces, "tensorflow": tensorflow_traces, "torch": torch_traces}.get(root)

    def safely() -> bool:
        try:
            return traces is not None and traces()
        except Exception:
            return False

    return safely if traces else _never


def _is_keras_variable(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ == "Variable" and kind.__module__.startswith("keras.")


def _add_shapes(found: list[Any], value: Any, depth: int) -> None:
    """Add the dtypes and shapes of the arrays in nested arguments."""
    if type(value) in _SCALARS:
        return
    if isinstance(value, dict):
        items = list(value.values())
    elif type(value) in (list, tuple):
        items = list(value[:MOST_ITEMS])
    else:
        shape = getattr(value, "shape", None)
        if shape is not None:
            dtype = str(getattr(value, "dtype", "")).replace("torch.", "")
            if dtype.startswith("<dtype: '"):  # of TensorFlow
                dtype = dtype.split("'")[1]
            found.append((dtype, tuple(shape)))
        return
    if depth < DEEPEST:
        for item in items:
            _add_shapes(found, item, depth + 1)


class Describer:
    """Describes the values of one framework.

    Parameters
    ----------
    names
        The public names of the framework.
    keep_values
        Also keep long texts.
    """

    def __init__(self, names: Names, *, keep_values: bool = False) -> None:
        self.names = names
        self.longest = 1 << 16 if keep_values else LONGEST_TEXT
        self.made: dict[int, tuple[Any, Any]] = {}
        self.tracing = _tracing(names.root)
        of_root = {"jax": Units, "tensorflow": Graphs}.get(names.root)
        self.units: Any = of_root() if of_root else None

    def remember(self, value: Any, call: Any) -> None:
        """Store the call that made an object, for later calls with it; the object may be freed."""
        if isinstance(value, _PLAIN) or self._is_array(value):
            return
        if len(self.made) >= MOST_MADE:
            self._drop()
        try:
            self.made[id(value)] = (weakref.ref(value), call)
        except TypeError:
            return

    def _drop(self) -> None:
        """Drop the calls of freed objects, and the oldest beyond half of the limit."""
        alive = [(key, made) for key, made in self.made.items() if made[0]() is not None]
        self.made = dict(alive[max(0, len(alive) - MOST_MADE // 2) :])

    def unwatched(self) -> Any:
        """Return a context in which calls of the framework are not recorded."""
        torch = sys.modules.get("torch") if self.names.root == "torch" else None
        return torch._C.DisableTorchFunction() if torch else contextlib.nullcontext()

    def symbolic(self, args: Any, kwargs: Any) -> bool:
        """Return whether a call only builds a Keras model: it gets tensors without values."""
        if self.names.root != "tensorflow":
            return False
        for value in (*args, *kwargs.values()):
            first = value[0] if isinstance(value, (list, tuple)) and value else value
            if type(first).__name__ == "KerasTensor":
                return True
        return False

    def shapes(self, args: Any, kwargs: Any) -> Any:
        """Return the dtypes and shapes of the arrays: a compiler recompiles for new ones.

        None if they are not known.
        """
        found: list[Any] = []
        try:
            with self.unwatched():
                _add_shapes(found, args, 0)
                _add_shapes(found, kwargs, 0)
        except Exception:
            return None
        return tuple(found)

    def flows(self, result: Any) -> bool:
        """Return whether a gradient flows through the result of a call; known only for PyTorch."""
        with self.unwatched():
            return self.names.root == "torch" and bool(getattr(result, "requires_grad", False))

    def _is_array(self, value: Any) -> bool:
        with self.unwatched():
            try:
                return self.array(value) is not None
            except Unknown:
                return True

    def describe(self, value: Any, depth: int = 0) -> Any:
        """Return the description of a value.

        Raises
        ------
        Unknown
            The value cannot be described.
        """
        if value is None or type(value) in (bool, int):
            return value
        if depth > DEEPEST:
            raise Unknown("deep nesting")
        kind = type(value)
        if kind is float:
            return value if math.isfinite(value) else {"code": f'float("{value}")'}
        if kind is str:
            if len(value) > self.longest or not value.isprintable():
                raise Unknown("a long text")
            return value
        if kind in (list, tuple):
            return self._sequence(value, kind, depth)
        if kind is slice:
            parts = (value.start, value.stop, value.step)
            return {"slice": [self.describe(part, depth + 1) for part in parts]}
        if value is Ellipsis:
            return {"code": "..."}
        if kind is range:
            return {"code": repr(value)}
        if kind is dict:
            return self._dict(value, depth)
        return self._object(value, kind)

    def _sequence(self, value: Any, kind: type, depth: int) -> Any:
        if len(value) <= MOST_ITEMS:
            items = [self.describe(item, depth + 1) for item in value]
            return {"list" if kind is list else "tuple": items}
        first = value[0]
        alike = (type(first), getattr(first, "dtype", None), getattr(first, "shape", None))
        if alike[2] is None or any(
            (type(item), getattr(item, "dtype", None), getattr(item, "shape", None)) != alike
            for item in value
        ):
            raise Unknown("a long list")
        return {"repeated": [self.describe(first, depth + 1), len(value)], "kind": kind.__name__}

    def _dict(self, value: dict[Any, Any], depth: int) -> Any:
        if len(value) > MOST_ITEMS:
            raise Unknown("a large dict")
        for key in value:
            if type(key) not in (str, int):
                raise Unknown("a dict with keys other than strings and integers")
        return {
            "dict": [
                [self.describe(key, depth + 1), self.describe(item, depth + 1)]
                for key, item in value.items()
            ]
        }

    def _object(self, value: Any, kind: type) -> Any:
        array = self.array(value)
        if array is not None:
            return array
        constant = self._constant(value, kind)
        if constant is not None:
            return constant
        name = self.names.of_object(value)
        if name is not None:
            return {"name": name}
        made = self.made.get(id(value))
        if made is not None and made[0]() is value:
            return {"made": made[1], **self._since(value)}
        if kind is functools.partial:
            words = {"args": [self.describe(item) for item in (value.func, *value.args)]}
            named = {key: self.describe(item) for key, item in value.keywords.items()}
            return {"made": {"name": "functools.partial", **words, "kwargs": named}}
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            if isinstance(value, numpy.ndarray):
                return self._numpy(value)
            if isinstance(value, numpy.generic) and value.dtype.kind in "biuf":
                return {"code": f"np.{value.dtype}({value.item()!r})"}
            if isinstance(value, numpy.dtype):
                return {"code": f'np.dtype("{value}")'}
            if isinstance(value, type) and issubclass(value, numpy.generic):
                return {"code": f"np.{value.__name__}"}
        if any(value is plain for plain in (bool, int, float, complex)):
            return {"code": value.__name__}
        raise Unknown(self._what(value, kind))

    def _since(self, value: Any) -> dict[str, Any]:
        """Describe what the program changed in a PyTorch module since its construction."""
        torch = sys.modules.get("torch") if self.names.root == "torch" else None
        if torch is None or not isinstance(value, torch.nn.Module):
            return {}
        parameter = next(iter(value.parameters()), None)
        default = parameter is None or parameter.dtype is torch.get_default_dtype()
        return {
            **({} if value.training else {"evaluates": True}),
            **({} if default else {"dtype": str(parameter.dtype)}),
        }

    def _what(self, value: Any, kind: type) -> str:
        if isinstance(value, (types.FunctionType, types.MethodType, types.BuiltinFunctionType)):
            return "a callable"
        if isinstance(value, type):
            return "a class"
        if hasattr(value, "__next__"):
            return "an iterator"
        if self.names.owns(kind):
            return f"an object of {kind.__module__.partition('.')[0]}: {kind.__name__}"
        return "a callable" if callable(value) else "an object of the program"

    def _numpy(self, value: Any) -> Any:
        if value.dtype.kind not in "biufc":
            raise Unknown("an array of objects")
        text = str(value.dtype)
        return {"host": [text, list(value.shape), number_range(value, text)]}

    # The methods below depend on the framework to which the values belong.

    def array(self, value: Any) -> Any:
        """Describe an array of the framework; None for any other value."""
        root = sys.modules.get(self.names.root)
        if self.names.root == "torch":
            return self._tensor(root, value)
        if self.names.root == "jax":
            return self._jax(root, value)
        if self.names.root == "tensorflow":
            return self._tensorflow(root, value)
        return None

    def _tensor(self, torch: Any, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return None
        if type(value) not in (torch.Tensor, torch.nn.Parameter):
            raise Unknown("a subclass of torch.Tensor")
        dtype = str(value.dtype).replace("torch.", "")
        if value.layout is not torch.strided or value.is_quantized:
            layout = str(value.layout).replace("torch.sparse_", "")
            if layout not in ("coo", "csr", "csc") or value.dim() != 2:
                raise Unknown(f"the layout {str(value.layout).replace('torch.', '')}")
            if value.values().dim() != 1 if layout != "coo" else value.dense_dim() != 0:
                raise Unknown("a sparse tensor with dense parts")
            count = int(value._nnz())
            return {"sparse": [dtype, list(value.shape), None], "layout": layout, "count": count}
        with torch.no_grad():
            plain = value.device.type == "cpu" and not value.is_conj() and not value.is_neg()
            known = number_range(value.detach(), dtype) if plain else None
        gradient = bool(value.requires_grad) and torch.is_grad_enabled()
        # A case can change an array in place, but not a parameter, which requires a gradient.
        kind = "parameter" if gradient and isinstance(value, torch.nn.Parameter) else "array"
        return {kind: [dtype, list(value.shape), known], "gradient": gradient}

    def _jax(self, jax: Any, value: Any) -> Any:
        if not isinstance(value, jax.Array):
            return None
        dtype, shape = str(value.dtype), list(value.shape)
        if dtype.startswith("key<"):
            return {"key": shape}
        if isinstance(value, jax.core.Tracer):
            return {"array": [dtype, shape, None]}
        return {"array": [dtype, shape, number_range(value, dtype)]}

    def _tensorflow(self, tf: Any, value: Any) -> Any:
        if isinstance(value, tf.SparseTensor):
            return self._tensorflow_sparse(value)
        of_keras = getattr(value, "value", None) if _is_keras_variable(value) else None
        value = value if of_keras is None else of_keras
        variable = isinstance(value, tf.Variable)
        if not variable and not isinstance(value, tf.Tensor):
            return None
        if value.shape.rank is None or None in value.shape.as_list():
            raise Unknown("an unknown shape")
        dtype, shape = value.dtype.name, value.shape.as_list()
        if dtype in ("string", "resource", "variant"):
            raise Unknown(f"a tensor of {dtype}")
        traced = not hasattr(value, "numpy") or not tf.executing_eagerly()
        known = None if traced else number_range(value.numpy(), dtype)
        described = {"variable" if variable else "array": [dtype, shape, known]}
        return described if of_keras is None else {**described, "keras": True}

    @staticmethod
    def _tensorflow_sparse(value: Any) -> Any:
        shape, count = value.shape.as_list(), value.values.shape.as_list()[0]
        if value.dtype.name == "string" or None in shape or count is None:
            raise Unknown("a sparse tensor of strings, or of an unknown shape")
        return {"sparse": [value.dtype.name, shape, None], "layout": "tf", "count": count}

    def _constant(self, value: Any, kind: type) -> Any:
        root = sys.modules.get(self.names.root)
        if self.names.root == "torch":
            if isinstance(value, (root.dtype, root.layout, root.memory_format)):
                return {"code": str(value)}
            if isinstance(value, root.device):
                return {"device": str(value)}
            if isinstance(value, root.Size):
                return {"code": f"torch.Size({list(value)})"}
        if self.names.root == "tensorflow":
            if isinstance(value, root.DType):
                return {"code": f"tf.{value.name}"}
            if isinstance(value, root.TensorShape) and value.rank is not None:
                return {"code": f"tf.TensorShape({value.as_list()})"}
        return None
