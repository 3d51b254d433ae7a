"""Makes the last call of a case again, for frameworks that differentiate functions.

Such a framework must trace or watch a call from its beginning, so it cannot use the call that was
timed. The call is made again, untimed, and only the backward pass is timed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

from pmdriver.framework import Framework
from pmdriver.job import leaves


class Recall:
    """Remembers the last call of a case.

    Parameters
    ----------
    framework
        Detects arrays, and which of them are differentiable.

    Attributes
    ----------
    is_recent
        Whether a call was made since `used`.
    """

    def __init__(self, framework: Framework) -> None:
        self._framework = framework
        self.forget()

    def forget(self) -> None:
        """Forget the last call."""
        self.is_recent = False
        self._arguments: Sequence[Any] = ()
        self._outputs: Callable[..., Any] = lambda *_: None

    def bind(
        self, function: Any, bound: Callable[..., Any], output: str | None
    ) -> Callable[..., Any]:
        """Return a function that calls `bound` and remembers its arguments.

        Parameters
        ----------
        function
            The case's function; its globals are the names of the setup.
        bound
            The same function, or a wrapper that compiles it.
        output
            The text of the case's `output`.
        """
        names = function.__code__.co_varnames[: function.__code__.co_argcount]

        def outputs(*arguments: Any) -> Any:
            out = bound(*arguments)
            if output in (None, "", "out"):
                return out
            known = {**function.__globals__, **dict(zip(names, arguments)), "out": out}
            return eval(output, known)

        def call(*arguments: Any) -> Any:
            self.is_recent, self._arguments, self._outputs = True, arguments, outputs
            return bound(*arguments)

        return call

    def used(self) -> None:
        """Mark the last call as differentiated."""
        self.is_recent = False

    def sources(self) -> list[Any]:
        """Return the differentiable arrays in the arguments of the last call, in order."""
        parts = [part for value in self._arguments for part in self._framework.flatten(value)[0]]
        return [part for part in parts if self._framework.differentiable(part)]

    def again(self, *sources: Any) -> list[Any]:
        """Make the last call again with other values for its `sources`.

        Returns
        -------
        list
            The differentiable arrays among the outputs, in order.
        """
        left = iter(sources)
        differentiable = self._framework.differentiable
        arguments = []
        for value in self._arguments:
            parts, whole = self._framework.flatten(value)
            arguments.append(whole([next(left) if differentiable(p) else p for p in parts]))
        found = leaves.walk(self._outputs(*arguments), self._framework)
        arrays = [leaf.value for leaf in found if leaf.kind == leaves.ARRAY]
        return [array for array in arrays if differentiable(array)]
