"""What differs between frameworks in the walk through their public names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any


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
    homes
        Modules whose pages of the documentation list what other modules define: a path in an
        earlier one comes before one in a later one.
    facades
        Packages pass on, although ``__all__`` does not list it, what they import from their own
        public modules, or from private modules if it has a docstring.
    holders
        Classes that are listed with the methods that they share with other classes.
    kinds
        Base classes and the kind of their instances: ``{"torch.Tensor": "array"}``.
    loops
        Classes and what a loop over an instance gives:
        ``{"torch.utils.data.DataLoader": "arrays"}``.
    gives
        Functions and methods whose annotations and docstrings do not say what they give, by their
        canonical names, each with the class of what they give. Of a context manager, it is the
        class of what ``with`` gives.
    results
        Modules of which the tuples have arrays.
    parts
        Packages that code imports and that the framework passes on, each with the path at which it
        does: ``{"keras": "tf.keras"}``.
    stubs
        Typing stubs, as files relative to the framework's folder, each with the public path of
        what it describes: ``{"_C/_VariableFunctions.pyi": "torch"}``.
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
        """Return whether a module, given by its name, or a package around it is hidden."""
        return any(module == name or module.startswith(name + ".") for name in self.hidden)

    def leads_to(self, parent: ModuleType, child: ModuleType) -> bool:
        """Return whether an attribute that is a module is part of the public tree."""
        return child.__name__.startswith(parent.__name__ + ".")

    def offers_all(self, module: ModuleType) -> bool:
        """Return whether everything in a module is public, wherever it was defined."""
        return False

    def own_path(self, module: ModuleType) -> str:
        """Return the path of a module itself; it may be reached by others too."""
        first, dot, rest = module.__name__.partition(".")
        return (self.short if first == self.root else first) + dot + rest

    def makes(self, cls: type) -> str:
        """Return the path of the class whose instances a class makes instead of its own."""
        return ""

    def declared(self, value: Any) -> list[str]:
        """Return the paths that an object itself declares as canonical, best first."""
        return []
