"""Gradients of JAX: a call is differentiated as a function, with the `output` of its case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import jax

from pmdriver.framework import Framework
from pmdriver.job import leaves


class Gradients:
    """Differentiates the call that was made last.

    Parameters
    ----------
    framework
        Detects arrays, and which of them have gradients.

    Attributes
    ----------
    is_tracing
        The call is being traced: its outputs are no arrays with values.
    """

    def __init__(self, framework: Framework) -> None:
        self._framework = framework
        self.is_tracing = False
        self.forget()

    def forget(self) -> None:
        """Forget the last call."""
        self._function: Any = None
        self._arguments: Sequence[Any] = ()
        self._pull: Callable[..., Any] | None = None

    def bind(
        self, function: Any, bound: Callable[..., Any], output: str | None
    ) -> Callable[..., Any]:
        """Return a function that calls `bound` and remembers its arguments.

        Parameters
        ----------
        function
            The case's own: its globals are the names of the setup.
        bound
            The same, or what compiles it.
        output
            The text of the case's `output`.
        """
        names = function.__code__.co_varnames[: function.__code__.co_argcount]

        def outputs(*arguments: Any) -> Any:
            out = bound(*arguments)
            if output in (None, "", "out"):
                return out
            found = {**function.__globals__, **dict(zip(names, arguments)), "out": out}
            return eval(output, found)

        def call(*arguments: Any) -> Any:
            self._function, self._arguments, self._pull = outputs, arguments, None
            return bound(*arguments)

        return call

    def _inputs(self) -> list[int]:
        """Return the positions of the inputs that have gradients."""
        return [i for i, a in enumerate(self._arguments) if self._framework.differentiable(a)]

    def prepare(self) -> None:
        """Linearise the last call, unless that is done: only the way back is timed."""
        if self._pull is not None:
            return
        framework, positions = self._framework, self._inputs()

        def forward(*values: Any) -> list[Any]:
            arguments = list(self._arguments)
            for position, value in zip(positions, values):
                arguments[position] = value
            self.is_tracing = True
            try:
                found = leaves.walk(self._function(*arguments), framework)
            finally:
                self.is_tracing = False
            arrays = [leaf.value for leaf in found if leaf.kind == leaves.ARRAY]
            return [array for array in arrays if framework.differentiable(array)]

        _, self._pull = jax.vjp(forward, *[self._arguments[i] for i in positions])

    def pull(self, sources: Sequence[Any], cotangents: list[Any]) -> list[Any]:
        """Return the gradient of each source, one of the inputs of the last call."""
        assert self._pull is not None
        found = self._pull(cotangents)
        order = [self._arguments[i] for i in self._inputs()]
        return [next(g for a, g in zip(order, found) if a is source) for source in sources]
