"""Record the calls of a process: the function, the kinds of arguments, the site, and the time."""

from __future__ import annotations

import itertools
import json
import sys
import threading
import time
import types
from typing import Any, Callable

from pmdriver.record.describe import Describer
from pmdriver.record.names import Names
from pmdriver.record.rewrite import Sites
from pmdriver.record.values import Unknown

MOST_DESCRIBED = 100
"""The first calls of a site are described, up to this number; then only every `STRIDE`th call."""

STRIDE = 13
"""A prime: if a site is called several times in each round of a loop, each call gets its turn."""

MOST_SIGNATURES = 50_000
MOST_SHAPES = 1000

_FUNCTION = types.FunctionType
_METHOD_WRAPPER = type([].__len__)


class Calls:
    """What is known about the calls of one function at one site.

    Attributes
    ----------
    count, raised
        The number of calls, and of those that raised an exception.
    traced
        Calls that a compiler traced; no time includes them.
    ns
        Time of the calls, without the recorded calls inside them.
    outer, outer_ns
        Calls that are not inside another described call, and their whole time.
    covers
        Whether the last described call could be described.
    described
        The number of calls that were described, including failed attempts.
    new, new_ns
        The number of calls that were the first with their shapes, and their time.
    shapes
        The number of calls by the dtypes and shapes of their arrays.
    signatures
        By key: the number of calls, their time without recorded calls inside, the number of outer
        calls, their whole time, and the number that `Recorder` gave to the first of the outer
        calls (0: there is none). All times are in ns.
    """

    __slots__ = (
        "count", "raised", "traced", "ns", "outer", "outer_ns", "covers", "described", "new",
        "new_ns", "signatures", "form", "framework", "shapes",
    )  # fmt: skip

    def __init__(self, framework: str, form: str) -> None:
        self.count = self.raised = self.traced = self.ns = self.outer = self.outer_ns = 0
        self.described = self.new = self.new_ns = 0
        self.covers = False
        self.signatures: dict[str, list[int]] = {}
        self.form = form
        self.framework = framework
        self.shapes: dict[Any, int] = {}


def _has_turn(count: int) -> bool:
    """Return whether the call with this number at its site is described."""
    return count <= MOST_DESCRIBED or count % STRIDE == 0


def _plain_shapes(shapes: Any) -> list[Any]:
    """Return dtypes and shapes as JSON; a dimension that is not known is null."""
    return [[dtype, [d if type(d) is int else None for d in shape]] for dtype, shape in shapes]


class _Frame:
    """A recorded call that has not returned."""

    __slots__ = ("site", "name", "covered", "inner_ns", "recording_ns", "seen")

    def __init__(self, site: int, name: str, covered: bool) -> None:
        self.site = site
        self.name = name
        self.covered = covered
        self.inner_ns = 0
        self.recording_ns = 0  # time in which calls inside this one were recorded
        self.seen = False


class _Thread(threading.local):
    def __init__(self) -> None:
        self.stack: list[_Frame] = []
        self.busy = False
        self.recording_ns = 0  # time in which calls that are inside no other were recorded


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
        self.inner_names: dict[int, tuple[Any, str, str]] = {}
        self.clear()

    def clear(self) -> None:
        """Forget all calls, as a forked child does."""
        self.local = _Thread()
        self.calls: dict[tuple[int, str], Calls] = {}
        self.signatures: dict[str, Any] = {}
        self.unknown: dict[str, dict[str, int]] = {}
        self.firsts = itertools.count(1)
        self.begun = time.perf_counter_ns()

    # ---- what is called --------------------------------------------------------------------------

    def call(self, site: int, target: Any) -> Any:
        """Return the function to call instead of `target`: itself, or a wrapper that records it."""
        if type(target) is _FUNCTION:
            module = target.__module__
            if module is None or module.partition(".")[0] not in self.roots:
                return target
        elif self.local.busy:
            return target
        try:
            found = self._classify(target)
        except Exception:
            return target
        if found is None:
            return target
        return self._wrapped(site, target, *found)

    def _classify(self, target: Any) -> tuple[Describer, str, str, Any] | None:
        """Return the describer, the public name, the form and the object of a call."""
        for names, describer in self.frameworks:
            if names.root not in sys.modules:
                continue
            found = self._classify_in(names, target)
            if found is None and self._may_be(names, target) and names.refresh():
                found = self._classify_in(names, target)
            if found is not None:
                return describer, *found
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
        name = names.compiled(target)
        if name is not None:
            return name, "compiled", None
        name = names.of_instance(type(target))
        if name is not None and type(target).__module__ != "builtins":
            return name, "instance", target
        return None

    # ---- recording -------------------------------------------------------------------------------

    def _wrapped(
        self, site: int, target: Any, describer: Describer, name: str, form: str, owner: Any
    ) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            return self.record(site, target, describer, name, form, owner, args, kwargs)

        return call

    def record(
        self,
        site: int,
        target: Any,
        describer: Describer,
        name: str,
        form: str,
        owner: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Make a call and record it; return its result.

        No time of a call includes the time in which it and the calls inside it are recorded.
        """
        entered = time.perf_counter_ns()
        kwargs = kwargs or {}
        entry = self.calls.get((site, name))
        if entry is None:
            entry = self.calls[site, name] = Calls(describer.names.framework, form)
        local = self.local
        entry.count += 1
        key = shapes = unit = None
        symbolic = describer.symbolic(args, kwargs)
        traced = symbolic or describer.tracing()
        turn = not symbolic and not local.busy and _has_turn(entry.count)
        if form == "compiled":
            shapes = describer.shapes(args, kwargs)
            if turn and not traced:
                unit = self._begin_unit(entry, describer, name, args, kwargs)
        elif turn:
            shapes = describer.shapes((owner, *args), kwargs)
            key = self._describe(entry, describer, name, form, owner, args, kwargs)
        stack = local.stack
        parent = stack[-1] if stack else None
        within = parent is not None and parent.covered
        frame = _Frame(site, name, within or entry.covers)
        stack.append(frame)
        begun = time.perf_counter_ns()
        try:
            result = target(*args, **kwargs)
        except BaseException:
            entry.raised += 1
            unit = None
            raise
        finally:
            ended = time.perf_counter_ns()
            took = ended - begun - frame.recording_ns
            if unit is not None:
                key = self._end_unit(entry, describer, name, target, args, kwargs, unit)
            if frame in stack:
                del stack[stack.index(frame) :]
            if traced:
                entry.traced += 1
            else:
                if parent is not None:
                    parent.inner_ns += took
                self._count(entry, key, shapes, took, frame.inner_ns, within)
            recording = begun - entered + frame.recording_ns
            (parent or local).recording_ns += recording + time.perf_counter_ns() - ended
        if key is not None and unit is None:
            (parent or local).recording_ns += self._look_at(describer, key, owner, result)
        return result

    def _count(
        self, entry: Calls, key: str | None, shapes: Any, took: int, inner_ns: int, within: bool
    ) -> None:
        """Add the times of a call that is not traced."""
        own = took - inner_ns
        entry.ns += own
        if not within:
            entry.outer += 1
            entry.outer_ns += took
        if shapes in entry.shapes:
            entry.shapes[shapes] += 1
        elif shapes is not None and len(entry.shapes) < MOST_SHAPES:
            entry.shapes[shapes] = 1
            entry.new += 1
            entry.new_ns += own
            if entry.form == "compiled":  # the time is that of compiling, not of the unit
                own = took = 0
        if key is not None:
            counts = entry.signatures[key]
            counts[0] += 1
            counts[1] += own
            if not within:
                counts[2] += 1
                counts[3] += took
                counts[4] = counts[4] or next(self.firsts)

    def _look_at(self, describer: Describer, key: str, owner: Any, result: Any) -> int:
        """Store how a result was made, and whether a gradient flows through it.

        Return how long this took, in ns.
        """
        begun = time.perf_counter_ns()
        self.local.busy = True
        try:
            signature = self.signatures[key]
            if result is not owner:
                describer.remember(result, signature)
            if signature["form"] != "constructor" and not signature.get("flows"):
                signature["flows"] = describer.flows(result)
        except Exception:
            pass  # the recorded program does not notice what cannot be described
        finally:
            self.local.busy = False
        return time.perf_counter_ns() - begun

    def _describe(
        self,
        entry: Calls,
        describer: Describer,
        name: str,
        form: str,
        owner: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> str | None:
        """Add the signature of a call; return its key, or None if it cannot be described."""
        self.local.busy = True
        entry.described += 1
        entry.covers = False
        try:
            with describer.unwatched():
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
            self._not_described(name, str(why))
            return None
        except Exception:
            self._not_described(name, "an exception")
            return None
        finally:
            self.local.busy = False
        return self._kept(entry, key, call)

    def _kept(self, entry: Calls, key: str, call: Any) -> str | None:
        """Store the signature of a call; return its key, or None if there are too many."""
        if key not in self.signatures:
            if len(self.signatures) >= MOST_SIGNATURES:
                return None
            self.signatures[key] = call
        entry.signatures.setdefault(key, [0, 0, 0, 0, 0])
        entry.covers = True
        return key

    def _begin_unit(
        self, entry: Calls, describer: Describer, name: str, args: Any, kwargs: Any
    ) -> Any:
        """Describe the arguments of a compiled function, which may consume them; None if it cannot.

        The function is described after the call: describing it would trace it before its call.
        """
        if describer.units is None:
            return None
        self.local.busy = True
        entry.described += 1
        entry.covers = False
        try:
            return describer.units.leaves(describer.describe, args, kwargs)
        except Unknown as why:
            self._not_described(name, str(why))
        except Exception:
            self._not_described(name, "an exception")
        finally:
            self.local.busy = False
        return None

    def _end_unit(
        self,
        entry: Calls,
        describer: Describer,
        name: str,
        target: Any,
        args: Any,
        kwargs: Any,
        leaves: Any,
    ) -> str | None:
        """Add the signature of a call of a compiled function; return its key, or None."""
        self.local.busy = True
        try:
            unit = describer.units.of_call(target, args, kwargs, leaves)
            call = {
                "framework": describer.names.framework,
                "name": name,
                "form": "compiled",
                "args": unit.arguments(describer.describe, leaves),
                "kwargs": {},
            }
            key = json.dumps([call, id(unit)], sort_keys=True)
            call.update(unit=unit.text, random=unit.is_random)
        except Unknown as why:
            self._not_described(name, str(why))
            return None
        except Exception:
            self._not_described(name, "an exception")
            return None
        finally:
            self.local.busy = False
        return self._kept(entry, key, call)

    def _not_described(self, name: str, why: str) -> None:
        reasons = self.unknown.setdefault(name, {})
        reasons[why] = reasons.get(why, 0) + 1

    # ---- what modules call -----------------------------------------------------------------------

    def inner(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Make and record a call, of an operator or in a module, that a function mode reports."""
        if type(func) is _METHOD_WRAPPER or self.local.busy:  # an attribute such as Tensor.shape
            return func(*args, **kwargs)
        known = self.inner_names.get(id(func))
        if known is None:
            known = self.inner_names[id(func)] = self._inner_name(func)
        _, name, form = known
        stack = self.local.stack
        if not name or (form == "method" and not args):
            return func(*args, **kwargs)
        if stack:
            frame = stack[-1]
            if frame.name == name and not frame.seen:  # the call at the site, already recorded
                frame.seen = True
                return func(*args, **kwargs)
            site = frame.site
        else:
            site = self.sites.of_frame(sys._getframe(2))
            if site < 0:
                return func(*args, **kwargs)
        describer = next(item for names, item in self.frameworks if names.root == "torch")
        if form == "method":
            rest = args[1:]

            def target(*words: Any, **named: Any) -> Any:
                return func(args[0], *words, **named)

            return self.record(site, target, describer, name, form, args[0], rest, kwargs)
        return self.record(site, func, describer, name, form, None, args, kwargs)

    def _inner_name(self, func: Any) -> tuple[Any, str, str]:
        for names, _ in self.frameworks:
            if names.root != "torch":
                continue
            name = names.of_object(func)
            if name is None and names.refresh():
                name = names.of_object(func)
            if name is not None and not isinstance(func, type):
                method = names.is_method(name)
                return func, name, "method" if method else "function"
        return func, "", ""

    # ---- the document ----------------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """Return what was recorded, as the JSON that ``drivers/recorded.py`` joins."""
        numbers = {key: number for number, key in enumerate(self.signatures)}
        return {
            "python": sys.executable,
            "argv": [str(word) for word in getattr(sys, "argv", [])][:1],
            "took": time.perf_counter_ns() - self.begun - self.local.recording_ns,
            "versions": {
                names.framework: str(getattr(sys.modules.get(names.root), "__version__", ""))
                for names, _ in self.frameworks
                if names.root in sys.modules
            },
            "calls": [
                {
                    **self.sites.place(site),
                    "function": name,
                    **{
                        key: getattr(entry, key)
                        for key in ("framework", "form", "count", "raised", "traced", "ns",
                                    "outer", "outer_ns", "described", "new", "new_ns")
                    },
                    "signatures": [
                        {
                            "signature": numbers[key],
                            **dict(zip(("count", "ns", "outer", "outer_ns", "order"), counts)),
                        }
                        for key, counts in entry.signatures.items()
                    ],
                    "shapes": [
                        {"calls": count, "arrays": _plain_shapes(shapes)}
                        for shapes, count in entry.shapes.items()
                    ],
                }
                for (site, name), entry in self.calls.items()
            ],
            "signatures": list(self.signatures.values()),
            "unknown": self.unknown,
        }  # fmt: skip
