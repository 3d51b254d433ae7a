"""What TensorFlow says of a wrong argument when it refuses a call: the next calls obey it.

The messages name a parameter, or the place of an operand, and the type that it must have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pmdriver.census import inputs
from pmdriver.census.calls import Candidate, array, texts

#: Of a parameter: the kind of a plain argument, or the dtype of an array.
_PLAIN = re.compile(r"Expected (bool|int|float|list|string|DataType) for (?:argument )?'(\w+)'")
_NAMED = re.compile(r"(?:^|\s)(\w+): Tensor conversion requested dtype (\w+) for")
#: Of an operand: its place, and its dtype.
_PLACED = re.compile(r"as input #(\d+)\(zero-based\) was expected to be an? (\w+) tensor")
#: Of all operands that have a common dtype.
_COMMON = re.compile(
    r"(?:attr 'T\w*' of \w+ is|DataType \w+) not in (?:the )?list of allowed values: ([\w, ]+)"
)
#: Of several dtypes that would do, the first of these is tried.
_PREFERRED = ("float", "float32", "int32", "int64", "uint8", "complex64")

#: By kind: the beginnings of the texts of such arguments, and some that are always tried.
_TEXTS = {
    "bool": (("True", "False"), ("True", "False")),
    "int": (("0", "1", "2", "3"), ("1", "2")),
    "float": (("0.", "1.0", "0"), ("0.5",)),
    "list": (("[", "("), ("[1, 1, 1, 1]", "[1, 1, 1, 1, 1]", "[1]", "[1, 2]")),
    "string": (("'",), ()),
    "DataType": (("tf.",), ("tf.float32", "tf.int32")),
}

_SHORT = {"float": "float32", "half": "float16", "double": "float64"}
_VALUES = {"bool": "bernoulli(0.5)", "float": "uniform(0.1,0.9)", "complex": "normal"}

#: The key of a hint for all operands.
ALL = "*"


def hints_of(reason: str) -> dict[str, str]:
    """Return, by the name or the place (``#2``) of a parameter, the type that a refusal asks for.

    Parameters
    ----------
    reason
        The message of the exception.
    """
    found = {name: kind for kind, name in _PLAIN.findall(reason)}
    found.update(dict(_NAMED.findall(reason)))
    found.update({f"#{place}": dtype for place, dtype in _PLACED.findall(reason)})
    match = _COMMON.search(reason)
    if match is not None:
        allowed = match.group(1).replace(" ", "").split(",")
        found[ALL] = next((each for each in _PREFERRED if each in allowed), allowed[0])
    return found


def guided(
    options: Sequence[Sequence[Candidate]], names: Sequence[str], hints: Mapping[str, str]
) -> list[list[Candidate]]:
    """Return the candidates for each parameter, those first that the hints ask for.

    Parameters
    ----------
    options
        The candidates for each parameter.
    names
        The names of the parameters.
    hints
        As `hints_of` returns them, of all refusals so far.
    """
    found = []
    for place, (name, chosen) in enumerate(zip(names, options)):
        kinds = [hints.get(name), hints.get(f"#{place}"), hints.get(ALL)]
        kind = next((each for each in kinds if each is not None), None)
        first = _first(chosen, kind) if kind is not None else []
        found.append(list(dict.fromkeys([*first, *chosen])))
    return found


def _first(chosen: Sequence[Candidate], kind: str) -> list[Candidate]:
    """Return the candidates of a kind, also arrays that are made of those with other dtypes."""
    if kind in _TEXTS and kind != "string":
        beginnings, always = _TEXTS[kind]
        fitting = [each for each in chosen if not each.specs and each.text.startswith(beginnings)]
        return [*fitting, *texts(*always)]
    if kind == "string":
        known = [each for each in chosen if each.text.startswith(("'", "tf.constant(['"))]
        return [*known, *texts("'a'", "tf.constant(['a', 'b'])")]
    dtype = _SHORT.get(kind, kind)
    if dtype not in inputs.FORMATS and not dtype.startswith(("complex", "bfloat")):
        return []
    values = _VALUES.get(dtype.rstrip("0123456789"), "integers(0,3)")
    found = []
    for each in chosen:
        if each.text == "{0}" and len(each.specs) == 1:
            spec = each.specs[0].partition(" ")[0]
            found.append(array(f"{dtype}{spec[spec.index('[') :]} {values}"))
    return found
