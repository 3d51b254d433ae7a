"""Counts uses by the resolved rule with Python's parser: the reference for src/code/resolve.

Written only from the rule in ``src/code/resolve/resolve.h``. It makes a map from local names to
sets of dotted paths, then looks up every chain of names that is read. It ignores flow and scope,
except that defaults of parameters belong to their function.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

MOST_ROUNDS = 16
MOST_PARTS = 10  # no known name has more parts; `x = x.parent` would never end


class Uses(NamedTuple):
    """Counts by canonical name."""

    calls: Counter[str]
    references: Counter[str]
    rebound: Counter[str]


def chain_of(node: ast.AST) -> list[str] | None:
    """Return the parts of ``a.b.c``, or None if the expression is not such a chain."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return parts[::-1]


def options_of(node: ast.AST) -> list[list[str]]:
    """Return the chains that a value may be: ``a``, ``a if x else b``, ``a or b``.

    Return an empty list if one of them is neither a chain nor a constant.
    """
    if isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, ast.BoolOp):
        parts = node.values
    else:
        chain = chain_of(node)
        return [chain] if chain else []
    found = [options_of(part) for part in parts]
    if any(not option and not isinstance(part, ast.Constant) for option, part in zip(found, parts)):
        return []
    return [chain for option in found for chain in option]


def pairs_of(target: ast.AST, value: ast.AST) -> Iterator[tuple[ast.Name, list[str]]]:
    """Yield the names of a target, each with a chain that the value gives it."""
    if isinstance(target, ast.Name):
        for chain in options_of(value):
            yield target, chain
    elif (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(value, (ast.Tuple, ast.List))
        and len(target.elts) == len(value.elts)
    ):
        for one, other in zip(target.elts, value.elts):
            if isinstance(one, ast.Name):
                yield from pairs_of(one, other)


class File:
    """The map of one file from local names to dotted paths.

    Parameters
    ----------
    tree
        The syntax tree of the file.
    roots
        Import names of the frameworks.
    table
        The canonical name of each known dotted name.
    rounds
        The largest number of rounds in which aliases are followed.
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
        self.aliases: list[tuple[ast.Name, str, list[str]]] = []
        self.followed: set[ast.AST] = set()
        self.defaults: dict[int, dict[str, set[str]]] = {}  # by id of a Name
        for node in self.nodes:
            self.take(node)
        self.follow_aliases(rounds)
        for node in self.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and rounds:
                self.take_defaults(node)

    def is_ours(self, path: str) -> bool:
        """Return whether a dotted path begins with a framework."""
        return path.split(".")[0] in self.roots

    def bind(self, name: str, path: str) -> None:
        """Let an import bind a name."""
        self.imported.add(name)
        if self.is_ours(path):
            self.paths.setdefault(name, set()).add(path)

    def take(self, node: ast.AST) -> None:
        """Note an import or a possible alias."""
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
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                for name, chain in pairs_of(target, node.value):
                    self.aliases.append((name, name.id, chain))
        elif isinstance(node, ast.AnnAssign) and node.value:
            for name, chain in pairs_of(node.target, node.value):
                self.aliases.append((name, name.id, chain))

    def take_defaults(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Let parameters stand for their defaults within their function."""
        given = node.args
        positional = [*given.posonlyargs, *given.args]
        defaults = list(zip(positional[len(positional) - len(given.defaults) :], given.defaults))
        defaults += [pair for pair in zip(given.kwonlyargs, given.kw_defaults) if pair[1]]
        for parameter, value in defaults:
            paths = {path for chain in options_of(value) for path in self.meanings(chain)}
            if not paths:
                continue
            self.followed.add(parameter)
            for statement in node.body:
                for inner in ast.walk(statement):
                    if isinstance(inner, ast.Name):
                        of = self.defaults.setdefault(id(inner), {})
                        of.setdefault(parameter.arg, set()).update(paths)

    def meanings_at(self, node: ast.AST, chain: list[str]) -> set[str]:
        """Return what a chain may stand for at its place."""
        while isinstance(node, ast.Attribute):
            node = node.value
        default = self.defaults.get(id(node), {}).get(chain[0], set())
        own = {".".join([path, *chain[1:]]) for path in default}
        if own and chain[0] not in self.paths and chain[0] not in self.imported:
            return own
        return own | self.meanings(chain)

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

    def bound(self, chain: list[str]) -> set[str]:
        """Return the canonical names that a chain means, apart from defaults of parameters."""
        known = (self.canonical(path) for path in self.meanings(chain))
        return {name[0] for name in known if name}

    def canonical(self, path: str) -> tuple[str, bool] | None:
        """Return the longest known beginning of a path, and whether it is the whole path."""
        parts = path.split(".")
        for length in range(len(parts), 0, -1):
            known = self.table.get(".".join(parts[:length]))
            if known is not None:
                return known, length == len(parts)
        return None

    def follow_aliases(self, rounds: int) -> None:
        """Bind aliases, and aliases of aliases, until nothing changes or all rounds are done."""
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
        """Yield the names that the file binds in other ways than by imports and aliases."""
        for node in self.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                if node not in self.followed:
                    yield node.id
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield node.name
            elif isinstance(node, ast.arg):
                if node not in self.followed:
                    yield node.arg
            elif isinstance(node, ast.ExceptHandler) and node.name:
                yield node.name

    def chains(self) -> Iterator[tuple[ast.AST, list[str], bool]]:
        """Yield every longest chain that is read, and whether it is called."""
        inner = {id(node.value) for node in self.nodes if isinstance(node, ast.Attribute)}
        called = {id(node.func) for node in self.nodes if isinstance(node, ast.Call)}
        for node in self.nodes:
            if not isinstance(node, (ast.Name, ast.Attribute)) or id(node) in inner:
                continue
            chain = chain_of(node)
            if chain and isinstance(node.ctx, ast.Load):
                yield node, chain, id(node) in called

    def uses(self) -> Uses:
        """Count calls and references."""
        uses = Uses(Counter(), Counter(), Counter())
        stored = set(self.stores())
        for node, chain, called in self.chains():
            found: dict[str, bool] = {}
            for path in self.meanings_at(node, chain):
                known = self.canonical(path)
                if known is not None:
                    found[known[0]] = found.get(known[0], False) or known[1]
            bound = self.bound(chain)
            for name, whole in found.items():
                (uses.calls if called and whole else uses.references)[name] += 1
                uses.rebound[name] += chain[0] in stored and name in bound
        return uses


def uses(source: bytes, roots: set[str], table: Mapping[str, str]) -> Uses:
    """Return the uses in a file; raise SyntaxError or ValueError if Python cannot parse it."""
    return File(ast.parse(source), roots, table).uses()


def dotted_paths(source: bytes, roots: set[str]) -> Iterator[str]:
    """Yield every dotted path below the frameworks that a file's imports give its chains."""
    file = File(ast.parse(source), roots, {}, rounds=0)
    for _, chain, _ in file.chains():
        yield from file.meanings(chain)
