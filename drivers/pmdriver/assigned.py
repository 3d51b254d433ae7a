"""What the methods of a class assign to attributes of `self`, read from the text of its file.

A class does not show these attributes, but classes that inherit from it call them: `_query_dense`
of `tf.keras.layers.MultiHeadAttention` is a layer. No code of the class is executed.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: Used instead of a class if the class of an assigned value cannot be determined.
UNKNOWN = None


@functools.cache
def _bodies(module: str) -> dict[str, ast.ClassDef]:
    """Parse the top-level classes of a loaded module; none if its file cannot be read."""
    file = getattr(sys.modules.get(module), "__file__", None)
    try:
        tree = ast.parse(Path(file or "").read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return {}
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _leads_to(module: str, node: ast.expr) -> Any:
    """Return the object that a dotted name refers to in a module, or None."""
    if isinstance(node, ast.Name):
        return vars(sys.modules[module]).get(node.id)
    if isinstance(node, ast.Attribute):
        return vars(_namespace(_leads_to(module, node.value))).get(node.attr)
    return None


def _namespace(value: Any) -> Any:
    return value if hasattr(value, "__dict__") else ast


def _returned(module: str, body: ast.ClassDef, func: ast.expr) -> Iterator[ast.expr]:
    """Yield the calls that a method of the class returns, if `func` is ``self.METHOD``."""
    name = func.attr if isinstance(func, ast.Attribute) and _is_self(func.value) else ""
    for node in body.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            yield from (
                inner.value
                for inner in ast.walk(node)
                if isinstance(inner, ast.Return) and isinstance(inner.value, ast.Call)
            )


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _classes(
    module: str, body: ast.ClassDef, node: ast.expr, through: bool = True
) -> Iterator[type | None]:
    """Yield the class of each object that an assigned expression may evaluate to, except None.

    If `through`, a call of a method of the same class yields the classes of what it returns.
    """
    if isinstance(node, ast.IfExp):
        yield from _classes(module, body, node.body)
        yield from _classes(module, body, node.orelse)
    elif isinstance(node, ast.Call):
        called = _leads_to(module, node.func)
        made = list(_returned(module, body, node.func)) if through else []
        for one in made:
            yield from _classes(module, body, one, False)
        if not made:
            yield called if isinstance(called, type) else UNKNOWN
    elif not (isinstance(node, ast.Constant) and node.value is None):
        yield UNKNOWN


def _pairs(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield the attributes of `self` that an assignment sets, each with its value if it has one."""
    if isinstance(target, (ast.Tuple, ast.List)):
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        same = len(values) == len(target.elts)
        for i, one in enumerate(target.elts):
            yield from _pairs(one, values[i] if same else None)
    elif isinstance(target, ast.Attribute) and _is_self(target.value):
        yield target.attr, value


def _own(cls: type) -> dict[str, set[type | None]]:
    """Return the attributes that the methods of one class assign."""
    found: dict[str, set[type | None]] = {}
    body = _bodies(cls.__module__).get(cls.__qualname__)
    for node in ast.walk(body) if body else ():
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        for target in targets:
            for name, value in _pairs(target, node.value):
                known = _classes(cls.__module__, body, value) if value else (UNKNOWN,)
                found.setdefault(name, set()).update(known)
    return found


def attributes(cls: type, others: set[int]) -> dict[str, type | None]:
    """Return what the methods of a class assign to attributes of `self`, each with its class.

    Parameters
    ----------
    cls
        The class.
    others
        The ids of the classes that are listed with their own attributes. The attributes of the
        base classes that precede the first of these in the method resolution order count as
        attributes of `cls`.

    Returns
    -------
    dict
        By name, the class of the object; `UNKNOWN` if no class was found, or more than one.
        Attributes that the class itself has (properties, defaults) are omitted.
    """
    found: dict[str, type | None] = {}
    for base in cls.__mro__:
        if base is not cls and id(base) in others:
            break
        for name, kinds in _own(base).items():
            if kinds and name not in found and not hasattr(cls, name):
                found[name] = next(iter(kinds)) if len(kinds) == 1 else UNKNOWN
    return found
