"""The public names of a framework as objects: what a census makes cases for."""

from __future__ import annotations

import enum
import importlib
import inspect
import sys
from types import ModuleType
from typing import Any, NamedTuple

from pmdriver import failure
from pmdriver.census import signatures
from pmdriver.census.signatures import Parameter
from pmdriver.framework import MOST_REASON


class Item(NamedTuple):
    """A public name.

    Attributes
    ----------
    name, kind
        As in the inventory: ``function``, ``class`` or ``method``.
    value
        The object.
    owner
        Of a method: the name of its class.
    docs
        The docstring.
    signatures
        Lists of parameters, likely ones first.
    imports
        Statements without which the name cannot be used.
    holder
        Of a method: the class.
    spelling
        How the imports make the name available, if not by its path.
    """

    name: str
    kind: str
    value: Any
    owner: str
    docs: str
    signatures: list[list[Parameter]]
    imports: tuple[str, ...]
    holder: Any = None
    spelling: str = ""

    @property
    def text(self) -> str:
        """How a call writes the name."""
        return self.spelling or self.name


class Unusable(Exception):
    """No case can be made for a name; the message says why."""


class Abstract(Unusable):
    """A class makes no objects if it is called, but other functions may make some."""

    def __init__(self, item: Item) -> None:
        super().__init__("an abstract class")
        self.item = item


def resolve(short: str, root: str, name: str) -> tuple[Any, tuple[str, ...]]:
    """Return the object with a name, and the imports that it needs.

    Raises
    ------
    Unusable
        The name does not exist.
    """
    first, *rest = name.split(".")
    if first != short:
        raise Unusable(f"the name does not begin with {short}")
    value: Any = importlib.import_module(root)
    needs = ""
    for at, part in enumerate(rest):
        path = ".".join([root, *rest[: at + 1]])
        if isinstance(value, ModuleType) and not hasattr(value, part):
            try:
                hidden = importlib.import_module(path)
            except Exception as error:
                line = failure.summary(error, MOST_REASON)
                raise Unusable(f"{path} cannot be imported: {line}") from None
            if not hasattr(value, part):  # the package deletes its module
                value = hidden
                continue
        elif at + 1 < len(rest) and _hides(value, part, rest[at + 1], path):
            value = sys.modules[path]
            continue
        try:
            value = getattr(value, part)
        except AttributeError:
            raise Unusable("no object has this name") from None
        if isinstance(value, ModuleType) and path in sys.modules and path not in AT_FIRST:
            needs = path
    return value, (f"import {needs}",) if needs else ()


def _hides(value: Any, part: str, following: str, path: str) -> bool:
    """Return whether a package has another object where a path means its module."""
    if not isinstance(value, ModuleType) or path not in sys.modules:
        return False
    own = getattr(value, part)
    return not isinstance(own, ModuleType) and not hasattr(own, following)


def _spelled(short: str, root: str, name: str) -> tuple[str, str]:
    """Return how a name is written that its path does not lead to, and the import that it needs.

    Both are empty for other names.
    """
    value: Any = sys.modules[root]
    path, parts = root, name.split(".")[1:]
    for at, part in enumerate(parts):
        deeper = f"{path}.{part}"
        own = getattr(value, part, None)
        is_hidden = (
            isinstance(value, ModuleType)
            and deeper in sys.modules
            and own is not sys.modules[deeper]
            and at + 1 < len(parts)
            and not hasattr(own, parts[at + 1])
        )
        if is_hidden:
            rest = ".".join(parts[at + 1 :])
            return rest, f"from {deeper} import {parts[at + 1]}"
        value, path = own, deeper
    return "", ""


#: The modules that the import of the framework loads; set once, before anything else is imported.
AT_FIRST: set[str] = set()


def remember_modules() -> None:
    """Store in `AT_FIRST` which modules are loaded; called when only the framework is imported."""
    AT_FIRST.update(sys.modules)


def docs_of(value: Any) -> str:
    """Return the docstring; for a class, also the docstring of its constructor."""
    found = getattr(value, "__doc__", None)
    text = found if isinstance(found, str) else ""
    if isinstance(value, type):
        own = getattr(value.__init__, "__doc__", None)
        text = f"{text}\n{own}" if isinstance(own, str) else text
    return text


def check_class(value: Any) -> None:
    """Refuse a class for which no case is made, such as an exception class.

    Raises
    ------
    Unusable
        With the reason.
    """
    if not isinstance(value, type):
        return
    if issubclass(value, BaseException):
        raise Unusable("an exception class")
    if issubclass(value, enum.Enum):
        raise Unusable("an enumeration")


def _is_abstract(value: Any) -> bool:
    is_protocol = getattr(value, "_is_protocol", False)
    return isinstance(value, type) and (is_protocol or inspect.isabstract(value))


def item(kit: Any, short: str, root: str, name: str, kind: str) -> Item:
    """Return the item of a public name.

    Raises
    ------
    Unusable
        With the reason.
    """
    value, imports = resolve(short, root, name)
    if not callable(value):
        raise Unusable("not callable")
    check_class(value)
    owner, _, bare = name.rpartition(".")
    if _is_abstract(value):
        raise Abstract(Item(name, kind, value, owner, docs_of(value), [], imports))
    holder = None
    if kind == "method":
        holder, _ = resolve(short, root, owner)
        if isinstance(inspect.getattr_static(holder, bare, None), (classmethod, staticmethod)):
            kind = "function"
    docs = docs_of(value)
    more = kit.signatures(name, value)
    found = signatures.all_of(value, bare, docs, more)
    spelling, needed = _spelled(short, root, name)
    imports = (needed,) if needed else imports
    return Item(name, kind, value, owner, docs, found, imports, holder, spelling)
