"""Describe the arguments of a call without their values.

An array is its dtype, its shape and the class of its numbers, a plain value is itself, an object
that a recorded constructor made is that call. What cannot be described raises `Unknown`.

A description is JSON: None, true, a number or a text stand for themselves, everything else is an
object with one of the keys that `Describer.describe` sets.
"""

from __future__ import annotations

import math
import sys
import types
from typing import Any

from pmdriver.record.names import Names

LONGEST_TEXT = 24
"""Characters of a text that is kept: the name of a mode, a dtype, an equation of einsum."""

DEEPEST = 5
MOST_ITEMS = 64
MOST_READ = 1 << 20
"""Elements of an array whose range is read."""


class Unknown(Exception):
    """What cannot be described; its text says what kind of thing it is."""


def number_class(low: float, high: float) -> str:
    """Return what is kept of the range of floating numbers: "unit", "positive", "any"."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return "any"
    if low >= 0 and high <= 1:
        return "unit"
    return "positive" if low > 0 else "any"


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

    def remember(self, value: Any, call: Any) -> None:
        """Keep how an object was made, for calls that get it."""
        if len(self.made) < 4096:
            self.made[id(value)] = (value, call)

    def describe(self, value: Any, depth: int = 0) -> Any:
        """Return the description of a value.

        Raises
        ------
        Unknown
            It cannot be described.
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
            if len(value) > MOST_ITEMS:
                raise Unknown("a long list")
            items = [self.describe(item, depth + 1) for item in value]
            return {"list" if kind is list else "tuple": items}
        if kind is slice:
            parts = (value.start, value.stop, value.step)
            return {"slice": [self.describe(part, depth + 1) for part in parts]}
        if value is Ellipsis:
            return {"code": "..."}
        if kind is range:
            return {"code": repr(value)}
        if kind is dict:
            raise Unknown("a dict")
        return self._object(value, kind)

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
        if made is not None and made[0] is value:
            return {"made": made[1]}
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
        if value in (bool, int, float, complex):
            return {"code": value.__name__}
        raise Unknown(self._what(value, kind))

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
        return {"host": [text, list(value.shape), self._range(value, text)]}

    def _range(self, value: Any, dtype: str) -> Any:
        """Return the range of integers, the class of floating numbers, or None."""
        numpy = sys.modules.get("numpy")
        try:
            count = math.prod(value.shape)
            if numpy is None or count == 0 or count > MOST_READ or "complex" in dtype:
                return None
            if dtype.startswith("bool"):
                return None
            low, high = float(value.min()), float(value.max())
        except Exception:
            return None
        if "int" in dtype:
            return [int(low), int(high)]
        return number_class(low, high)

    # What differs between frameworks.

    def array(self, value: Any) -> Any:
        """Describe an array of the framework; None if the value is none."""
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
        if value.layout is not torch.strided or value.is_quantized:
            raise Unknown(f"the layout {str(value.layout).replace('torch.', '')}")
        dtype = str(value.dtype).replace("torch.", "")
        with torch.no_grad():
            plain = value.device.type == "cpu" and not value.is_conj() and not value.is_neg()
            known = self._range(value.detach(), dtype) if plain else None
        kind = "parameter" if isinstance(value, torch.nn.Parameter) else "array"
        return {kind: [dtype, list(value.shape), known], "gradient": bool(value.requires_grad)}

    def _jax(self, jax: Any, value: Any) -> Any:
        if not isinstance(value, jax.Array):
            return None
        dtype, shape = str(value.dtype), list(value.shape)
        if dtype.startswith("key<"):
            if shape:
                raise Unknown("an array of keys")
            return {"key": 0}
        if isinstance(value, jax.core.Tracer):
            return {"array": [dtype, shape, None], "traced": True}
        return {"array": [dtype, shape, self._range(value, dtype)]}

    def _tensorflow(self, tf: Any, value: Any) -> Any:
        variable = isinstance(value, tf.Variable)
        if not variable and not isinstance(value, tf.Tensor):
            return None
        if value.shape.rank is None or None in value.shape.as_list():
            raise Unknown("an unknown shape")
        dtype, shape = value.dtype.name, value.shape.as_list()
        if dtype in ("string", "resource", "variant"):
            raise Unknown(f"a tensor of {dtype}")
        traced = not hasattr(value, "numpy") or not tf.executing_eagerly()
        known = None if traced else self._range(value.numpy(), dtype)
        out = {"variable" if variable else "array": [dtype, shape, known]}
        return {**out, "traced": True} if traced else out

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
