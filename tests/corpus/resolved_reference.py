"""What the resolved rule counts in a file, by Python's own parser: the reference for src/resolve.

Written from the rule in ``src/resolve/resolve.h`` and from nothing else of it. Without regard to
flow or scope: a map from local names to sets of dotted paths, then every chain of names that is
read.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

MOST_ROUNDS = 16
MOST_PARTS = 10  # no name looked for has more; `x = x.parent` would go on for ever


class Uses(NamedTuple):
    """Counts by canonical name."""

    calls: Counter[str]
    references: Counter[str]
    rebound: Counter[str]


def chain_of(node: ast.AST) -> list[str] | None:
    """Return the parts of ``a.b.c``, or None where the expression is something else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return parts[::-1]


class File:
    """One file's map.

    Parameters
    ----------
    tree
        Of the file.
    roots
        Import names of the frameworks.
    table
        Canonical name of each dotted name known.
    rounds
        How often aliases are followed, at most.
    """

    def __init__(
        self,
        tree: ast.AST,
        roots: set[str],
        table: Mapping[str, str],
        rounds: int = MOST_ROUNDS,
    ) -> None:
        self.nodes = list(ast.walk(tree))
        self.roots = roots
        self.table = table
        self.paths: dict[str, set[str]] = {}
        self.stars: set[str] = set()
        self.imported: set[str] = set()
        self.aliases: list[tuple[ast.Assign, str, list[str]]] = []
        self.followed: set[ast.Assign] = set()
        for node in self.nodes:
            self.take(node)
        self.follow_aliases(rounds)

    def is_ours(self, path: str) -> bool:
        """Whether a dotted path begins at a framework."""
        return path.split(".")[0] in self.roots

    def bind(self, name: str, path: str) -> None:
        """Let an import bind a name."""
        self.imported.add(name)
        if self.is_ours(path):
            self.paths.setdefault(name, set()).add(path)

    def take(self, node: ast.AST) -> None:
        """Take in an import or a possible alias."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.split(".")[0]
                self.bind(alias.asname or root, alias.name if alias.asname else root)
        elif isinstance(node, ast.ImportFrom):
            module = "" if node.level else node.module or ""
            for alias in node.names:
                if alias.name != "*":
                    self.bind(alias.asname or alias.name, f"{module}.{alias.name}")
                elif self.is_ours(module):
                    self.stars.add(module)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            chain = chain_of(node.value)
            if isinstance(node.targets[0], ast.Name) and chain:
                self.aliases.append((node, node.targets[0].id, chain))

    def meanings(self, chain: list[str]) -> set[str]:
        """Return the dotted paths that a chain of local names may stand for."""
        name = chain[0]
        if name in self.paths:
            return {
                ".".join([path, *chain[1:]])
                for path in self.paths[name]
                if path.count(".") + len(chain) <= MOST_PARTS
            }
        if name in self.imported:
            return set()
        starred = {".".join([star, *chain]) for star in self.stars}
        return {path for path in starred if self.canonical(path) is not None}

    def canonical(self, path: str) -> tuple[str, bool] | None:
        """Return the longest part of a path that is known, and whether that is all of it."""
        parts = path.split(".")
        for length in range(len(parts), 0, -1):
            known = self.table.get(".".join(parts[:length]))
            if known is not None:
                return known, length == len(parts)
        return None

    def follow_aliases(self, rounds: int) -> None:
        """Bind aliases, and aliases of aliases, until nothing changes."""
        for _ in range(rounds):
            news = False
            for node, name, chain in self.aliases:
                found = self.meanings(chain)
                if found:
                    self.followed.add(node)
                news |= not found <= self.paths.get(name, set())
                if found:
                    self.paths.setdefault(name, set()).update(found)
            if not news:
                return

    def stores(self) -> Iterator[str]:
        """Names that the file binds otherwise than by imports and aliases."""
        own = {id(node.targets[0]) for node in self.followed}
        for node in self.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                if id(node) not in own:
                    yield node.id
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield node.name
            elif isinstance(node, ast.arg):
                yield node.arg
            elif isinstance(node, ast.ExceptHandler) and node.name:
                yield node.name

    def chains(self) -> Iterator[tuple[list[str], bool]]:
        """Every chain that is read, as long as it goes, and whether it is called."""
        inner = {id(node.value) for node in self.nodes if isinstance(node, ast.Attribute)}
        called = {id(node.func) for node in self.nodes if isinstance(node, ast.Call)}
        for node in self.nodes:
            if not isinstance(node, (ast.Name, ast.Attribute)) or id(node) in inner:
                continue
            chain = chain_of(node)
            if chain and isinstance(node.ctx, ast.Load):
                yield chain, id(node) in called

    def uses(self) -> Uses:
        """Count calls and references."""
        uses = Uses(Counter(), Counter(), Counter())
        stored = set(self.stores())
        for chain, called in self.chains():
            found: dict[str, bool] = {}
            for path in self.meanings(chain):
                known = self.canonical(path)
                if known is not None:
                    found[known[0]] = found.get(known[0], False) or known[1]
            for name, whole in found.items():
                (uses.calls if called and whole else uses.references)[name] += 1
                uses.rebound[name] += chain[0] in stored
        return uses


def uses(source: bytes, roots: set[str], table: Mapping[str, str]) -> Uses:
    """Count the uses in a file; SyntaxError or ValueError where Python cannot parse it."""
    return File(ast.parse(source), roots, table).uses()


def dotted_paths(source: bytes, roots: set[str]) -> Iterator[str]:
    """Every dotted path below the frameworks that a file's imports give its chains."""
    file = File(ast.parse(source), roots, {}, rounds=0)
    for chain, _ in file.chains():
        yield from file.meanings(chain)
