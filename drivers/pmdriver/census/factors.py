"""Finds the outputs of decompositions that are not unique, and how they can be compared.

Each eigenvector may have another sign, or for complex numbers another factor of absolute value 1,
and so may each pair of singular vectors and each column of Q in a QR decomposition. Such outputs
are found by the equation that the factors satisfy, not by the name of the function: the equation
still holds with the other signs. Unique factors, such as those of a polar or an LU decomposition,
satisfy none of these equations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Callable, NamedTuple

from pmdriver.census import inputs
from pmdriver.framework import Framework
from pmdriver.job import leaves

#: The most rows and columns of a matrix that is examined, and the most arrays of an output.
MOST_SIZE, MOST_ARRAYS = 16, 8
#: The largest error of an equation, relative to the largest element.
MOST_ERROR = 1e-3

#: The tolerance of factors in single precision: they have the errors of an iteration, divided by
#: the distance of two eigenvalues or singular values. The reviewed suites use the same tolerance.
TOLERANCE = {"rtol": 1e-3, "atol": 1e-4}

_Matrix = list[list[complex]]


class Form(NamedTuple):
    """How a decomposition is compared: keys of the case."""

    output: str
    compare: dict[str, str]
    tolerance: dict[str, float] | None


class _Array(NamedTuple):
    """A part of the output or an input: its matrices or vectors (as matrices of one row)."""

    path: str
    dims: int
    parts: list[_Matrix]
    is_single: bool
    is_complex: bool

    @property
    def size(self) -> tuple[int, int]:
        return len(self.parts[0]), len(self.parts[0][0])


def free(framework: Framework, given: Sequence[Any], walked: Sequence[leaves.Leaf]) -> Form | None:
    """Return how to compare an output with factors that are not unique; None for other outputs.

    Parameters
    ----------
    framework
        Reads the arrays.
    given
        The inputs of the call.
    walked
        The leaves of its output, with paths that begin with ``out``.
    """
    arrays = [leaf for leaf in walked if leaf.kind == leaves.ARRAY]
    if not 2 <= len(arrays) <= MOST_ARRAYS:
        return None
    found = [each for each in (_read(framework, a.path, a.value) for a in arrays) if each]
    for value in given:
        whole = _read(framework, "", value)
        if whole is None or whole.dims < 2:
            continue
        for one in _variants(whole):
            # Singular vectors of a positive definite matrix are its eigenvectors: they come first.
            for find in (_singular_vectors, _orthogonal_triangular, _similar, _eigenvectors):
                form = find(one, found)
                if form is not None:
                    return form
    return None


def _read(framework: Framework, path: str, value: Any) -> _Array | None:
    """Return the elements of a small array of numbers; None for any other value."""
    if not framework.is_array(value):
        return None
    buffer = framework.read(value)
    shape, is_complex = tuple(buffer.shape), buffer.dtype.startswith("complex")
    known = is_complex or buffer.dtype == "bfloat16" or inputs.FORMATS.get(buffer.dtype, "?") != "?"
    if not known or buffer.data is None or not shape or 0 in shape:
        return None
    if max(shape[-2:]) > MOST_SIZE or math.prod(shape) > MOST_SIZE**3:
        return None
    elements: list[complex] = list(inputs.numbers(buffer.dtype, bytes(buffer.data)))
    if is_complex:
        elements = [complex(*pair) for pair in zip(elements[::2], elements[1::2])]
    columns, rows = shape[-1], shape[-2] if len(shape) > 1 else 1
    lines = [elements[i : i + columns] for i in range(0, len(elements), columns)]
    is_single = buffer.dtype in ("float32", "complex64")
    parts = [lines[i : i + rows] for i in range(0, len(lines), rows)]
    return _Array(path, len(shape), parts, is_single, is_complex)


def _variants(whole: _Array) -> Iterator[_Array]:
    """Yield a matrix, and the Hermitian matrices of its lower part, its upper part and both."""
    yield whole
    rows, columns = whole.size
    if rows != columns:
        return
    for pick in (
        lambda x, y, is_lower: x if is_lower else y,
        lambda x, y, is_lower: y if is_lower else x,
        lambda x, y, is_lower: (x + y) / 2,
    ):
        yield whole._replace(parts=[_hermitian(each, pick) for each in whole.parts])


def _hermitian(a: _Matrix, pick: Callable[[complex, complex, bool], complex]) -> _Matrix:
    """Return the Hermitian matrix with elements that `pick` chooses from pairs in `a`."""
    count = range(len(a))
    return [
        [
            complex(a[i][i]).real if i == j else pick(a[i][j], a[j][i].conjugate(), i > j)
            for j in count
        ]
        for i in count
    ]


# ----------------------------------------------------------------------------------- arithmetic


def _product(a: _Matrix, b: _Matrix) -> _Matrix:
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def _adjoint(a: _Matrix) -> _Matrix:
    return [[complex(x).conjugate() for x in column] for column in zip(*a)]


def _scaled(a: _Matrix, factors: Sequence[complex]) -> _Matrix:
    return [[x * f for x, f in zip(row, factors)] for row in a]


def _cut(a: _Matrix, rows: int, columns: int) -> _Matrix:
    return [row[:columns] for row in a[:rows]]


def _equal(a: _Matrix, b: _Matrix) -> bool:
    if len(a) != len(b) or len(a[0]) != len(b[0]):
        return False
    largest = max(abs(x) for row in (*a, *b) for x in row)
    errors = [abs(x - y) for one, other in zip(a, b) for x, y in zip(one, other)]
    return all(error <= MOST_ERROR * largest for error in errors)


def _is_orthonormal(a: _Matrix) -> bool:
    """Return whether the columns have length 1 and are orthogonal."""
    count = len(a[0])
    unit = [[complex(i == j) for j in range(count)] for i in range(count)]
    return len(a) >= count and _equal(_product(_adjoint(a), a), unit)


def _is_upper(a: _Matrix, below: int = 0) -> bool:
    """Return whether all elements below this subdiagonal are 0."""
    largest = max(abs(x) for row in a for x in row)
    return all(
        abs(x) <= MOST_ERROR * largest
        for i, row in enumerate(a)
        for j, x in enumerate(row)
        if i > j + below
    )


# ------------------------------------------------------------------------------------ equations


def _form(of: _Array, compare: dict[str, str], *parts: str) -> Form:
    output = f"({', '.join(parts)},)" if len(parts) == 1 else f"({', '.join(parts)})"
    return Form(output if parts else "out", compare, TOLERANCE if of.is_single else None)


def _matrices(found: Sequence[_Array], count: int) -> list[_Array]:
    return [each for each in found if each.dims > 1 and len(each.parts) == count]


def _vectors(found: Sequence[_Array], of: _Array) -> list[tuple[_Array, list[list[complex]]]]:
    """Return the arrays that have one vector for each matrix of `of`, with these vectors."""
    result = []
    for each in found:
        rows = [row for part in each.parts for row in part]
        if each.dims == of.dims - 1 and len(rows) == len(of.parts):
            result.append((each, rows))
    return result


def _eigenvectors(a: _Array, found: Sequence[_Array]) -> Form | None:
    """Find A V = V diag(w), or A^H V = V diag(w)^H: the columns of V are free.

    Complex eigenvalues have no order, so neither have their vectors.
    """
    for w, values in _vectors(found, a):
        same = [
            v
            for v in _matrices(found, len(a.parts))
            if v.size == a.size == (len(values[0]),) * 2
            and all(map(_are_eigenvectors, a.parts, v.parts, values))
        ]
        if same and w.is_complex:
            return _form(w, {w.path: "set", **{v.path: "shape" for v in same}})
        if same:
            return _form(w, {v.path: "up to sign" for v in same})
    return None


def _are_eigenvectors(a: _Matrix, v: _Matrix, values: Sequence[complex]) -> bool:
    if min(map(_length, zip(*v))) < MOST_ERROR:
        return False
    conjugates = [complex(x).conjugate() for x in values]
    return _equal(_product(a, v), _scaled(v, values)) or _equal(
        _product(_adjoint(a), v), _scaled(v, conjugates)
    )


def _length(column: Sequence[complex]) -> float:
    return math.sqrt(sum(abs(x) ** 2 for x in column))


def _singular_vectors(a: _Array, found: Sequence[_Array]) -> Form | None:
    """Find A = U diag(s) V^H: the columns of U and V are free, but not their product."""
    matrices = _matrices(found, len(a.parts))
    for s, values in _vectors(found, a):
        if s.is_complex:
            continue
        k = len(values[0])
        for u in matrices:
            for v in matrices:
                if u is v or u.size[0] != a.size[0] or u.size[1] < k or min(v.size) < k:
                    continue
                left = [_scaled(_cut(x, len(x), k), z) for x, z in zip(u.parts, values)]
                rows = [_cut(x, k, len(x[0])) for x in v.parts]
                columns = [_adjoint(_cut(x, len(x), k)) for x in v.parts]
                of_u = u.path if u.size[1] == k else f"{u.path}[..., :{k}]"
                if all(_equal(_product(x, y), z) for x, y, z in zip(left, columns, a.parts)):
                    if u.size[1] == v.size[1] == k:
                        return _form(u, {u.path: "up to sign", v.path: "up to sign"})
                    of_v = v.path if v.size[1] == k else f"{v.path}[..., :{k}]"
                    compare = {"out[0]": "up to sign", "out[2]": "up to sign"}
                    return _form(u, compare, of_u, s.path, of_v)
                if all(_equal(_product(x, y), z) for x, y, z in zip(left, rows, a.parts)):
                    of_v = v.path if v.size[0] == k else f"{v.path}[..., :{k}, :]"
                    whole = f"({of_u} * {s.path}[..., None, :]) @ {of_v}"
                    return _form(u, {"out[0]": "up to sign"}, of_u, s.path, whole)
    return None


def _orthogonal_triangular(a: _Array, found: Sequence[_Array]) -> Form | None:
    """Find A = Q R: the columns of Q are free, but not their product with R."""
    matrices = _matrices(found, len(a.parts))
    for q in matrices:
        for r in matrices:
            if q is r or q.size[1] != r.size[0] or not all(map(_is_orthonormal, q.parts)):
                continue
            each = zip(q.parts, r.parts, a.parts)
            if all(map(_is_upper, r.parts)) and all(_equal(_product(x, y), z) for x, y, z in each):
                k = min(a.size)
                of_q = q.path if q.size[1] == k else f"{q.path}[..., :{k}]"
                return _form(q, {"out[0]": "up to sign"}, of_q, f"{q.path} @ {r.path}")
    return None


def _similar(a: _Array, found: Sequence[_Array]) -> Form | None:
    """Find A = Q H Q^H, with H upper Hessenberg or triangular: only the product is unique."""
    matrices = _matrices(found, len(a.parts))
    for q in matrices:
        for h in matrices:
            if q is h or not q.size == h.size == a.size or not all(map(_is_orthonormal, q.parts)):
                continue
            if not all(_is_upper(x, below=1) for x in h.parts):
                continue
            each = zip(q.parts, h.parts, a.parts)
            if all(_equal(_product(_product(x, y), _adjoint(x)), z) for x, y, z in each):
                whole = f"{q.path} @ {h.path} @ {q.path}.conj().mT"
                return _form(q, {}, whole)
    return None
