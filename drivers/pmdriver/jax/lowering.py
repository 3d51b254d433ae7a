"""Lowers the computations of an eager run for a platform that this machine does not have.

JAX can lower for every platform that it supports, without the platform's hardware. Often a whole
call cannot be lowered, because it reads values while it runs. But each computation that the call
dispatches can be lowered when JAX compiles it for the host. `jax.stages.Traced.lower` does the
same with ``lowering_platforms``. Nothing is serialised: `jax.export` refuses custom calls whose
form may change between versions, which says nothing about the platform.

Lowering says nothing about the platform in three situations. A computation calls Python, which
runs on the host: JAX lowers it only on the machine that will run it. A custom call is lowered
although the platform may not have it (``customcalls.py``). A call starts no computation.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterator
from typing import Any

import jax
from jax._src.interpreters import pxla

from pmdriver.failure import message_of
from pmdriver.jax import customcalls

#: The function of JAX that turns each computation into a module for the compiler.
_FUNCTION = "lower_sharding_computation"

_NO_KERNELS = re.compile(r"'NoneType' object has no attribute '\w+_descriptor'")


def _keywords(platform: str) -> dict[str, Any]:
    """Return the argument of `_FUNCTION` that sets the platform; empty if it has none."""
    function = getattr(pxla, _FUNCTION, None)
    known = {
        "lowering_platforms": (platform,),
        "lowering_platform": platform,  # 0.4.13
    }
    parameters = inspect.signature(function).parameters if function is not None else {}
    return {name: value for name, value in known.items() if name in parameters}


def missing() -> str:
    """Say in one line why this version of JAX cannot be measured in this way; empty if it can."""
    if _keywords(""):
        return ""
    return f"the driver does not know where JAX {jax.__version__} lowers a computation"


def not_lowerable(error: BaseException) -> str | None:
    """Say what this jaxlib lacks if an exception shows it; None for other exceptions.

    Such a lack says nothing about the platform: old versions write parameters of CUDA's kernels
    with a module that only a jaxlib for CUDA has.
    """
    if isinstance(error, AttributeError) and _NO_KERNELS.fullmatch(message_of(error)):
        return "lowering needs kernels that only a jaxlib for the platform has"
    return None


#: Primitives by which a computation calls Python, on the host.
CALLBACKS = ("pure_callback", "io_callback", "debug_callback", "debug_print")

#: A custom call in the text of a module, in either form of MLIR.
_CUSTOM_CALL = re.compile(r'custom_call @"?([^"( ]+)|call_target_name = "([^"]+)"')


class NoCustomCall(NotImplementedError):
    """The platform lacks a custom call that was lowered for it."""


def primitives(jaxpr: Any) -> Iterator[str]:
    """Name the primitives of a computation, and of those within it."""
    for equation in getattr(jaxpr, "jaxpr", jaxpr).eqns:
        yield equation.primitive.name
        for value in equation.params.values():
            for inner in value if isinstance(value, (tuple, list)) else (value,):
                if hasattr(inner, "eqns") or hasattr(inner, "jaxpr"):
                    yield from primitives(inner)


class Lowering:
    """Lowers, between `begin` and `end`, every computation for a platform.

    At most one object at a time may be between `begin` and `end`.

    Attributes
    ----------
    platform
        JAX's name of the platform: ``"tpu"``.
    lowered
        How many computations were lowered since `begin`.
    on_host, unknown
        Since `begin`: the primitives that call Python on the host, and the custom calls that are on
        no list.
    """

    def __init__(self, platform: str) -> None:
        self.platform = platform
        self._forget()
        self._active = False
        self._keywords = _keywords(platform)
        self._original = getattr(pxla, _FUNCTION)
        setattr(pxla, _FUNCTION, functools.wraps(self._original)(functools.partial(self._lower)))

    def begin(self) -> None:
        """Clear JAX's caches and the counts, so that every dispatched computation is lowered."""
        jax.clear_caches()
        self._forget()
        self._active = True

    def _forget(self) -> None:
        self.lowered = 0
        self.on_host: list[str] = []
        self.unknown: list[str] = []

    def why_nothing(self) -> str:
        """Say in one line why the lowering says nothing about the platform; empty if it does."""
        if self.on_host:
            return (
                "the call runs Python on the host, which JAX does not lower for another machine: "
                + _list(self.on_host)
            )
        if self.unknown:
            return f"portmeter does not know the platforms of {_named(self.unknown)}"
        return "" if self.lowered else "the call starts no computation that could be lowered"

    def end(self) -> None:
        """Stop lowering for the platform."""
        self._active = False

    def _lower(self, *arguments: Any, **keywords: Any) -> Any:
        if self._active:
            self._active = False  # computations of the lowering itself do not belong to the call
            try:
                self._lower_here(arguments, keywords)
            finally:
                self._active = True
        return self._original(*arguments, **keywords)

    def _lower_here(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        """Lower a computation for the platform, unless it calls Python.

        Raises
        ------
        NoCustomCall
            The module has a custom call that only other platforms have.
        """
        callbacks = [name for name in _of_first(arguments) if name in CALLBACKS]
        if callbacks:
            self.on_host += callbacks
            return
        module = self._original(*arguments, **{**keywords, **self._keywords})
        self.lowered += 1
        names = custom_calls(module)
        self.unknown += customcalls.unknown(self.platform, names)
        missing = customcalls.lacking(self.platform, names)
        if missing:
            raise NoCustomCall(
                f"platform {self.platform} has no {_named(missing)}, which JAX lowered"
            )


def custom_calls(lowered: Any) -> list[str]:
    """Name the custom calls of a lowered computation; empty if JAX does not show its text."""
    module = lowered.stablehlo() if hasattr(lowered, "stablehlo") else None
    found = _CUSTOM_CALL.findall(str(module)) if module is not None else []
    return list(dict.fromkeys(pretty or generic for pretty, generic in found))


def _of_first(arguments: tuple[Any, ...]) -> Iterator[str]:
    """Name the primitives of the computation that is lowered, the first argument."""
    first = arguments[0] if arguments else None
    return primitives(first) if hasattr(first, "jaxpr") or hasattr(first, "eqns") else iter(())


def _list(names: list[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _named(custom_calls: list[str]) -> str:
    return f"custom call{'s' if len(set(custom_calls)) > 1 else ''} {_list(custom_calls)}"
