"""Finds the public functions and classes of a framework by walking through its modules.

A name is public if no part of its path begins with an underscore and its module offers it: in
``__all__``; without that, by defining it, or by importing it under an explicit name, because
``import x as x`` passes x on, as in typing stubs (PEP 484). `Surface` describes what differs
between frameworks.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pmdriver import failure

#: Characters of the reason why a module could not be imported.
MOST_REASON = 200

_DEFINITION = re.compile(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_EXAMPLE = re.compile(r"^\s*>>> |^\s*(?:Examples?|Usage|For example)\b.*:", re.MULTILINE)
_DEPRECATED = re.compile(
    r"\A[^\n]*\bdeprecated\b(?! argument)|^ {0,4}\.\. deprecated::|\bTHIS \w+ IS DEPRECATED"
    r"|(?:\bthis (?:function|class|method)|:(?:func|class|meth):`[^`]+`)\s+is (?:now )?deprecated",
    re.IGNORECASE | re.MULTILINE,
)


class Surface:
    """Where a framework's public names are, and which of several is the canonical one.

    Attributes
    ----------
    root
        The module to import: ``"tensorflow"``.
    short
        What its names begin with: ``"tf"``.
    version
        Of the framework.
    packages
        Top-level packages whose objects are the framework's own.
    imports
        Import public submodules that nobody has imported yet.
    hidden
        Modules that are not public although their names have no underscore, with everything in
        them.
    later
        Prefixes of paths that are canonical only if there is no other path.
    holders
        Classes that are listed with the methods that they share with other classes.
    """

    def __init__(
        self,
        root: str,
        version: str,
        *,
        short: str = "",
        packages: Iterable[str] = (),
        imports: bool = True,
        hidden: Iterable[str] = (),
        later: Iterable[str] = (),
        holders: Iterable[str] = (),
    ) -> None:
        self.root = root
        self.short = short or root
        self.version = version
        self.packages = frozenset(packages) | {root}
        self.imports = imports
        self.hidden = tuple(hidden)
        self.later = tuple(later)
        self.holders = frozenset(holders)

    def is_own(self, module: str | None) -> bool:
        """Return whether a module, given by its name, belongs to the framework."""
        return isinstance(module, str) and module.split(".")[0] in self.packages

    def is_hidden(self, module: str) -> bool:
        """Return whether a module, given by its name, or a package around it is hidden."""
        return any(module == name or module.startswith(name + ".") for name in self.hidden)

    def leads_to(self, parent: ModuleType, child: ModuleType) -> bool:
        """Return whether an attribute that is a module is part of the public tree."""
        return child.__name__.startswith(parent.__name__ + ".")

    def offers_all(self, module: ModuleType) -> bool:
        """Return whether everything in a module is public, wherever it was defined."""
        return False

    def declared(self, value: Any) -> list[str]:
        """Return the paths that an object itself declares as canonical, best first."""
        return []


class Entry(NamedTuple):
    """A public function, class or method.

    Attributes
    ----------
    name
        The canonical one: the public path that the framework declares as such, or else the one
        with the fewest parts.
    kind
        ``"function"``, ``"class"`` or ``"method"``. A method is listed once, with the public class
        nearest to its definition, and not with the classes that inherit it.
    aliases
        The other public paths, sorted. A method's follow from those of its class.
    defined
        The path at which it is defined, for code that imports it from there; empty if that is
        unknown or is the name itself.
    bases
        Public classes that a class inherits from, nearest first.
    deprecated
        Its docstring, or a mark on it, says that it is.
    examples
        Its docstring has examples.
    """

    name: str
    kind: str
    aliases: list[str]
    defined: str
    bases: list[str]
    deprecated: bool
    examples: bool


class Found(NamedTuple):
    """What `walk` found.

    Attributes
    ----------
    entries
        The public functions, classes and methods.
    private
        Bare names that the framework defines and that are public nowhere.
    foreign
        Bare names of other packages' functions and methods that the framework uses.
    unread
        Modules that could not be imported, each with the reason.
    """

    entries: list[Entry]
    private: list[str]
    foreign: list[str]
    unread: list[tuple[str, str]]


class _Object(NamedTuple):
    value: Any
    paths: set[str]
    deprecated: bool


# ------------------------------------------------------------------------------------ modules


def _why(module: str, error: BaseException) -> tuple[str, str]:
    return module, failure.summary(error, MOST_REASON)


def _submodules(surface: Surface, module: ModuleType, unread: list) -> Iterator[ModuleType]:
    """Import the public submodules of a package."""
    for info in pkgutil.iter_modules(_own_value(module, "__path__", ())):
        name = f"{module.__name__}.{info.name}"
        if info.name.startswith("_") or surface.is_hidden(name):
            continue
        try:
            yield importlib.import_module(name)
        except (Exception, SystemExit) as error:
            unread.append(_why(name, error))


def _modules(surface: Surface, unread: list) -> Iterator[tuple[str, ModuleType]]:
    """Yield each public path and its module, shorter paths first; a module may have several."""
    root = importlib.import_module(surface.root)
    waiting: deque[tuple[str, tuple[ModuleType, ...]]] = deque([(surface.short, (root,))])
    while waiting:
        path, line = waiting.popleft()
        module = line[-1]
        try:
            dir(module)  # a module that is loaded lazily is loaded now
        except Exception as error:
            unread.append(_why(module.__name__, error))
            continue
        yield path, module
        children: dict[str, ModuleType] = {}
        if surface.imports and path.partition(".")[2] == module.__name__.partition(".")[2]:
            for child in _submodules(surface, module, unread):
                children[child.__name__.rpartition(".")[2]] = child
        for name, value in _public_items(module):
            if (
                isinstance(value, ModuleType)
                and type(value) is not type
                and surface.is_own(getattr(value, "__name__", None))
                and not surface.is_hidden(value.__name__)
                and surface.leads_to(module, value)
            ):
                children[name] = value
        for name, child in sorted(children.items()):
            if not any(child is above for above in line):
                waiting.append((f"{path}.{name}", (*line, child)))


def _own_value(module: ModuleType, name: str, fallback: Any) -> Any:
    """Return an attribute of a module without calling its ``__getattr__``, which may invent it."""
    return vars(module).get(name, fallback)


def _public_items(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the attributes without a leading underscore, except those that raise."""
    listed = _own_value(module, "__all__", ())
    for name in sorted({*dir(module), *listed, *_own_value(module, "_deprecations", {})}):
        if not isinstance(name, str) or name.startswith("_"):
            continue
        try:
            yield name, getattr(module, name)
        except Exception:
            continue


# ---------------------------------------------------------------------------------- functions


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, and those of its branches."""
    for node in body:
        yield node
        for field in ("body", "orelse", "finalbody"):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from _statements(getattr(node, field, ()))
        for handler in getattr(node, "handlers", ()):
            yield from _statements(handler.body)


def _starred(surface: Surface, module: ModuleType, node: ast.ImportFrom) -> set[str]:
    """Return the names that a star import brings from the framework itself."""
    package = module.__name__ if hasattr(module, "__path__") else module.__package__
    name = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
    source = sys.modules.get(name)
    if source is None or name.split(".")[0] != surface.root:
        return set()
    listed = _own_value(source, "__all__", None)
    return set(listed if listed is not None else vars(source))


def _passed_on(surface: Surface, module: ModuleType) -> set[str]:
    """Return the names that a module imports by a star or under an explicit name, or assigns."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except Exception:
        return set()
    names: set[str] = set()
    for node in _statements(tree.body):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname for alias in node.names if alias.asname}
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                names |= _starred(surface, module, node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def _home(value: Any) -> str | None:
    """Return the name of the module in which an object, or an instance's class, is defined."""
    home = getattr(value, "__module__", None)
    return home if isinstance(home, str) else None


def _is_callable(value: Any) -> bool:
    """Return whether a value can be called, unless it is a module or for type checkers only."""
    if isinstance(value, ModuleType) or not callable(value):
        return False
    return not {_home(value), type(value).__module__} & {"typing", "typing_extensions"}


def _is_own(surface: Surface, value: Any) -> bool:
    """Return whether a function, a class or an instance's class belongs to the framework."""
    if inspect.isclass(value) or not inspect.isbuiltin(value):
        return surface.is_own(_home(value)) or (
            not inspect.isclass(value) and surface.is_own(type(value).__module__)
        )
    return _home(value) is None or surface.is_own(_home(value))


def _offered(surface: Surface, module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the functions and classes that a module makes public, also other packages'."""
    listed = _own_value(module, "__all__", None)
    outdated = _own_value(module, "_deprecations", {})
    everything = surface.offers_all(module)
    passed_on = set() if everything or listed is not None else _passed_on(surface, module)
    for name, value in _public_items(module):
        if not _is_callable(value):
            continue
        if listed is not None and not everything:
            is_public = name in listed
        elif _is_own(surface, value):
            is_public = (
                everything
                or name in passed_on
                or name in outdated
                or _home(value) in (None, module.__name__)
            )
        else:
            is_public = name in passed_on
        if is_public:
            yield name, value


def _collect(surface: Surface, modules: Iterable[tuple[str, ModuleType]]) -> dict[int, _Object]:
    """Collect the public paths of each object, by its id."""
    objects: dict[int, _Object] = {}
    offers: dict[int, list[tuple[str, Any]]] = {}
    for path, module in modules:
        if id(module) not in offers:
            offers[id(module)] = list(_offered(surface, module))
        outdated = _own_value(module, "_deprecations", {})
        for name, value in offers[id(module)]:
            known = objects.get(id(value))
            deprecated = name in outdated and (known is None or known.deprecated)
            paths = known.paths if known else set()
            paths.add(f"{path}.{name}")
            objects[id(value)] = _Object(value, paths, deprecated)
    return objects


# ------------------------------------------------------------------------------------ entries


def _canonical(surface: Surface, item: _Object) -> str:
    """Return the path that is declared, or that has the fewest parts and the object's own name."""
    for path in surface.declared(item.value):
        if path in item.paths:
            return path
    own = getattr(item.value, "__name__", "")

    def order(path: str) -> tuple[bool, int, bool, int, str]:
        later = any(path.startswith(prefix) for prefix in surface.later)
        return later, path.count("."), path.rpartition(".")[2] != own, len(path), path

    return min(item.paths, key=order)


def _text(value: Any) -> str:
    """Return an object's own docstring, not its class's."""
    doc = getattr(value, "__doc__", None)
    if not isinstance(doc, str):
        return ""
    is_inherited = not inspect.isclass(value) and doc == getattr(type(value), "__doc__", None)
    return "" if is_inherited else doc


def _entry(name: str, kind: str, item: _Object, defined: str, bases: list[str]) -> Entry:
    text = _text(item.value)
    marked = isinstance(inspect.getattr_static(item.value, "__deprecated__", None), str)
    return Entry(
        name,
        kind,
        sorted(item.paths - {name}),
        "" if defined == name else defined,
        bases,
        item.deprecated or marked or bool(_DEPRECATED.search(text)),
        bool(_EXAMPLE.search(text)),
    )


def _defined(surface: Surface, value: Any) -> str:
    """Return the path at which an object is defined, if it is found there."""
    home, name = _home(value), getattr(value, "__qualname__", None)
    if not home or not isinstance(name, str) or not name.isidentifier():
        return ""
    if getattr(sys.modules.get(home), name, None) is not value:
        return ""
    first, dot, rest = f"{home}.{name}".partition(".")
    return (surface.short if first == surface.root else first) + dot + rest


def _definer(cls: type, name: str) -> type | None:
    return next((base for base in cls.__mro__ if name in vars(base)), None)


def _methods(surface: Surface, cls: type) -> Iterator[tuple[str, type, Any]]:
    """Yield the framework's methods of a class, each with the class that defines it."""
    for name in dir(cls):
        definer = None if name.startswith("_") else _definer(cls, name)
        if definer is None or not surface.is_own(definer.__module__):
            continue
        value = inspect.getattr_static(cls, name)
        value = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        if callable(value) and not inspect.isclass(value):
            yield name, definer, value


def _method_entries(
    surface: Surface, classes: dict[int, type], names: dict[int, str]
) -> Iterator[Entry]:
    """Make an entry for each method, with the public class nearest to its definition."""
    best: dict[tuple[int, str], tuple[tuple, str, Any]] = {}
    for key, cls in classes.items():
        for name, definer, value in _methods(surface, cls):
            if definer is not cls and id(definer) in classes:
                continue
            path = names[key]
            order = (
                path not in surface.holders,
                len(cls.__mro__),
                path.count("."),
                len(path),
                path,
            )
            known = best.get((id(value), name))
            if known is None or order < known[0]:
                best[id(value), name] = (order, path, value)
    for (_, name), (_, path, value) in best.items():
        yield _entry(f"{path}.{name}", "method", _Object(value, set(), False), "", [])


def _entries(surface: Surface, objects: dict[int, _Object]) -> list[Entry]:
    """Make the entries of functions and classes, and of the methods of classes."""
    names = {key: _canonical(surface, item) for key, item in objects.items()}
    classes = {key: item.value for key, item in objects.items() if inspect.isclass(item.value)}
    entries = list(_method_entries(surface, classes, names))
    for key, item in objects.items():
        above = classes[key].__mro__[1:] if key in classes else ()
        bases = [names[id(base)] for base in above if id(base) in names]
        kind = "class" if key in classes else "function"
        entries.append(_entry(names[key], kind, item, _defined(surface, item.value), bases))
    return sorted(entries)


# ------------------------------------------------------------------------------------ private


def _sources(surface: Surface) -> Iterator[Path]:
    for package in sorted(surface.packages):
        module = sys.modules.get(package)
        for folder in getattr(module, "__path__", ()):
            yield from Path(folder).rglob("*.py")


def _own_names(surface: Surface) -> set[str]:
    """Return the name of every function, class and method that the framework's files define."""
    names: set[str] = set()
    for path in _sources(surface):
        names.update(_DEFINITION.findall(path.read_text(encoding="utf-8", errors="replace")))
    return names


def _loaded_names(surface: Surface) -> tuple[set[str], set[str]]:
    """Return the names of callables in the framework's loaded modules: its own, and others'.

    The others include the methods of other packages' classes that it uses or inherits from.
    """
    own: set[str] = set()
    others: set[str] = set()
    for module_name, module in list(sys.modules.items()):
        if not surface.is_own(module_name) or not isinstance(module, ModuleType):
            continue
        for name, value in list(vars(module).items()):
            if isinstance(value, ModuleType) or not callable(value):
                continue
            (own if _is_own(surface, value) else others).add(name)
            for cls in value.__mro__ if inspect.isclass(value) else ():
                if not surface.is_own(cls.__module__):
                    others.update(key for key, item in vars(cls).items() if callable(item))
    return own, others


def walk(surface: Surface) -> Found:
    """Find the public functions, classes and methods of a framework.

    Raises
    ------
    ImportError
        Its root module cannot be imported; other modules that cannot are listed in the result.
    """
    unread: list[tuple[str, str]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        entries = _entries(surface, _collect(surface, _modules(surface, unread)))
        public = {path.rpartition(".")[2] for e in entries for path in (e.name, *e.aliases)}
        own, others = _loaded_names(surface)
        private = (_own_names(surface) | own) - public
    return Found(entries, sorted(private), sorted(others - private - public), sorted(set(unread)))
