"""Doubts whether a call tests its function: of two cases that measure the same, fewer are better.

A call can be accepted, and can depend on its inputs, and still say little: its output is constant,
empty or one of its inputs, its inputs are single numbers, or it makes a function that is not
called. Such a case is kept only if no better one is found.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import Any

from pmdriver.census import inputs
from pmdriver.census.calls import Case
from pmdriver.framework import Framework
from pmdriver.job import leaves

#: The doubts, as bits of a number: a larger number is more doubt.
TYPE_ONLY, SMALL, SAME, CONSTANT, EMPTY, FUNCTION = 1, 1, 2, 4, 8, 16

#: The names of the types of functions, as leaves have them.
_FUNCTIONS = frozenset({"function", "method", "functools.partial"})

#: The most elements of an array that are looked at.
_MOST_ELEMENTS = 10_000


def of_values(
    framework: Framework, case: Case, walked: Sequence[leaves.Leaf], given: Sequence[list[Any]]
) -> int:
    """Return the doubts about a case that measures values.

    Parameters
    ----------
    framework
        Reads the arrays.
    case
        The case; one that changes its inputs is compared by these too, so its output can be any.
    walked
        The leaves of its output.
    given
        The digests of the arrays in each input and object before the call.
    """
    found = SMALL if _is_small(case) else 0
    if walked and walked[0].kind == leaves.CONTAINER and walked[0].value in _FUNCTIONS:
        return found | FUNCTION
    if case.repeat == "fresh":
        return found
    arrays = [leaf.value for leaf in walked if leaf.kind == leaves.ARRAY]
    if not arrays:
        return found | (EMPTY if is_empty(walked) else 0)
    with contextlib.suppress(Exception):
        inside = digests(framework, walked)
        known = {each for digest in given for each in digest}
        if inside in given or known.issuperset(inside):
            found |= SAME
        if all(_is_constant(framework, each) for each in arrays):
            found |= CONSTANT
    return found


def digests(framework: Framework, walked: Sequence[leaves.Leaf]) -> list[Any]:
    """Return the digests of the arrays in an output, in order."""
    arrays = [leaf.value for leaf in walked if leaf.kind == leaves.ARRAY]
    return [framework.digest(each)[1] for each in arrays]


def is_empty(walked: Sequence[leaves.Leaf]) -> bool:
    """Return whether an output has no part with a value: None, an empty text or container."""
    return all(
        leaf.kind == leaves.CONTAINER or (leaf.kind == leaves.VALUE and _is_nothing(leaf.value))
        for leaf in walked
    )


def _is_nothing(value: object) -> bool:
    """Return whether the JSON of a plain value says only that there is nothing."""
    if isinstance(value, dict):
        return all(isinstance(each, str) or _is_nothing(each) for each in value.values())
    return value is None or (isinstance(value, (list, str)) and not value)


def _is_small(case: Case) -> bool:
    """Return whether no input has more than one element."""
    specs = [inputs.parse(text) for text in case.inputs.values()]
    return not case.modules and all(
        spec is not None and math.prod(spec.shape) <= 1 for spec in specs
    )


def _is_constant(framework: Framework, array: object) -> bool:
    """Return whether all elements of an array are equal, or most are not finite.

    A single finite number is not constant.
    """
    buffer = framework.read(array)
    count = math.prod(buffer.shape)
    if buffer.data is None or not 0 < count <= _MOST_ELEMENTS:
        return False
    elements = inputs.numbers(buffer.dtype, bytes(buffer.data))
    if sum(map(math.isfinite, elements)) <= len(elements) / 2:
        return True
    return count > 1 and len(set(elements)) == 1
