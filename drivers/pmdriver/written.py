"""What the source text of a module says about its names, without importing it."""

from __future__ import annotations

import ast
import functools
import importlib.util
import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

#: The most imports that are followed to a definition.
MOST_STEPS = 5


class Names(NamedTuple):
    """The names that the statements of a module bind.

    Attributes
    ----------
    passed_on
        Names that are imported by a star or under an explicit name (``import x as x``, PEP 484), or
        assigned.
    assigned
        Names that are assigned.
    defined
        Functions and classes that are defined in the module.
    imported
        Names that are imported from the framework itself, each with the module of its origin.
    """

    passed_on: set[str]
    assigned: set[str]
    defined: set[str]
    imported: dict[str, str]


class Definition(NamedTuple):
    """A function or class of a module that cannot be imported; `text` is its docstring."""

    name: str
    is_class: bool
    defined: str
    text: str


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, including those in branches, but not in definitions."""
    for node in body:
        yield node
        for field in ("body", "orelse", "finalbody"):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from statements(getattr(node, field, ()))
        for handler in getattr(node, "handlers", ()):
            yield from statements(handler.body)


def _source(node: ast.ImportFrom, package: str | None) -> str:
    return importlib.util.resolve_name("." * node.level + (node.module or ""), package)


def _starred(root: str, source: str) -> set[str]:
    """Return the names that a star import binds, if it is from the framework itself."""
    module = sys.modules.get(source)
    if module is None or source.split(".")[0] != root:
        return set()
    listed = vars(module).get("__all__")
    return set(listed if listed is not None else vars(module))


def _targets(node: ast.stmt) -> set[str]:
    if not isinstance(node, (ast.Assign, ast.AnnAssign)):
        return set()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def names(root: str, module: ModuleType) -> Names:
    """Return the names that an imported module's statements bind; none if it has no source."""
    found = Names(set(), set(), set(), {})
    package = module.__name__ if hasattr(module, "__path__") else module.__package__
    try:
        tree = ast.parse(inspect.getsource(module))
    except Exception:
        return found
    for node in statements(tree.body):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.passed_on.update(alias.asname for alias in node.names if alias.asname)
        if isinstance(node, ast.ImportFrom):
            source = _source(node, package)
            if node.names[0].name == "*":
                found.passed_on.update(_starred(root, source))
            elif source.split(".")[0] == root:
                found.imported.update({alias.asname or alias.name: source for alias in node.names})
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            found.defined.add(node.name)
        found.assigned.update(_targets(node))
    found.passed_on.update(found.assigned)
    return found


# ------------------------------------------------------------- modules that cannot be imported


def _file(module: str) -> Path | None:
    """Return the file of a module, found from its packages' folders without importing it."""
    first, *rest = module.split(".")
    for folder in getattr(sys.modules.get(first), "__path__", ()):
        path = Path(folder, *rest)
        for candidate in (path / "__init__.py", path.with_suffix(".py")):
            if candidate.is_file():
                return candidate
    return None


@functools.lru_cache(maxsize=256)
def _tree(module: str) -> tuple[ast.Module, str] | None:
    path = _file(module)
    if path is None:
        return None
    try:
        tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
    except (SyntaxError, ValueError):
        return None
    is_package = path.name == "__init__.py"
    return tree, module if is_package else module.rpartition(".")[0]


def _find(module: str, name: str, steps: int = MOST_STEPS) -> Definition | None:
    """Follow imports from a module to the definition of a function or class."""
    found = _tree(module) if steps else None
    if found is None:
        return None
    tree, package = found
    for node in statements(tree.body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            is_class = isinstance(node, ast.ClassDef)
            text = ast.get_docstring(node, clean=False) or ""
            return Definition(name, is_class, f"{module}.{name}", text)
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _find(_source(node, package), alias.name, steps - 1)
    return None


def offered(module: str) -> tuple[list[Definition], list[str]]:
    """Return the names that a module that cannot be imported defines or passes on.

    Returns
    -------
    tuple
        Its functions and classes, each under its name in the module, first those that are defined
        with the same name; and the other names, sorted.
    """
    found = _tree(module)
    if found is None:
        return [], []
    tree, package = found
    definitions: dict[str, Definition] = {}
    others: set[str] = set()
    for node in statements(tree.body):
        sources: list[tuple[str, str, str]] = []
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            sources = [(node.name, module, node.name)]
        elif isinstance(node, ast.ImportFrom):
            source = _source(node, package)
            sources = [(a.asname, source, a.name) for a in node.names if a.asname]
        others.update(name for name in _targets(node) if not name.startswith("_"))
        for name, source, own in sources:
            definition = None if name.startswith("_") else _find(source, own)
            if definition:
                definitions[name] = definition._replace(name=name)
            elif not name.startswith("_"):
                others.add(name)
    order = sorted(definitions.values(), key=lambda d: not d.defined.endswith("." + d.name))
    return order, sorted(others - set(definitions))
