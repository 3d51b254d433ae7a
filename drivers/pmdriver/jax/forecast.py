"""JAX in a forecast: each computation is lowered for the platform, as ``jax@lower-NAME`` does."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any, Callable

import jax
import jax.numpy as jnp
from jax._src import xla_bridge

from pmdriver.failure import summary
from pmdriver.forecast import registry
from pmdriver.forecast.registry import Lack, Registry
from pmdriver.framework import MOST_REASON
from pmdriver.jax import lowering

#: What JAX's message says if a primitive has no lowering rule.
_NO_RULE = "translation rule"


#: The platform of a plug-in; JAX lists it only if the plug-in is installed.
_METAL = "METAL"


def _why_not(device: str) -> str:
    known = sorted({*xla_bridge.known_platforms(), _METAL})
    if device not in known:
        return f"JAX {jax.__version__} has no platform '{device}': use one of {', '.join(known)}"
    try:
        jax.jit(jnp.add).trace(1.0, 1.0).lower(lowering_platforms=(device,))
    except Exception as error:
        return f"JAX cannot lower for '{device}': {summary(error, MOST_REASON)}"
    return ""


def _in_child(ask: Callable[[], str]) -> str:
    """Return what `ask` returns in a forked child.

    `ask` makes JAX start threads, and children of a process with threads hang.
    """
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(theirs, ask().encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, encoding="utf-8") as answer:
        found = answer.read()
    _, status = os.waitpid(child, 0)
    return found if status == 0 else "JAX ended the process that lowered a sum"


class JaxRegistry(Registry):
    """Lowers each computation for a platform."""

    def __init__(self, framework: Any) -> None:
        super().__init__(framework)
        self._lowerings: dict[str, lowering.Lowering] = {}
        self._platform = ""
        self._lowered: dict[str, int] = {}

    def unknown(self, device: str) -> str:
        """Say why JAX cannot lower for the platform; empty if it can lower a sum."""
        missing = lowering.missing()
        if missing:
            return missing
        return _in_child(lambda: _why_not(device))

    def passes(self, devices: list[str]) -> list[list[str]]:
        """Put each platform in a group of its own: a case is executed once for each."""
        return [[device] for device in devices]

    def begin(self, devices: list[str]) -> None:
        """Choose the platform for which the next case is lowered."""
        (self._platform,) = devices
        self._lowered.clear()
        if self._platform not in self._lowerings:
            self._lowerings[self._platform] = lowering.Lowering(self._platform)

    @contextlib.contextmanager
    def record(self, stage: str) -> Iterator[None]:
        """Lower the computations of the call, but not those of the setup."""
        if stage != registry.CALL:
            yield
            return
        own = self._lowerings[self._platform]
        own.begin()
        try:
            yield
        finally:
            own.end()
            self._lowered[stage] = 0 if own.why_nothing() else own.lowered

    def operations(self, stage: str) -> int:
        """Count the computations that were lowered; 0 if they say nothing about the platform."""
        return self._lowered.get(stage, 0)

    def lacks(self, stage: str, device: str) -> list[Lack]:
        """Return an empty list: JAX raises if the platform lacks something."""
        return []

    def refusal(self, error: Exception, device: str) -> Lack | None:
        """Return the missing lowering rule or custom call that an exception shows, or None."""
        if lowering.not_lowerable(error):
            return None
        is_refusal = isinstance(error, NotImplementedError) or _NO_RULE in str(error)
        return Lack(registry.LOWERING, summary(error, MOST_REASON)) if is_refusal else None


REGISTRY = JaxRegistry
