"""Lowers what an eager run dispatches for a platform that is not here.

JAX knows how to lower for every platform that it supports, without its hardware. A whole call can
often not be lowered, because it looks at values while it runs; each computation that it dispatches
can, on its way to the compiler of the platform that is here. `jax.stages.Traced.lower` does the
same with ``lowering_platforms``. Nothing is serialised: `jax.export` refuses custom calls whose
form may change between versions, which says nothing about the platform.
"""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any

import jax
from jax._src.interpreters import pxla

from pmdriver.failure import message_of

#: What turns each computation into a module for the compiler.
_FUNCTION = "lower_sharding_computation"

_NO_KERNELS = re.compile(r"'NoneType' object has no attribute '\w+_descriptor'")


def _keywords(platform: str) -> dict[str, Any]:
    """Return its argument for the platform; empty if this version has none that is known."""
    function = getattr(pxla, _FUNCTION, None)
    known = {
        "lowering_platforms": (platform,),
        "lowering_platform": platform,  # 0.4.13
    }
    parameters = inspect.signature(function).parameters if function is not None else {}
    return {name: value for name, value in known.items() if name in parameters}


def missing() -> str:
    """Say in one line why this version of JAX cannot be measured so; an empty text if it can."""
    if _keywords(""):
        return ""
    return f"the driver does not know where JAX {jax.__version__} lowers a computation"


def not_lowerable(error: BaseException) -> str | None:
    """Say what this jaxlib lacks, which says nothing about the platform; None for other exceptions.

    Old versions write parameters of CUDA's kernels with a module that only jaxlib for CUDA has.
    """
    if isinstance(error, AttributeError) and _NO_KERNELS.fullmatch(message_of(error)):
        return "lowering needs kernels that only a jaxlib for the platform has"
    return None


class Lowering:
    """Lowers, between `begin` and `end`, every computation for a platform; one in a process.

    Attributes
    ----------
    platform
        JAX's name of it: ``"tpu"``.
    lowered
        How many computations were lowered since `begin`.
    """

    def __init__(self, platform: str) -> None:
        self.platform = platform
        self.lowered = 0
        self._active = False
        self._keywords = _keywords(platform)
        self._original = getattr(pxla, _FUNCTION)
        setattr(pxla, _FUNCTION, functools.wraps(self._original)(functools.partial(self._lower)))

    def begin(self) -> None:
        """Forget what is compiled, so that everything that is dispatched is lowered anew."""
        jax.clear_caches()
        self.lowered = 0
        self._active = True

    def end(self) -> None:
        """Lower nothing for the platform any more."""
        self._active = False

    def _lower(self, *arguments: Any, **keywords: Any) -> Any:
        if self._active:
            self._active = False  # what lowering itself computes is not the call's
            try:
                self._original(*arguments, **{**keywords, **self._keywords})
            finally:
                self._active = True
            self.lowered += 1
        return self._original(*arguments, **keywords)
