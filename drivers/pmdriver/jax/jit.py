"""The variant ``+jit`` of JAX: the call under `jax.jit`, with its inputs as arguments."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Callable

import jax

try:
    from jax.extend.core import Literal
except ImportError:  # before 0.4.14
    from jax.core import Literal

from pmdriver.failure import NotApplicable, message_of

#: The exceptions that JAX raises if a call reads the value of an array that it traces.
_UNTRACEABLE = (
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.UnexpectedTracerError,
)

#: What a `TypeError` says if an argument or a result is not an array that JAX can trace.
_NO_ARRAY = "not a valid JAX type"


class Static:
    """A static argument: calls with equal static arguments share the compiled function."""

    def __init__(self, value: Any) -> None:
        self.value = value
        is_array = hasattr(value, "tobytes")
        self._key = (str(value.dtype), value.shape, value.tobytes()) if is_array else repr(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


class Jit:
    """Compiles calls, and looks at what was traced."""

    def __init__(self) -> None:
        self._jitted: Any = None
        self._function: Callable[..., Any] | None = None
        self._static: tuple[int, ...] = ()
        self._arguments: Sequence[Any] = ()

    def bind(self, function: Callable[..., Any], static: Collection[int]) -> Callable[..., Any]:
        """Wrap a function, which is then compiled when it is first called.

        Parameters
        ----------
        function
            Its parameters are the inputs of the case.
        static
            The positions of the inputs that are not on the device: shapes, axes, counts.
        """

        def opened(*arguments: Any) -> Any:
            return function(*[a.value if isinstance(a, Static) else a for a in arguments])

        self._function, self._static = opened if static else function, tuple(sorted(static))
        if not static:
            self._jitted = jitted = jax.jit(function)

            def call(*arguments: Any) -> Any:
                self._arguments = arguments
                return jitted(*arguments)

            return call

        self._jitted = jitted = jax.jit(opened, static_argnums=self._static)
        made: dict[int, Static] = {}  # by the id of the value, which the Static keeps alive

        def wrapped(value: Any) -> Static:
            if id(value) not in made:
                made[id(value)] = Static(value)
            return made[id(value)]

        def call_with_static(*arguments: Any) -> Any:
            self._arguments = [wrapped(a) if i in static else a for i, a in enumerate(arguments)]
            return jitted(*self._arguments)

        return call_with_static

    def verify(self, has_setup: bool) -> None:
        """Check the program to which the last call was traced.

        Parameters
        ----------
        has_setup
            Whether a text of the case makes objects before the call. If not, arrays that are
            constants belong to the call: they are its literals, or inputs on the host.

        Raises
        ------
        NotApplicable
            The call depends on no input, or has arrays of the setup as constants, so that the
            compiler may compute the result.
        """
        traced = self._trace()
        lifted = getattr(traced, "_consts", ())  # constants that are the first parameters
        held = [v for v in [*traced.jaxpr.consts, *lifted] if getattr(v, "size", 0) > 1]
        if held and has_setup:
            raise NotApplicable(
                f"jit turns {len(held)} arrays of 'setup' into constants: name them in 'arguments'"
                if len(held) > 1
                else "jit turns 1 array of 'setup' into a constant: name it in 'arguments'"
            )
        if not depends_on_inputs(getattr(traced.jaxpr, "jaxpr", traced.jaxpr), len(lifted)):
            raise NotApplicable("the compiled call depends on no input")

    def _trace(self) -> Any:
        if hasattr(self._jitted, "trace"):
            return self._jitted.trace(*self._arguments)
        return _Traced(jax.make_jaxpr(self._function, self._static)(*self._arguments))


class _Traced:
    """Replaces, in older versions, what `jax.jit(...).trace` returns since JAX 0.4.36."""

    def __init__(self, jaxpr: Any) -> None:
        self.jaxpr = jaxpr


def depends_on_inputs(jaxpr: Any, lifted: int) -> bool:
    """Return whether a result of a traced function depends on one of its arguments.

    Parameters
    ----------
    jaxpr
        The function.
    lifted
        How many of its first parameters are constants.
    """
    known = {id(variable) for variable in jaxpr.invars[lifted:]}
    for equation in jaxpr.eqns:
        if any(id(v) in known for v in equation.invars if not isinstance(v, Literal)):
            known.update(id(variable) for variable in equation.outvars)
    return any(id(v) in known for v in jaxpr.outvars if not isinstance(v, Literal))


def not_traceable(error: BaseException) -> str | None:
    """Say why JAX cannot trace the call; None for other exceptions."""
    text = message_of(error)
    if isinstance(error, _UNTRACEABLE) or (isinstance(error, TypeError) and _NO_ARRAY in text):
        return "not traceable: " + text.strip().split("\n")[0]
    return None
