"""Generates inputs from their specifications, and describes arrays by specifications.

The values differ from those of the generator in C, which a run uses: they only have the same
distribution. A census asks whether a call accepts such inputs and depends on them.
"""

from __future__ import annotations

import math
import random
import re
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_SPEC = re.compile(r"(\w+)\[([\d,]*)\] (\w+(?: \w+)*?)(?:\(([^)]*)\))?( on host)?\Z")

#: How `struct` writes an element of a dtype.
FORMATS = {
    "bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B",
    "uint16": "H", "uint32": "I", "uint64": "Q", "float16": "e", "float32": "f", "float64": "d",
}  # fmt: skip

#: The most rows of a matrix whose kind is found.
_MOST_ROWS = 16
#: The most elements of an array that is described.
MOST_ELEMENTS = 40_000


class Spec(NamedTuple):
    """A parsed specification."""

    dtype: str
    shape: tuple[int, ...]
    distribution: str
    arguments: tuple[float, ...]
    on_host: bool


def parse(text: str) -> Spec | None:
    """Parse a specification of an array; None for any other input (a key, a literal)."""
    match = _SPEC.match(text)
    if match is None:
        return None
    dtype, shape, distribution, arguments, host = match.groups()
    sizes = tuple(int(each) for each in shape.split(",") if each)
    numbers = tuple(float(each) for each in (arguments or "").split(",") if each)
    return Spec(dtype, sizes, distribution, numbers, bool(host))


def all_on_host(given: Mapping[str, str]) -> dict[str, str]:
    """Return the inputs, all of them on the host."""
    return {
        name: text if text.endswith(" on host") or parse(text) is None else f"{text} on host"
        for name, text in given.items()
    }


def _matrix(distribution: str, n: int, draw: random.Random) -> list[float]:
    """Return the elements of an n by n matrix of this distribution, row by row."""
    rows = [[draw.gauss(0, 1) for _ in range(n)] for _ in range(n)]
    if distribution == "triangular":
        return [
            (1 + draw.random() if i == j else rows[i][j] if j < i else 0.0)
            for i in range(n)
            for j in range(n)
        ]
    if distribution == "orthogonal":
        for i in range(n):
            for j in range(i):
                dot = sum(a * b for a, b in zip(rows[i], rows[j]))
                rows[i] = [a - dot * b for a, b in zip(rows[i], rows[j])]
            length = math.sqrt(sum(a * a for a in rows[i]))
            rows[i] = [a / length for a in rows[i]]
        return [each for row in rows for each in row]
    return [
        sum(a * b for a, b in zip(rows[i], rows[j])) / n + (1.0 if i == j else 0.0)
        for i in range(n)
        for j in range(n)
    ]


#: By dtype: the largest number, the smallest normal one, and the smallest of all.
_LIMITS = {
    "float16": (65504.0, 2.0**-14, 2.0**-24),
    "bfloat16": (float.fromhex("0x1.fep127"), 2.0**-126, 2.0**-133),
    "float32": (float.fromhex("0x1.fffffep127"), 2.0**-126, 2.0**-149),
    "float64": (float.fromhex("0x1.fffffffffffffp1023"), 2.0**-1022, 2.0**-1074),
}


def _specials(dtype: str) -> list[float]:
    """Return the special values of a dtype, in the order of the distribution `special`."""
    own = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    if own in _LIMITS:
        largest, normal, least = _LIMITS[own]
        subnormal = normal - least
        return [
            math.nan, math.inf, -math.inf, -0.0, 0.0, largest, -largest, least, -least, subnormal,
            normal, -normal,
        ]  # fmt: skip
    if dtype == "bool":
        return [1, 0]
    is_signed = dtype.startswith("int")
    largest = 2 ** (8 * struct.calcsize(FORMATS[dtype]) - is_signed) - 1
    found = [largest, 0, 1, largest - 1, -1 if is_signed else largest // 2 + 1]
    return [*found, -largest - 1, -largest] if is_signed else found


def _special(spec: Spec, count: int, draw: random.Random) -> list[Any]:
    """Return special values at the even places, and ordinary ones between them."""
    own = _specials(spec.dtype)
    if spec.dtype in _LIMITS or spec.dtype.startswith("complex"):
        found: list[Any] = [
            draw.gauss(0, 1) if at % 2 else own[at // 2 % len(own)] for at in range(count)
        ]
        if spec.dtype.startswith("complex"):
            return [
                (x, draw.gauss(0, 1) if at % 2 else own[(at // 2 + 1) % len(own)])
                for at, x in enumerate(found)
            ]
        return found
    low, high = (-50, 50) if -1 in own else (0, 2 if spec.dtype == "bool" else 100)
    return [draw.randrange(low, high) if at % 2 else own[at // 2 % len(own)] for at in range(count)]


def values(spec: Spec, seed: int, shift: bool = False) -> list[Any]:
    """Return the elements, in C order; complex ones as pairs.

    Parameters
    ----------
    spec
        What to generate.
    seed
        Determines the values of the random distributions.
    shift
        Change the values of the distributions that are not random.
    """
    draw = random.Random(f"{seed} {spec.dtype} {spec.shape}")
    count = math.prod(spec.shape)
    low, high = (*spec.arguments, 0.0, 1.0)[:2] if len(spec.arguments) > 1 else (0.0, 1.0)
    kind, is_complex = spec.distribution, spec.dtype.startswith("complex")
    if kind in ("spd", "orthogonal", "triangular"):
        n = spec.shape[-1]
        found: list[Any] = []
        for _ in range(count // (n * n) if n else 0):
            found += _matrix(kind, n, draw)
        return [(x, 0.0) for x in found] if is_complex else found
    if kind == "permutation":
        n = spec.shape[-1] if spec.shape else 1
        return [x for _ in range(count // max(n, 1)) for x in draw.sample(range(n), n)]
    if kind == "special":
        found = _special(spec, count, draw)
        return found[1:] + found[:1] if shift else found
    if kind == "range":
        found = list(range(count))
        return found[::-1] if shift else found
    if kind in ("zeros", "ones", "full"):
        value = {"zeros": 0.0, "ones": 1.0}.get(kind, (*spec.arguments, 0.0)[0])
        value = value + (1 if shift else 0)
        return [(value, 0.0) if is_complex else value] * count
    draws = {
        "normal": lambda: draw.gauss(*(spec.arguments or (0.0, 1.0))),
        "uniform": lambda: low + (high - low) * draw.random(),
        "integers": lambda: draw.randrange(int(low), max(int(high), int(low) + 1)),
        "bernoulli": lambda: draw.random() < (*spec.arguments, 0.5)[0],
    }[kind]
    return [(draws(), draws()) if is_complex else draws() for _ in range(count)]


def data(spec: Spec, elements: Sequence[Any]) -> bytes:
    """Return elements as bytes, little-endian."""
    if spec.dtype == "bfloat16":
        return b"".join(struct.pack("<f", x)[2:] for x in elements)
    if spec.dtype.startswith("complex"):
        form = "<ff" if spec.dtype == "complex64" else "<dd"
        return b"".join(struct.pack(form, *pair) for pair in elements)
    form = FORMATS[spec.dtype]
    is_whole = form in "bhiqBHIQ"
    numbers = [bool(x) if form == "?" else int(x) if is_whole else x for x in elements]
    return struct.pack(f"<{len(numbers)}{form}", *numbers)


# ------------------------------------------------------------------------ arrays to descriptions


def _number(value: float) -> str:
    """Write a number for a specification, with 4 significant digits."""
    text = f"{value:.4g}"
    return str(int(float(text))) if float(text) == int(float(text)) else text


def numbers(dtype: str, raw: bytes) -> list[float]:
    """Return the elements in `raw`; for each complex number its real part, then the imaginary."""
    form = {"complex64": "f", "complex128": "d"}.get(dtype, FORMATS.get(dtype, ""))
    if dtype == "bfloat16":
        return [struct.unpack("<f", b"\0\0" + raw[i : i + 2])[0] for i in range(0, len(raw), 2)]
    return list(struct.unpack(f"<{len(raw) // struct.calcsize(form)}{form}", raw))


def describe(dtype: str, shape: Sequence[int], raw: bytes) -> str | None:
    """Return a specification that generates arrays like this one; None if none can do so.

    Parameters
    ----------
    dtype, shape, raw
        As in `pmdriver.framework.Buffer`.
    """
    if (dtype not in FORMATS and dtype not in ("bfloat16", "complex64", "complex128")) or (
        math.prod(shape) > MOST_ELEMENTS
    ):
        return None
    head = f"{dtype}[{','.join(map(str, shape))}]"
    found = [x for x in numbers(dtype, raw) if not isinstance(x, float) or math.isfinite(x)]
    if not found:
        return f"{head} zeros"
    if dtype == "bool":
        return f"{head} bernoulli(0.5)"
    low, high = min(found), max(found)
    if FORMATS.get(dtype, "f") in "bhiqBHIQ":
        last = shape[-1] if shape else 1
        if len(found) == math.prod(shape) > 1 and found == list(range(len(found))):
            return f"{head} range" if low == 0 else f"{head} integers({low},{high + 1})"
        if last > 1 and sorted(found[:last]) == list(range(last)) and high == last - 1:
            return f"{head} permutation"
        return f"{head} full({low})" if low == high else f"{head} integers({low},{high + 1})"
    if low == high:
        return f"{head} full({_number(low)})"
    special = _kind_of_matrix(shape, found)
    if special:
        return f"{head} {special}"
    low_text, high_text = _number(low), _number(high)
    if float(low_text) >= float(high_text):
        return f"{head} full({low_text})"
    return f"{head} uniform({low_text},{high_text})"


def _kind_of_matrix(shape: Sequence[int], elements: Sequence[float]) -> str:
    """Return ``spd`` or ``triangular`` if all matrices in an array are so; empty for others."""
    n = shape[-1] if len(shape) > 1 and shape[-1] == shape[-2] else 0
    if not 1 < n <= _MOST_ROWS or len(elements) != math.prod(shape):
        return ""
    size = n * n
    matrices = [
        [elements[at + i * n : at + i * n + n] for i in range(n)]
        for at in range(0, len(elements), size)
    ]
    if all(map(_is_positive_definite, matrices)):
        return "spd"
    return "triangular" if all(map(_is_lower, matrices)) else ""


def _is_lower(rows: Sequence[Sequence[float]]) -> bool:
    """Return whether a matrix is lower triangular, but not diagonal, and can be inverted."""
    n = len(rows)
    below = [rows[i][j] for i in range(n) for j in range(i)]
    above = [rows[j][i] for i in range(n) for j in range(i)]
    return not any(above) and any(below) and all(rows[i][i] for i in range(n))


def _is_positive_definite(rows: Sequence[Sequence[float]]) -> bool:
    """Return whether a matrix is symmetric, but not diagonal, and Cholesky's method succeeds."""
    n, largest = len(rows), max(abs(x) for row in rows for x in row)
    pairs = [(rows[i][j], rows[j][i]) for i in range(n) for j in range(i)]
    if any(abs(a - b) > 1e-4 * largest for a, b in pairs) or not any(a for a, _ in pairs):
        return False
    factor = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            left = rows[i][j] - sum(factor[i][k] * factor[j][k] for k in range(j))
            if i == j and left <= 0:
                return False
            factor[i][j] = math.sqrt(left) if i == j else left / factor[j][j]
    return True


def alternatives(spec: str) -> list[str]:
    """Return specifications to try if a function does not accept the described array."""
    parsed = parse(spec)
    if parsed is None or parsed.dtype[:2] not in ("fl", "co") or len(parsed.shape) < 2:
        return []
    if parsed.shape[-1] != parsed.shape[-2] or parsed.shape[-1] < 1:
        return []
    head = spec.split(" ")[0]
    return [f"{head} spd", f"{head} triangular", f"{head} orthogonal"]
