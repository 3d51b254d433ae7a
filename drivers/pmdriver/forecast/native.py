"""Reads ``native_functions.yaml``, PyTorch's list of operations and of the back ends of each.

It is in every wheel, beside torchgen, and lists the kernels of devices that the wheel was not built
for. The standard library cannot read YAML, so this module parses the one form that the file has.
"""

from __future__ import annotations

import importlib.util
import os
import re
from typing import NamedTuple

_FUNC = re.compile(r"- func: (\w+)(?:\.(\w+))?\(")
_KEYS = re.compile(r"    ([\w, ]+):")
_DELEGATE = re.compile(r"  structured_delegate: (\S+)")
_AUTOGEN = re.compile(r"  autogen: (.+)")

#: Dispatch keys of kernels for every back end; these kernels call other operations.
COMPOSITES = frozenset({
    "CompositeImplicitAutograd", "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
})  # fmt: skip


class Function(NamedTuple):
    """An operation.

    Attributes
    ----------
    keys
        Its dispatch keys; an operation without keys is made of other operations.
    delegate
        The variant with ``out=`` that has the kernels; empty if the operation has its own.
    """

    keys: frozenset[str]
    delegate: str


def path() -> str:
    """Return the path of the list; an empty text if the installed wheel has none."""
    spec = importlib.util.find_spec("torchgen")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    for folder in folders:
        found = os.path.join(folder, "packaged", "ATen", "native", "native_functions.yaml")
        if os.path.exists(found):
            return found
    return ""


def parse(text: str) -> dict[str, Function]:
    """Return the operations of the list by their names, such as ``aten::add.Tensor``."""
    found: dict[str, Function] = {}
    for part in re.split(r"^(?=- func: )", text, flags=re.M)[1:]:
        match = _FUNC.match(part)
        if match is None:
            continue
        keys: set[str] = set()
        delegate, in_dispatch = "", False
        for line in part.splitlines()[1:]:
            if line.startswith("    ") and in_dispatch:
                listed = _KEYS.match(line)
                keys |= {key.strip() for key in listed.group(1).split(",")} if listed else set()
                continue
            in_dispatch = line.startswith("  dispatch:")
            if delegated := _DELEGATE.match(line):
                delegate = f"aten::{delegated.group(1)}"
            if generated := _AUTOGEN.match(line):
                for name in generated.group(1).split(","):
                    found.setdefault(
                        f"aten::{name.strip()}",
                        Function(frozenset({"CompositeExplicitAutograd"}), ""),
                    )
        name = ".".join(filter(None, match.groups()))
        found[f"aten::{name}"] = Function(frozenset(keys), delegate)
    return found


def standing(functions: dict[str, Function], name: str, key: str) -> str:
    """Return what a back end has for an operation.

    Parameters
    ----------
    functions
        What `parse` returns.
    name
        The name of the operation.
    key
        The dispatch key of the back end: ``MPS``.

    Returns
    -------
    str
        ``kernel``; ``composite``: made of other operations; ``missing``; ``unknown``: not listed.
    """
    function = functions.get(name)
    if function is None:
        return "unknown"
    own = {key, f"Sparse{key}", f"SparseCsr{key}", f"NestedTensor{key}", f"Quantized{key}"}
    if function.delegate:
        delegate = functions.get(function.delegate)
        keys = function.keys | (delegate.keys if delegate else frozenset())
        has_own = bool(own & keys) or "CompositeExplicitAutograd" in keys
        return "kernel" if has_own else "missing"
    if own & function.keys:
        return "kernel"
    if not function.keys or COMPOSITES & function.keys:
        return "composite"
    return "missing"
