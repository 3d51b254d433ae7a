"""The public modules of a framework, and what each of them offers (docs/internals/scanning.md)."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections import deque
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

from pmdriver import failure, written
from pmdriver.surface import Surface

#: The most characters of the reason why a module could not be imported.
MOST_REASON = 200

#: Modules whose classes and objects are for type checkers.
_TYPING = {"typing", "typing_extensions"}


class Offer(NamedTuple):
    """What a module offers under a name.

    Attributes
    ----------
    name
        The name without the module's path; for a member of a namespace in the module, with a dot.
    value
        The object.
    is_passed_by
        Whether the module only imports the object. Such a path counts only if the object is public
        elsewhere.
    is_outdated
        Whether the module says that the name is deprecated.
    """

    name: str
    value: Any
    is_passed_by: bool
    is_outdated: bool


# ------------------------------------------------------------------------------------ modules


def _why(module: str, error: BaseException) -> tuple[str, str]:
    return module, failure.summary(error, MOST_REASON)


def _submodules(surface: Surface, module: ModuleType, unread: list) -> Iterator[ModuleType]:
    """Import and yield the public submodules of a package; add failures to `unread`."""
    for info in pkgutil.iter_modules(own_value(module, "__path__", ())):
        name = f"{module.__name__}.{info.name}"
        if info.name.startswith("_") or surface.is_hidden(name):
            continue
        try:
            yield importlib.import_module(name)
        except (Exception, SystemExit) as error:
            unread.append(_why(name, error))


def modules(surface: Surface, unread: list) -> Iterator[tuple[str, ModuleType]]:
    """Yield each public path and its module, shorter paths first; a module may have several."""
    root = importlib.import_module(surface.root)
    waiting: deque[tuple[str, tuple[ModuleType, ...]]] = deque([(surface.short, (root,))])
    while waiting:
        path, line = waiting.popleft()
        module = line[-1]
        try:
            dir(module)  # loads a module that is loaded lazily
        except Exception as error:
            unread.append(_why(module.__name__, error))
            continue
        yield path, module
        children: dict[str, ModuleType] = {}
        if surface.imports and path == surface.own_path(module):
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


def own_value(module: ModuleType, name: str, fallback: Any) -> Any:
    """Return a module's attribute without calling its ``__getattr__``, which may make up values."""
    return vars(module).get(name, fallback)


def _public_items(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the attributes without a leading underscore, except those that raise."""
    listed = own_value(module, "__all__", ())
    for name in sorted({*dir(module), *listed, *own_value(module, "_deprecations", {})}):
        if not isinstance(name, str) or name.startswith("_"):
            continue
        try:
            yield name, getattr(module, name)
        except Exception:
            continue


# ------------------------------------------------------------------------------------- offers


def home(value: Any) -> str | None:
    """Return the name of the module in which an object, or an instance's class, is defined."""
    where = getattr(value, "__module__", None)
    return where if isinstance(where, str) else None


def is_callable(value: Any) -> bool:
    """Return whether a value can be called; False for modules and for objects of `typing`."""
    if isinstance(value, ModuleType) or not callable(value):
        return False
    return not {home(value), type(value).__module__} & _TYPING


def is_own(surface: Surface, value: Any) -> bool:
    """Return whether a function, a class or an instance's class belongs to the framework."""
    if inspect.isclass(value) or not inspect.isbuiltin(value):
        return surface.is_own(home(value)) or (
            not inspect.isclass(value) and surface.is_own(type(value).__module__)
        )
    return home(value) is None or surface.is_own(home(value))


def has_text(value: Any) -> bool:
    """Return whether an object has a docstring of its own, not only that of its class."""
    doc = getattr(value, "__doc__", None)
    is_inherited = not inspect.isclass(value) and doc == getattr(type(value), "__doc__", None)
    return isinstance(doc, str) and bool(doc.strip()) and not is_inherited


def annotations(cls: type) -> dict[str, Any]:
    """Return the annotations in the body of a class."""
    found = vars(cls).get("__annotations__")
    return found if isinstance(found, dict) else {}


def _is_data(value: Any) -> bool:
    """Return whether a value is neither a module nor only for type checkers."""
    return not isinstance(value, ModuleType) and type(value).__name__ not in (
        "TypeVar",
        "ParamSpec",
        "_Feature",
    )


def offers(surface: Surface, module: ModuleType) -> Iterator[Offer]:
    """Yield the functions, classes and data that a module makes public or only imports."""
    listed = own_value(module, "__all__", None)
    outdated = own_value(module, "_deprecations", {})
    everything = surface.offers_all(module)
    names = written.Names(set(), set(), set(), {})
    if not everything:
        names = written.names(surface.root, module)
    is_facade = not everything and (hasattr(module, "__path__") or not names.defined)
    for name, value in _public_items(module):
        if isinstance(value, SimpleNamespace) and type(value) is SimpleNamespace:
            for key, item in sorted(vars(value).items()):
                if not key.startswith("_"):
                    yield Offer(f"{name}.{key}", item, False, False)
        if not _is_data(value):
            continue
        own = is_callable(value) and is_own(surface, value)
        is_public = everything or name in outdated or (listed is not None and name in listed)
        if not is_public and own:
            is_public = home(value) == module.__name__ or name in names.assigned
        if not is_public and listed is None:
            is_public = name in names.passed_on or (own and home(value) is None)
        source = names.imported.get(name, "")
        if not is_public and surface.facades and own and hasattr(module, "__path__"):
            is_public = source.startswith(module.__name__ + ".") and "._" not in source
            is_public = is_public or (
                has_text(value) and ("._" in source or name in names.passed_on)
            )
        if is_public or (own and source and (is_facade or "._" in source)):
            yield Offer(name, value, not is_public, name in outdated)
