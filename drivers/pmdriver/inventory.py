"""Finds the public functions and classes of a framework by walking through its modules.

A name is public if no part of its path begins with an underscore and its module offers it. It is
canonical if the documentation lists the object under this name. docs/internals/scanning.md states
both rules. `Surface` describes what differs between frameworks.
"""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pmdriver import assigned, public, written
from pmdriver.surface import Surface
from pmdriver.values import Value, Values

#: Methods that define what a call of an instance does; the first that exists applies.
CALLED = ("forward", "call", "__call__")

_DEFINITION = re.compile(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_EXAMPLE = re.compile(r"^\s*>>> |^\s*(?:Examples?|Usage|For example)\b.*:", re.MULTILINE)
_DEPRECATED = re.compile(
    r"\A[^\n]*\bdeprecated\b(?! argument)|^ {0,4}\.\. deprecated::|\bTHIS \w+ IS DEPRECATED"
    r"|(?:\bthis (?:function|class|method)|:(?:func|class|meth):`[^`]+`)\s+is (?:now )?deprecated",
    re.IGNORECASE | re.MULTILINE,
)


class Entry(NamedTuple):
    """A public function, class or method.

    Attributes
    ----------
    name
        The canonical one: where the documentation has it.
    kind
        ``"function"``, ``"class"`` or ``"method"``. A method is listed once, with the public class
        nearest to its definition, and not with the classes that inherit it.
    aliases
        The other public paths, sorted. For a method, these are only the paths through other public
        classes that inherit it from the same class, if that is not public. All other paths follow
        from the aliases of its class.
    defined
        The path at which it is defined, for code that imports it from there; empty if that is
        unknown or is the name itself.
    bases
        Public classes that a class inherits from, nearest first.
    deprecated
        Whether its docstring, or a mark on it, says that it is deprecated.
    examples
        Whether its docstring has examples.
    value
        What a call returns; for a class, what its instances are.
    calls
        For a class: what a call of an instance returns; empty if unknown.
    items
        For a class: what a loop over an instance yields; empty if unknown.
    elsewhere
        For a function or class: further paths, sorted, at which loaded modules have the same
        object but do not offer it. Code imports from private modules too.
    """

    name: str
    kind: str
    aliases: list[str]
    defined: str
    bases: list[str]
    deprecated: bool
    examples: bool
    value: Value = Value()
    calls: str = ""
    items: str = ""
    elsewhere: Sequence[str] = ()


class Attribute(NamedTuple):
    """A public attribute of a class, or data in a public module: where it is and what it is."""

    name: str
    aliases: list[str]
    value: Value


class Found(NamedTuple):
    """What `walk` found.

    Attributes
    ----------
    entries
        The public functions, classes and methods.
    attributes
        The public attributes of classes, and the data in public modules.
    private
        Bare names that the framework defines and that are public nowhere.
    foreign
        Bare names of other packages' functions and methods that the framework uses.
    unread
        Modules that could not be imported, each with the reason.
    """

    entries: list[Entry]
    attributes: list[Attribute]
    private: list[str]
    foreign: list[str]
    unread: list[tuple[str, str]]


class _Object(NamedTuple):
    """A public object, its public paths, and the paths at which modules only import it."""

    value: Any
    paths: dict[str, bool]  # the value: whether the module is at its own path
    passed: set[str]
    deprecated: bool


# --------------------------------------------------------------------------------- collecting


def _nested(surface: Surface, cls: type) -> Iterator[tuple[str, type]]:
    """Yield the public classes that are nested in a class, each with its name there."""
    for name, value in vars(cls).items():
        own = getattr(cls, "__qualname__", "")
        if (
            inspect.isclass(value)
            and not name.startswith("_")
            and surface.is_own(value.__module__)
            and value.__qualname__.endswith(f"{own.rpartition('.')[2]}.{name}")
        ):
            yield name, value


class _Collection:
    """The public objects and the public data of a framework, by id."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self.objects: dict[int, _Object] = {}
        self.data: dict[int, tuple[Any, set[str]]] = {}
        self.modules: set[str] = set()

    def add(self, path: str, offer: public.Offer, at_home: bool) -> None:
        """Add what a module at `path` offers."""
        full = f"{path}.{offer.name}"
        if not public.is_callable(offer.value):
            if not offer.is_passed_by:
                self.data.setdefault(id(offer.value), (offer.value, set()))[1].add(full)
            return
        new = _Object(offer.value, {}, set(), offer.is_outdated)
        known = self.objects.setdefault(id(offer.value), new)
        if offer.is_passed_by:
            known.passed.add(full)
            return
        if known.deprecated and not offer.is_outdated:
            self.objects[id(offer.value)] = known = known._replace(deprecated=False)
        is_new = full not in known.paths
        known.paths[full] = at_home or known.paths.get(full, False)
        if is_new and inspect.isclass(offer.value) and len(known.paths) < 100:
            for name, value in _nested(self.surface, offer.value):
                self.add(full, public.Offer(name, value, False, offer.is_outdated), at_home)

    def _says_public(self, value: Any) -> bool:
        """Return whether an object says that it belongs to a public module, and is documented.

        That module may have another object of this name. For example, ``jax.numpy.issubdtype``
        wraps a function with the same name and module, which users import from ``jax.dtypes``.
        """
        return public.home(value) in self.modules and public.has_text(value)

    def finish(self) -> None:
        """Keep only objects with a public path, and join copies of an object under older paths."""
        for item in self.objects.values():
            if not item.paths and self._says_public(item.value):
                item.paths.update(dict.fromkeys(item.passed, False))
        self.objects = {key: item for key, item in self.objects.items() if item.paths}
        owners = {path: key for key, item in self.objects.items() for path in item.paths}
        for key, item in list(self.objects.items()):
            if all(path.startswith(self.surface.later) for path in item.paths):
                declared = self.surface.declared(item.value)[:1]
                owner = owners.get(declared[0], key) if declared else key
                if owner != key and owner in self.objects:
                    self.objects[owner].paths.update(item.paths)
                    del self.objects[key]


def _collect(surface: Surface, modules: Iterable[tuple[str, ModuleType]]) -> _Collection:
    """Collect the public paths of each object."""
    found = _Collection(surface)
    offers: dict[int, list[public.Offer]] = {}
    for path, module in modules:
        found.modules.add(module.__name__)
        if id(module) not in offers:
            offers[id(module)] = list(public.offers(surface, module))
        for offer in offers[id(module)]:
            found.add(path, offer, path == surface.own_path(module))
    found.finish()
    return found


# ------------------------------------------------------------------------------------ entries


def _canonical(surface: Surface, item: _Object) -> str:
    """Return the path at which the documentation has an object."""
    for path in surface.declared(item.value):
        if path in item.paths:
            return path
    own = getattr(item.value, "__name__", "")
    where = _at(surface, public.home(item.value) or "")

    def order(path: str) -> tuple:
        module, _, name = path.rpartition(".")
        return (
            path.startswith(surface.later),
            not item.paths[path],
            surface.homes.get(module, len(surface.homes)),
            module != where,
            path.count("."),
            name != own,
            len(path),
            path,
        )

    return min(item.paths, key=order)


def _at(surface: Surface, module: str) -> str:
    first, dot, rest = module.partition(".")
    return (surface.short if first == surface.root else first) + dot + rest


def _flags(value: Any, is_outdated: bool) -> tuple[bool, bool]:
    """Return whether an object is deprecated, and whether its docstring has examples."""
    text = value.__doc__ if public.has_text(value) else ""
    marked = isinstance(inspect.getattr_static(value, "__deprecated__", None), str)
    return is_outdated or marked or bool(_DEPRECATED.search(text)), bool(_EXAMPLE.search(text))


def _defined(surface: Surface, value: Any) -> str:
    """Return the path at which an object is defined; empty if it is not found there."""
    home, name = public.home(value), getattr(value, "__qualname__", None)
    if not home or not isinstance(name, str) or not name.isidentifier():
        return ""
    if getattr(sys.modules.get(home), name, None) is not value:
        return ""
    return _at(surface, f"{home}.{name}")


def _elsewhere(surface: Surface, objects: dict[int, _Object]) -> dict[int, list[str]]:
    """Return, by object, the paths at which loaded modules have it without offering it.

    An object that declares the public path of another object counts as that object: it lacks only
    the outermost wrappers. Modules that offer everything they have are skipped, because their paths
    are public. A package that the framework passes on may have more names than the framework does.
    """
    found: dict[int, list[str]] = {}
    owners = {path: item for item in objects.values() for path in item.paths}
    for name, module in list(sys.modules.items()):
        first, dot, rest = name.partition(".")
        where = surface.parts.get(first)
        if not isinstance(module, ModuleType) or not (where or first == surface.root):
            continue
        if surface.offers_all(module) != (where is not None):
            continue
        where = where + dot + rest if where else _at(surface, name)
        for bare, value in list(vars(module).items()):
            item = objects.get(id(value))
            if item is None or item.value is not value:
                item = next((owners[p] for p in surface.declared(value) if p in owners), None)
            path = f"{where}.{bare}"
            if item and path not in item.paths and path not in item.passed:
                found.setdefault(id(item.value), []).append(path)
    return found


class _Members:
    """The methods and attributes of the public classes, each under the class nearest to it."""

    def __init__(self, surface: Surface, names: dict[int, str], classes: dict[int, type]) -> None:
        self.surface, self.names, self.classes = surface, names, classes
        #: By the id of the member (for plain data, that of its definer) and its name: a row for
        #: each class that has the member, with rank, id of the class, definer and member.
        self.found: dict[tuple[int, str], list[tuple[tuple, int, type, Any]]] = {}
        for key, cls in classes.items():
            for name, definer, value in self._of(cls):
                if definer is cls or id(definer) not in classes:
                    row = (self._order(key), key, definer, value)
                    shared = value if hasattr(type(value), "__get__") else definer
                    self.found.setdefault((id(shared), name), []).append(row)

    def _order(self, key: int) -> tuple:
        path = self.names[key]
        depth = len(self.classes[key].__mro__)
        return path not in self.surface.holders, depth, path.count("."), len(path), path

    def _of(self, cls: type) -> Iterator[tuple[str, type, Any]]:
        """Yield the framework's members of a class, each with the class that defines it."""
        for name in {*dir(cls), *public.annotations(cls)}:
            definer = None if name.startswith("_") else _definer(cls, name)
            if definer is None or not self.surface.is_own(definer.__module__):
                continue
            value = inspect.getattr_static(cls, name, None)
            value = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            if not inspect.isclass(value) and not isinstance(value, ModuleType):
                yield name, definer, value

    def each(self) -> Iterator[tuple[str, list[str], type, Any]]:
        """Yield the canonical name, the aliases, the definer and the value of each member."""
        for (_, name), rows in self.found.items():
            (_, best, definer, value), *others = sorted(rows, key=lambda row: row[0])
            aliases = [
                f"{self.names[key]}.{name}"
                for _, key, _, _ in others
                if self.names[best] not in self.surface.holders
                and self.classes[best] not in self.classes[key].__mro__
            ]
            yield f"{self.names[best]}.{name}", sorted(aliases), definer, value


def _definer(cls: type, name: str) -> type | None:
    for base in cls.__mro__:
        if name in vars(base) or name in public.annotations(base):
            return base
    return None


def _calls(values: Values, cls: type) -> str:
    """Return what a call of an instance returns; empty if unknown."""
    for name in CALLED:
        definer = _definer(cls, name)
        if definer is not None and definer is not object:
            value = inspect.getattr_static(cls, name, None)
            return values.of_call(value, set(), definer).kind if callable(value) else ""
    return ""


def _assigned(
    surface: Surface, names: dict[int, str], classes: dict[int, type], values: Values
) -> Iterator[Attribute]:
    """Yield the attributes that methods of layers set to an object of a public class.

    These are the inner layers of a layer. If a class assigns something else to such an attribute of
    its base, the attribute is yielded without a value.
    """
    own = {
        key: cls
        for key, cls in classes.items()
        if surface.is_own(cls.__module__) and values.of_class(cls).kind == "module"
    }
    found = {key: assigned.attributes(cls, set(own)) for key, cls in own.items()}
    for key, attributes in found.items():
        above = [found[id(base)] for base in own[key].__mro__[1:] if id(base) in found]
        for name, cls in sorted(attributes.items()):
            is_public = id(cls) in names
            if is_public or any(id(given.get(name)) in names for given in above):
                value = values.of_class(cls) if cls and is_public else Value()
                yield Attribute(f"{names[key]}.{name}", [], value)


def _entries(surface: Surface, found: _Collection) -> tuple[list[Entry], list[Attribute]]:
    """Make the entries of functions, classes and methods, and the attributes."""
    objects = found.objects
    names = {key: _canonical(surface, item) for key, item in objects.items()}
    classes = {key: item.value for key, item in objects.items() if inspect.isclass(item.value)}
    paths = {path: item.value for item in objects.values() for path in item.paths}
    bases = [(paths[path], kind) for path, kind in surface.kinds.items() if path in paths]
    values = Values(surface, {names[key]: cls for key, cls in classes.items()}, bases)
    stated = {
        name: values.of_class(paths[path]) for name, path in surface.gives.items() if path in paths
    }
    entries, attributes = [], []
    for name, aliases, definer, value in _Members(surface, names, classes).each():
        if callable(value):
            given = stated.get(name) or values.of_method(value, name.rpartition(".")[2], definer)
            flags = _flags(value, False)
            entries.append(Entry(name, "method", aliases, "", [], *flags, given))
        else:
            bare = name.rpartition(".")[2]
            attributes.append(Attribute(name, aliases, values.of_attribute(value, bare, definer)))
    attributes += _assigned(surface, names, classes, values)
    for base, _ in bases:
        for bare, is_method, given in values.only_in_stub(base):
            path = f"{names[id(base)]}.{bare}"
            if is_method:
                entries.append(Entry(path, "method", [], "", [], False, False, given))
            else:
                attributes.append(Attribute(path, [], given))
    elsewhere = _elsewhere(surface, objects)
    for key, item in objects.items():
        cls = classes.get(key)
        above = cls.__mro__[1:] if cls else ()
        bases = [names[id(base)] for base in above if id(base) in names]
        made = surface.makes(cls) if cls else ""
        bases += [made] if made else []
        name, where = names[key], _defined(surface, item.value)
        aliases = sorted({*item.paths, *item.passed} - {name})
        given = (
            values.of_class(cls)._replace(given="")
            if cls
            else stated.get(name) or values.of_call(item.value, set(item.paths))
        )
        entries.append(
            Entry(
                name,
                "class" if cls else "function",
                aliases,
                "" if where == name else where,
                bases,
                *_flags(item.value, item.deprecated),
                given,
                _calls(values, cls) if cls else "",
                surface.loops.get(name, ""),
                sorted({*elsewhere.get(key, ())} - {name, where}),
            )
        )
    for value, where in found.data.values():
        first, *others = sorted(where, key=lambda path: (path.count("."), len(path), path))
        attributes.append(Attribute(first, sorted(others), values.of_object(value)))
    return entries, attributes


def _unread(surface: Surface, modules: list[str], entries: list[Entry]) -> Iterator[Any]:
    """Make entries and attributes from the texts of modules that could not be imported."""
    known = {entry.defined: entry for entry in entries if entry.defined}
    for module in modules:
        path = _at(surface, module)
        definitions, others = written.offered(module)
        for item in definitions:
            name, where = f"{path}.{item.name}", _at(surface, item.defined)
            if where in known:
                known[where].aliases.append(name)
                continue
            flags = bool(_DEPRECATED.search(item.text)), bool(_EXAMPLE.search(item.text))
            kind = "class" if item.is_class else "function"
            value = Value("other") if item.is_class else Value()
            where_else = "" if where == name else where
            known[where] = Entry(name, kind, [], where_else, [], *flags, value)
            yield known[where]
        for name in others:
            yield Attribute(f"{path}.{name}", [], Value())


def _distinct(entries: list[Entry], attributes: list[Attribute]) -> Iterator[Any]:
    """Yield entries, then attributes and methods, so that no path belongs to two of them."""
    taken: set[str] = set()
    both: list[Any] = [*sorted(entries), *sorted(attributes)]
    both.sort(key=lambda item: isinstance(item, Attribute) or item.kind == "method")
    firsts = {item.name for item in both}
    for item in both:
        if item.name in taken:
            continue
        taken.add(item.name)
        aliases = [a for a in sorted(set(item.aliases)) if a not in taken and a not in firsts]
        taken.update(aliases)
        yield item._replace(aliases=aliases)


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

    The others include the methods of other packages' classes that the framework uses or extends.
    """
    own: set[str] = set()
    others: set[str] = set()
    for module_name, module in list(sys.modules.items()):
        if not surface.is_own(module_name) or not isinstance(module, ModuleType):
            continue
        for name, value in list(vars(module).items()):
            if isinstance(value, ModuleType) or not callable(value):
                continue
            (own if public.is_own(surface, value) else others).add(name)
            for cls in value.__mro__ if inspect.isclass(value) else ():
                if not surface.is_own(cls.__module__):
                    others.update(key for key, item in vars(cls).items() if callable(item))
    return own, others


def walk(surface: Surface) -> Found:
    """Find the public functions, classes and methods of a framework.

    Raises
    ------
    ImportError
        The root module cannot be imported. Other modules that cannot be imported are listed in the
        result.
    """
    unread: list[tuple[str, str]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collection = _collect(surface, public.modules(surface, unread))
        entries, attributes = _entries(surface, collection)
        modules = sorted({module for module, _ in unread})
        for item in _unread(surface, modules, entries):
            (attributes if isinstance(item, Attribute) else entries).append(item)
        distinct = list(_distinct(entries, attributes))
        entries = sorted(item for item in distinct if isinstance(item, Entry))
        attributes = sorted(item for item in distinct if isinstance(item, Attribute))
        names = {path.rpartition(".")[2] for e in entries for path in (e.name, *e.aliases)}
        own, others = _loaded_names(surface)
        private = (_own_names(surface) | own) - names
    foreign = sorted(others - private - names)
    return Found(entries, attributes, sorted(private), foreign, sorted(set(unread)))
