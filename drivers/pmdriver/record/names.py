"""Find the public name of a called function.

The names come from an inventory. An object is looked up by its identity, a method by the public
classes of its object. Nothing is imported for a name: a program does not call functions that it has
not imported.
"""

from __future__ import annotations

import sys
import types
from typing import Any

_NONE = object()
#: The module of `tf.keras`, and the module of a program that imports only Keras.
_KERAS = ("keras._tf_keras.keras", "keras")
_PLAIN = (type(None), bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset)


class Names:
    """The public names of one framework.

    Attributes
    ----------
    framework
        Its name: ``"pytorch"``.
    root
        The module that is imported: ``"torch"``.
    packages
        Top-level packages whose objects are the framework's.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.framework: str = document["framework"]
        self.root: str = document["root"]
        self.short: str = document["short"]
        self.packages = frozenset({self.root, "keras" if self.root == "tensorflow" else self.root})
        self.canonical: dict[str, str] = {}
        for entry in document["functions"]:
            for name in (entry["name"], *entry["aliases"]):
                self.canonical.setdefault(name, entry["name"])
        self._by_id: dict[int, tuple[str, Any]] = {}
        self._classes: dict[int, str] = {}
        self._methods: dict[tuple[type, str], str] = {}
        self._modules = -1

    def _find(self, path: str) -> Any:
        """Return the object of a public path, or `_NONE`, without importing or computing it."""
        parts = path.split(".")
        found = sys.modules.get(self.root)
        module = self.root
        if parts[:2] == ["tf", "keras"]:  # TensorFlow's own attribute is loaded lazily
            parts = parts[1:]
            module = next((name for name in _KERAS if name in sys.modules), "")
            found = sys.modules.get(module, _NONE)
        for part in parts[1:]:
            module = f"{module}.{part}"
            space = getattr(found, "__dict__", None)
            if space is not None and part in space:
                found = space[part]
            elif module in sys.modules:
                found = sys.modules[module]
            elif isinstance(found, type):
                found = getattr(found, part, _NONE)
            else:
                return _NONE
        return found

    def refresh(self) -> bool:
        """Look all names up again if modules were imported since; return whether this was done."""
        count = len(sys.modules)
        if count == self._modules:
            return False
        self._modules = count
        for path, name in self.canonical.items():
            found = self._find(path)
            if found is _NONE or isinstance(found, (*_PLAIN, types.ModuleType)):
                continue
            known = self._by_id.get(id(found))
            if known is None or known[1] is not found or path == name:
                self._by_id[id(found)] = (name, found)
            if isinstance(found, type):
                self._classes.setdefault(id(found), name)
        self._methods.clear()
        return True

    def of_object(self, target: Any) -> str | None:
        """Return the public name of a function or class, or None."""
        found = self._by_id.get(id(target))
        return found[0] if found is not None and found[1] is target else None

    def is_method(self, name: str) -> bool:
        """Return whether a name is that of a method: its parent is a class."""
        return isinstance(self._find(name.rpartition(".")[0]), type)

    def compiled(self, target: Any) -> str | None:
        """Return which function compiled `target`, such as ``jax.jit``; None if it is not compiled.

        Libraries such as Flax and Equinox wrap `jax.jit` in classes of their own.
        """
        kind = type(target)
        if self.root == "jax":
            if kind.__name__ == "PjitFunction":
                return "jax.jit"
            if "jit" in kind.__name__.lower() and hasattr(target, "__wrapped__"):
                return "jax.jit"
        if self.root == "tensorflow" and kind.__module__.startswith("tensorflow.python.eager"):
            return "tf.function" if "Function" in kind.__name__ else None
        return None

    def of_class(self, cls: type) -> str | None:
        """Return the name of a public class, or None."""
        return self._classes.get(id(cls))

    def of_instance(self, cls: type) -> str | None:
        """Return the name of the public class of an object, or None.

        The class of the object may be a private class of the framework that is derived from a
        public one, as for `tf.keras.Model`.
        """
        for base in cls.__mro__:
            if self.of_class(base) or not self.owns(base):
                return self.of_class(base)
        return None

    def of_method(self, cls: type, attribute: str) -> str | None:
        """Return the public name of a method of a class, or None."""
        key = (cls, attribute)
        if key not in self._methods:
            self._methods[key] = self._method(cls, attribute) or ""
        return self._methods[key] or None

    def _method(self, cls: type, attribute: str) -> str | None:
        for base in cls.__mro__:
            name = self.of_class(base)
            if name and f"{name}.{attribute}" in self.canonical:
                return self.canonical[f"{name}.{attribute}"]
            if attribute in vars(base) and not self.owns(base):
                return None  # a class of the program overrides it
        if self.root == "jax" and cls.__module__.partition(".")[0] in ("jax", "jaxlib"):
            return self.canonical.get(f"jax.Array.{attribute}")
        return None

    def owns(self, thing: Any) -> bool:
        """Return whether the framework defines a function, a class or an object's class."""
        module = getattr(thing, "__module__", None)
        return isinstance(module, str) and module.partition(".")[0] in self.packages
