"""Gradients of JAX: the last call of a case is linearised, then pulled back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import jax

from pmdriver.framework import Framework
from pmdriver.job.recall import Recall


class Gradients:
    """Differentiates the call that was made last.

    Attributes
    ----------
    last
        Remembers that call.
    is_tracing
        Whether the call is being traced: its outputs then have no values.
    """

    def __init__(self, framework: Framework) -> None:
        self.last = Recall(framework)
        self.is_tracing = False
        self._pull: Callable[..., Any] | None = None

    def forget(self) -> None:
        """Forget the last call."""
        self.last.forget()
        self._pull = None

    def prepare(self) -> None:
        """Linearise the last call, unless that was already done."""
        if not self.last.is_recent:
            return

        def forward(*sources: Any) -> list[Any]:
            self.is_tracing = True
            try:
                return self.last.again(*sources)
            finally:
                self.is_tracing = False

        _, self._pull = jax.vjp(forward, *self.last.sources())
        self.last.used()

    def pull(self, sources: Sequence[Any], cotangents: list[Any]) -> list[Any]:
        """Return the gradient of each source; each must be a source of the last call."""
        assert self._pull is not None
        found = list(zip(self.last.sources(), self._pull(cotangents)))
        return [next(g for value, g in found if value is source) for source in sources]
