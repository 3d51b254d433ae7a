"""Record the calls of a process: which function, with what kind of arguments, where, how long."""

from __future__ import annotations

import json
import sys
import threading
import time
import types
from typing import Any, Callable

from pmdriver.record.describe import Describer, Unknown
from pmdriver.record.names import Names
from pmdriver.record.rewrite import Sites

MOST_DESCRIBED = 100
"""Calls of a site that are described; later ones are only counted and timed."""

MOST_SIGNATURES = 50_000

_FUNCTION = types.FunctionType
_METHODS = (types.MethodType, types.BuiltinMethodType, type([].__len__))
_TRACING = "torch.compiler.is_compiling"


class Recorder:
    """The calls of this process, by site and by signature.

    Parameters
    ----------
    documents
        Inventories of the frameworks to record.
    sites
        The places of the calls.
    keep_values
        Also keep long texts.
    """

    def __init__(
        self, documents: list[dict[str, Any]], sites: Sites, *, keep_values: bool = False
    ) -> None:
        self.sites = sites
        self.frameworks = [
            (names, Describer(names, keep_values=keep_values)) for names in map(Names, documents)
        ]
        self.roots = frozenset(root for names, _ in self.frameworks for root in names.packages)
        self.local = threading.local()
        self.clear()

    def clear(self) -> None:
        """Forget all calls, as a forked child does."""
        self.calls: dict[tuple[int, str], list[float]] = {}
        self.signatures: dict[str, list[Any]] = {}
        self.unknown: dict[str, dict[str, int]] = {}
        self.signature_sites: dict[str, set[int]] = {}
        self.begun = time.perf_counter_ns()

    # ---- what is called --------------------------------------------------------------------------

    def call(self, site: int, target: Any) -> Any:
        """Return what the program calls: `target`, or a function that calls and records it."""
        if type(target) is _FUNCTION:
            module = target.__module__
            if module is None or module.partition(".")[0] not in self.roots:
                return target
        elif getattr(self.local, "busy", False):
            return target
        try:
            found = self._classify(target)
        except Exception:
            return target
        if found is None:
            return target
        return self._wrapped(site, target, *found)

    def _classify(self, target: Any) -> tuple[Names, Describer, str, str, Any] | None:
        """Return names, describer, the public name, the form and the object of a call."""
        for names, describer in self.frameworks:
            if names.root not in sys.modules:
                continue
            found = self._classify_in(names, target)
            if found is None and self._may_be(names, target) and names.refresh():
                found = self._classify_in(names, target)
            if found is not None:
                return names, describer, *found
        return None

    @staticmethod
    def _may_be(names: Names, target: Any) -> bool:
        owner = getattr(target, "__self__", None)
        return names.owns(target) or names.owns(type(owner)) or names.owns(type(target))

    @staticmethod
    def _classify_in(names: Names, target: Any) -> tuple[str, str, Any] | None:
        name = names.of_object(target)
        if name is not None:
            return name, "constructor" if isinstance(target, type) else "function", None
        if isinstance(target, type):
            return None
        owner = getattr(target, "__self__", None)
        bound = owner is not None and not isinstance(owner, (types.ModuleType, type))
        if bound and type(target).__module__ == "builtins":
            name = names.of_method(type(owner), getattr(target, "__name__", ""))
            return (name, "method", owner) if name else None
        name = names.of_class(type(target))
        if name is not None and type(target).__module__ != "builtins":
            return name, "instance", target
        return None

    # ---- recording -------------------------------------------------------------------------------

    def _wrapped(
        self,
        site: int,
        target: Any,
        names: Names,
        describer: Describer,
        name: str,
        form: str,
        owner: Any,
    ) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            entry = self.calls.get((site, name))
            if entry is None:
                entry = self.calls[site, name] = [0, 0, 0, 0]
            entry[0] += 1
            key = None
            if entry[0] <= MOST_DESCRIBED and not getattr(self.local, "busy", False):
                key = self._describe(site, describer, name, form, owner, args, kwargs)
            outer, self.local.inner = getattr(self.local, "inner", 0), 0
            begun = time.perf_counter_ns()
            try:
                result = target(*args, **kwargs)
            except BaseException:
                entry[2] += 1
                raise
            finally:
                took = time.perf_counter_ns() - begun
                own = took - self.local.inner
                self.local.inner = outer + took
                entry[1] += own
                if key is not None:
                    signature = self.signatures[key]
                    signature[1] += 1
                    signature[2] += own
            if form == "constructor" and key is not None:
                describer.remember(result, json.loads(key))
            return result

        return call

    def _describe(
        self,
        site: int,
        describer: Describer,
        name: str,
        form: str,
        owner: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> str | None:
        """Add the signature of a call; return its key, or None if it cannot be described."""
        self.local.busy = True
        try:
            call = {
                "framework": describer.names.framework,
                "name": name,
                "form": form,
                "args": [describer.describe(value) for value in args],
                "kwargs": {key: describer.describe(value) for key, value in kwargs.items()},
            }
            if owner is not None:
                call["self"] = describer.describe(owner)
            key = json.dumps(call, sort_keys=True)
        except Unknown as why:
            reasons = self.unknown.setdefault(name, {})
            reasons[str(why)] = reasons.get(str(why), 0) + 1
            return None
        except Exception:
            reasons = self.unknown.setdefault(name, {})
            reasons["an exception"] = reasons.get("an exception", 0) + 1
            return None
        finally:
            self.local.busy = False
        if key not in self.signatures:
            if len(self.signatures) >= MOST_SIGNATURES:
                return None
            self.signatures[key] = [call, 0, 0]
            self.signature_sites[key] = set()
        if len(self.signature_sites[key]) < 4:
            self.signature_sites[key].add(site)
        return key

    def document(self) -> dict[str, Any]:
        """Return what was recorded, as JSON."""
        places = self.sites.items
        return {
            "python": sys.executable,
            "argv": [str(word) for word in getattr(sys, "argv", [])][:1],
            "took": time.perf_counter_ns() - self.begun,
            "versions": {
                names.framework: str(getattr(sys.modules.get(names.root), "__version__", ""))
                for names, _ in self.frameworks
                if names.root in sys.modules
            },
            "calls": [
                [*places[site], name, int(count), int(own), int(raised)]
                for (site, name), (count, own, raised, _) in self.calls.items()
            ],
            "signatures": [
                [call, count, own, [list(places[at]) for at in sorted(self.signature_sites[key])]]
                for key, (call, count, own) in self.signatures.items()
            ],
            "unknown": self.unknown,
        }
