"""What differs between frameworks in the walk through their public names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any


class Surface:
    """Where a framework's public names are, and which of several paths is the canonical one.

    Attributes
    ----------
    root
        The module to import: ``"tensorflow"``.
    short
        What its names begin with: ``"tf"``.
    version
        The version of the framework.
    packages
        Top-level packages whose objects are the framework's own.
    imports
        Whether to import public submodules that are not imported yet.
    hidden
        Modules that are not public, with everything in them, although their names have no leading
        underscore.
    later
        Prefixes of paths that are canonical only if there is no other path.
    homes
        Modules with pages in the documentation that list names of other modules. A path in an
        earlier module is preferred.
    facades
        Whether packages make public, even without ``__all__``, what they import from their own
        public modules, and what they import from private modules if it has a docstring.
    holders
        Classes under which methods are listed that they share with other classes.
    kinds
        Base classes and the kind of their instances: ``{"torch.Tensor": "array"}``.
    loops
        Classes and what a loop over an instance yields:
        ``{"torch.utils.data.DataLoader": "arrays"}``.
    gives
        The classes of results, by the canonical names of functions and methods with annotations
        and docstrings that do not say what they return. For a context manager, it is the class of
        the value that ``with`` binds.
    results
        Modules in which tuple classes consist of arrays.
    parts
        Packages that programs import directly and that the framework also passes on, each with the
        path there: ``{"keras": "tf.keras"}``.
    stubs
        Typing stubs, as files relative to the framework's folder, each with the public path of
        the names that it describes: ``{"_C/_VariableFunctions.pyi": "torch"}``.
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
        homes: Iterable[str] = (),
        facades: bool = False,
        holders: Iterable[str] = (),
        kinds: Mapping[str, str] | None = None,
        loops: Mapping[str, str] | None = None,
        gives: Mapping[str, str] | None = None,
        results: Iterable[str] = (),
        parts: Mapping[str, str] | None = None,
        stubs: Mapping[str, str] | None = None,
    ) -> None:
        self.root = root
        self.short = short or root
        self.version = version
        self.packages = frozenset(packages) | {root}
        self.imports = imports
        self.hidden = tuple(hidden)
        self.later = tuple(later)
        self.homes = {home: rank for rank, home in enumerate(homes)}
        self.facades = facades
        self.kinds = dict(kinds or {})
        self.gives = dict(gives or {})
        self.results = frozenset(results)
        self.loops = dict(loops or {})
        self.parts = dict(parts or {})
        self.stubs = dict(stubs or {})
        self.holders = frozenset(holders)

    def is_own(self, module: str | None) -> bool:
        """Return whether a module, given by its name, belongs to the framework."""
        return isinstance(module, str) and module.split(".")[0] in self.packages

    def is_hidden(self, module: str) -> bool:
        """Return whether a module, given by its name, or a package that contains it is hidden."""
        return any(module == name or module.startswith(name + ".") for name in self.hidden)

    def leads_to(self, parent: ModuleType, child: ModuleType) -> bool:
        """Return whether an attribute that is a module is part of the public tree."""
        return child.__name__.startswith(parent.__name__ + ".")

    def offers_all(self, module: ModuleType) -> bool:
        """Return whether everything in a module is public, no matter where it is defined."""
        return False

    def own_path(self, module: ModuleType) -> str:
        """Return the path of a module by its own name; other paths may lead to it too."""
        first, dot, rest = module.__name__.partition(".")
        return (self.short if first == self.root else first) + dot + rest

    def makes(self, cls: type) -> str:
        """Return the path of the class of the objects that `cls` makes; empty if this is `cls`."""
        return ""

    def declared(self, value: Any) -> list[str]:
        """Return the paths that an object itself declares as canonical, best first."""
        return []
