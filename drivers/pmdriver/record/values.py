"""Say what is kept of a value: short texts, and the range of numbers."""

from __future__ import annotations

import math
import sys
from typing import Any

LONGEST_TEXT = 24
"""The most characters of a text that is kept: the name of a mode, a dtype, an einsum equation."""

MOST_READ = 1 << 20
"""The range of the numbers is read only from arrays with at most this many elements."""


class Unknown(Exception):
    """The value cannot be described; the message says what kind of value it is."""


def number_class(low: float, high: float) -> str:
    """Return the class of a range of floating-point numbers: "unit", "positive" or "any"."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return "any"
    if low >= 0 and high <= 1:
        return "unit"
    return "positive" if low > 0 else "any"


def number_range(value: Any, dtype: str) -> Any:
    """Return [min, max] of integers, the class of floating-point numbers, or None."""
    numpy = sys.modules.get("numpy")
    try:
        count = math.prod(value.shape)
        if numpy is None or count == 0 or count > MOST_READ or "complex" in dtype:
            return None
        if dtype.startswith("bool"):
            return None
        low, high = float(value.min()), float(value.max())
    except Exception:
        return None
    if "int" in dtype:
        return [int(low), int(high)]
    return number_class(low, high)
