"""Records the dtypes of a call by tracing it: JAX shows no operation while executing it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from pmdriver import needs

#: What JAX raises if Python reads the values of an array, or a shape depends on them.
_READS = tuple(
    getattr(jax.errors, name)
    for name in (
        "ConcretizationTypeError",
        "TracerArrayConversionError",
        "TracerIntegerConversionError",
        "NonConcreteBooleanIndexError",
    )
    if hasattr(jax.errors, name)
)


class Needs(needs.Needs):
    """The needs that were recorded so far."""

    def look(self, call: Callable[..., Any], arguments: Sequence[Any]) -> None:
        """Trace the call with abstract arrays and with its other arguments unchanged."""
        leaves, tree = jax.tree_util.tree_flatten(list(arguments))
        places = [i for i, leaf in enumerate(leaves) if _is_array(leaf)]

        def traced(*arrays: Any) -> list[Any]:
            whole = list(leaves)
            for place, array in zip(places, arrays):
                whole[place] = array
            out = call(*jax.tree_util.tree_unflatten(tree, whole))
            return [leaf for leaf in jax.tree_util.tree_leaves(out) if _is_array(leaf)]

        try:
            made = jax.make_jaxpr(traced)(*[leaves[i] for i in places])
        except _READS:
            self.words.add("values")
        else:
            self.words.update(_dtypes(made))

    def note(self, value: Any) -> None:
        """Note the dtypes of the arrays in a structure."""
        found = (leaf for leaf in jax.tree_util.tree_leaves(value) if _is_array(leaf))
        self.words.update(str(leaf.dtype) for leaf in found)


def _is_array(value: Any) -> bool:
    return isinstance(value, (jax.Array, np.ndarray))


def _dtypes(jaxpr: Any) -> Iterator[str]:
    """Name the dtypes of all operations of a computation, including nested computations."""
    for equation in getattr(jaxpr, "jaxpr", jaxpr).eqns:
        for variable in (*equation.invars, *equation.outvars):
            if hasattr(variable.aval, "dtype"):
                yield str(variable.aval.dtype)
        for value in equation.params.values():
            for inner in value if isinstance(value, (tuple, list)) else (value,):
                if hasattr(inner, "eqns") or hasattr(inner, "jaxpr"):
                    yield from _dtypes(inner)
