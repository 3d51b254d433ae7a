"""Turns a call with concrete values, from a test or example, into a case with generated inputs."""

from __future__ import annotations

import math
import os
import re
import tempfile
from collections.abc import Sequence
from typing import Any, NamedTuple

from pmdriver.census import calls, inputs
from pmdriver.census.calls import Builder, Candidate, Case

#: The most characters in the text of an argument.
MOST_TEXT = 400

#: A name that Python's `tempfile` draws.
_DRAWN = re.compile(r"tmp[a-z0-9_]{8}")


class Cannot(Exception):
    """The value cannot be written as a text that reproduces it."""


class Call(NamedTuple):
    """A call in a test or an example, with its arguments as candidates.

    Attributes
    ----------
    own
        The object on which a method was called; None for other calls.
    arguments
        The name of each argument (empty if it is positional) and its candidate. For a class, these
        are the arguments that make the object.
    used
        For a class: the arguments of a call of its object; None if the object was only made.
    before
        The calls of `own` before this one: each a method, or empty for a call of the object
        itself, and the arguments.
    """

    arguments: list[tuple[str, Candidate]]
    own: Candidate | None = None
    used: list[tuple[str, Candidate]] | None = None
    before: Sequence[tuple[str, list[tuple[str, Candidate]]]] = ()


def _array(kit: Any, value: Any) -> Candidate:
    """Describe an array by the specification of an input."""
    framework = kit.framework
    if framework.kind(value):
        raise Cannot("an array of a subclass")
    buffer = framework.read(value)
    spec = None
    if buffer.data is not None:
        spec = inputs.describe(buffer.dtype, buffer.shape, bytes(buffer.data))
    if spec is None:
        raise Cannot(f"an array of {buffer.dtype}")
    return Candidate("{0}", (spec,))


def _plain(value: Any) -> str | None:
    """Return the text of a plain value of Python; None for any other value."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if value is None or value is Ellipsis or type(value) in (bool, int, float, str, complex):
        return repr(value)
    if isinstance(value, slice):
        parts = [_plain(each) for each in (value.start, value.stop, value.step)]
        return None if None in parts else f"slice({', '.join(map(str, parts))})"
    if type(value) is range:
        return repr(value)
    return None


def _in_tmp(text: str) -> str:
    """Return a path in the folder for temporary files as a path in the case's own, `$tmp`.

    The folder exists only while the census is made, and other users can write to ``/tmp``.
    """
    for folder in (tempfile.gettempdir(), "/tmp"):
        if text.startswith(folder + os.sep):
            name = os.path.basename(text.rstrip(os.sep))
            return f"$tmp/{_DRAWN.sub('file', name)}"
    return text


def together(parts: Sequence[Candidate], form: str) -> Candidate:
    """Insert the candidates of parts into `form`, which has a ``%s`` for each part."""
    texts, specs = [], []
    for part in parts:
        text = part.text
        for place in reversed(range(len(part.specs))):
            text = text.replace(calls.slot(place), calls.slot(place + len(specs)))
        texts.append(text)
        specs += part.specs
    return Candidate(form % tuple(texts), tuple(specs))


def value(kit: Any, given: Any, depth: int = 0) -> Candidate:
    """Return a candidate that reproduces a value.

    Raises
    ------
    Cannot
        The value cannot be reproduced.
    """
    if depth > 4:
        raise Cannot("too many levels")
    special = kit.special(given)
    if special is not None:
        return special
    text = _plain(_in_tmp(given) if type(given) is str else given)
    if text is None:
        text = kit.dtype_text(given)
    if text is not None:
        if len(text) > MOST_TEXT:
            raise Cannot("a long text")
        return Candidate(text)
    if kit.framework.is_array(given):
        return _array(kit, given)
    if type(given) in (list, tuple) and len(given) <= 40:
        parts = [value(kit, each, depth + 1) for each in given]
        inside = ", ".join(["%s"] * len(parts))
        if type(given) is list:
            return together(parts, f"[{inside}]")
        return together(parts, f"({inside},)" if len(parts) == 1 else f"({inside})")
    if type(given) is dict and len(given) <= 20 and all(type(key) is str for key in given):
        parts = [value(kit, each, depth + 1) for each in given.values()]
        inside = ", ".join(repr(key).replace("%", "%%") + ": %s" for key in given)
        return together(parts, "{" + inside + "}")
    raise Cannot(f"a {type(given).__name__}")


def arguments(kit: Any, args: Any, kwargs: Any) -> list[tuple[str, Candidate]]:
    """Return the arguments of a call as candidates.

    Raises
    ------
    Cannot
        An argument cannot be reproduced.
    """
    found = [("", value(kit, each)) for each in args]
    return found + [(name, value(kit, each)) for name, each in kwargs.items()]


def _text(given: list[tuple[str, Candidate]], names: list[str], builder: Builder) -> str:
    found = []
    for place, (name, candidate) in enumerate(given):
        own = name or (names[place] if place < len(names) else f"x{place}")
        text = builder.argument(own, candidate)
        found.append(f"{name}={text}" if name else text)
    return ", ".join(found)


def _names(item: Any, has_own: bool) -> list[str]:
    """Return names for the arguments by position."""
    longest = max(item.signatures, key=len, default=[])
    names = [each.name for each in longest if each.kind == "pos"]
    return names[1:] if has_own and names else names


def cases(kit: Any, item: Any, call: Call) -> tuple[calls.Made | None, list[Case]]:
    """Return the object that a call makes, and its cases: an object may be used in several ways."""
    builder = Builder(item.imports)
    bare = item.name.rpartition(".")[2]
    if call.own is not None:
        own = builder.argument("x", call.own)
        for method, given in call.before:
            function = f"{own}.{method}" if method else own
            builder.setup.append(f"{function}({_text(given, [], builder)})")
        names = _names(item, True)
        return None, [builder.case(f"{own}.{bare}({_text(call.arguments, names, builder)})")]
    text = f"{item.text}({_text(call.arguments, _names(item, False), builder)})"
    if item.kind != "class":
        return None, [builder.case(text)]
    case = builder.case(text)
    built = kit.value(case)
    made = calls.Made(case, kit.is_module(built))
    if call.used is None:
        return made, list(kit.uses(built, case))
    own = builder.name("m")
    builder.setup.append(f"{own} = {text}")
    if kit.is_module(built):
        builder.modules.append(own)
    return made, [builder.case(f"{own}({_text(call.used, ['x', 'y', 'z'], builder)})")]


def try_call(kit: Any, item: Any, call: Call, found: Any) -> None:
    """Judge the cases of a call; if one is refused, also try other kinds of matrices.

    Parameters
    ----------
    kit, item
        The framework's kit, and the item for which a case is made.
    call
        The recorded call.
    found
        A `pmdriver.census.search.Found`.
    """
    made, uses = cases(kit, item, call)
    for case in uses[:6]:
        before = found.accepted
        found.use(made, case, lambda case=case: kit.judge(case))
        if found.is_over:
            return
        if found.accepted == before:
            for other in _with_other_matrices(case):
                found.take(lambda other=other: kit.judge(other))
                if found.is_over:
                    return


def _with_other_matrices(case: calls.Case) -> list[Case]:
    """Return the case once for each special kind of square matrix; [] without square inputs."""
    options = {name: inputs.alternatives(spec) for name, spec in case.inputs.items()}
    if not any(options.values()):
        return []
    return [
        case._replace(
            inputs={
                name: options[name][at] if options[name] else spec
                for name, spec in case.inputs.items()
            }
        )
        for at in range(3)
    ]
