"""Detects whether a case calls the function that its file is about: `portmeter suite check`.

First the texts are read. A dotted name in them is *the function* if it leads to the same object, to
what a base class or a subclass has under the same name, or, for a class, to a subclass or an
instance. The call and the context count. The statements of the setup that the call depends on count
as follows:

- the bodies of functions and classes count;
- a statement that only passes the function on counts (``f = jax.jit(jnp.sum)``);
- a statement that calls the function counts only if the function is a class, or if the case has a
  context: its setup may then build a graph.

If the texts do not name the function (operators, methods of intermediate values, closures that the
function has made), the call is watched: every Python function that it enters, and every C function
that it calls.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import operator
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any, Callable, NamedTuple

from pmdriver.framework import Framework

NAMED, WATCHED, UNSEEN = "named", "watched", "not seen"

_MISSING = object()

#: Returns whether a call with this first argument is a call of the function.
Is = Callable[[Any], bool]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class Target:
    """The function that a file is about.

    Parameters
    ----------
    route
        The objects along its name, as `pmdriver.framework.Framework.route` returns them; not empty.
    name
        The qualified name.

    Attributes
    ----------
    is_class
        Whether the function is a class.
    """

    def __init__(self, route: Sequence[Any], name: str) -> None:
        parent = route[-2] if len(route) > 1 else None
        self._name = name.rpartition(".")[2]
        self._owner = parent if isinstance(parent, type) else None
        found = _essence(route[-1])
        self.is_class = isinstance(found, type)
        self._accepted = [found, *self._relatives()]

    def _relatives(self) -> list[Any]:
        """List what the bases and the subclasses of the function's class have under its name."""
        if self._owner is None:
            return []
        classes = [*self._owner.__mro__[:-1], *_subclasses(self._owner)]
        return [_essence(vars(cls)[self._name]) for cls in classes if self._name in vars(cls)]

    def is_met(self, value: Any) -> bool:
        """Return whether a value is the function, as the head of this file defines it."""
        found = _essence(value)
        if any(found is item for item in self._accepted):
            return True
        if not self.is_class:
            return isinstance(found, functools.partial) and self.is_met(found.func)
        return _is_of(found, self._accepted[0])

    def codes(self) -> dict[types.CodeType, Is]:
        """Return the code objects that run when the function is called.

        Each has a test of its first argument: an inherited method also runs for other classes.
        """
        if self.is_class:
            classes = self._accepted[0].__mro__[:-1]
            methods = [_essence(item) for cls in classes for item in vars(cls).values()]
            return {code: self.is_own for item in methods for code in _codes(item)[:1]}
        found: dict[types.CodeType, Is] = {}
        for item in self._accepted:
            codes = _codes(item)
            found.update(dict.fromkeys(codes, _is_anything))
            if codes and self._is_bound():
                found[codes[0]] = self.is_own
            elif not codes and callable(item):
                for code in _codes(type(item).__call__)[:1]:
                    found[code] = functools.partial(operator.is_, item)
        return found

    def _is_bound(self) -> bool:
        """Return whether the function is a method that gets an object or a class."""
        classes = getattr(self._owner, "__mro__", ())
        raw = [vars(cls)[self._name] for cls in classes if self._name in vars(cls)]
        return bool(raw) and not any(isinstance(item, staticmethod) for item in raw)

    def is_own(self, holder: Any) -> bool:
        """Return whether `holder` is an object of the function's class or a subclass of it."""
        return _is_of(holder, self._accepted[0] if self.is_class else self._owner)

    def is_met_in(self, holder: Any, value: Any) -> bool:
        """Return whether `value`, an attribute of the object or class `holder`, is the function."""
        return self.is_met(value) and (not self._is_bound() or self.is_own(holder))

    def is_native(self, function: Any) -> bool:
        """Return whether a called C function, bound to an object or not, is this function."""
        if self.is_met(function):
            return True
        holder = getattr(function, "__self__", None)
        if holder is None or isinstance(holder, types.ModuleType):
            return False
        return self.is_own(holder) and (self.is_class or function.__name__ == self._name)


def _subclasses(cls: type) -> list[type]:
    found = list(type.__subclasses__(cls))
    return [*found, *(item for sub in found for item in _subclasses(sub))]


def _is_anything(_: Any) -> bool:
    return True


def _is_of(value: Any, cls: Any) -> bool:
    with contextlib.suppress(Exception):
        return issubclass(value, cls) if isinstance(value, type) else isinstance(value, cls)
    return False


def _essence(value: Any) -> Any:
    """Return the function inside a bound method, static method or class method."""
    if isinstance(value, (staticmethod, classmethod, types.MethodType)):
        return value.__func__
    return value


def _codes(value: Any) -> list[types.CodeType]:
    """List the code of a function, then the code of the functions that it defines.

    Decorators of one kind share the code of their wrapper, so only the innermost function counts.
    """
    if isinstance(value, property):
        value = value.fget
    while hasattr(value, "__wrapped__"):
        value = _essence(value.__wrapped__)
    code = getattr(value, "__code__", None)
    if not isinstance(code, types.CodeType):
        return []
    found, waiting = [], [code]
    while waiting:
        found.append(waiting.pop())
        waiting += [item for item in found[-1].co_consts if isinstance(item, types.CodeType)]
    return found


@contextlib.contextmanager
def noted(
    framework: Framework, job: dict[str, Any], names: dict[str, Any], result: dict[str, Any]
) -> Iterator[None]:
    """Note in the result, under ``calls``, whether the call in the block calls the function.

    This happens only in a rehearsal on the reference.

    Parameters
    ----------
    framework
        Started in this process.
    job
        The header of the RUN frame; its texts are Python.
    names
        The globals of the case after its setup.
    result
        The header of the RESULT frame.
    """
    if not job.get("rehearse") or not framework.setting.get("reference"):
        yield
        return
    route = framework.route(job.get("function") or "")
    result["calls"] = UNSEEN
    if not route:
        yield
        return
    target = Target(route, job["function"])
    if is_named(target, job, names):
        result["calls"] = NAMED
        yield
        return
    watch = Watch(target)
    try:
        with watch.open():
            yield
    finally:
        if watch.is_seen:
            result["calls"] = WATCHED


# ------------------------------------------------------------------------------------ texts


class _Use(NamedTuple):
    """A dotted name in a text, whether it is called, and whether it is inside a function body."""

    node: ast.expr
    is_called: bool
    is_deferred: bool


def _uses(node: ast.AST, deferred: bool = False) -> Iterator[_Use]:
    """Yield the dotted names below a node, and the shorter ones that they begin with."""
    called = {id(item.func) for item in ast.walk(node) if isinstance(item, ast.Call)}
    waiting = [(node, deferred)]
    while waiting:
        at, is_deferred = waiting.pop()
        if isinstance(at, (ast.Name, ast.Attribute)):
            yield _Use(at, id(at) in called, is_deferred)
        inside = is_deferred or isinstance(at, _SCOPES)
        waiting += [(child, inside) for child in ast.iter_child_nodes(at)]


def _roots(node: ast.AST) -> set[str]:
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}


def _bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement of the setup binds or changes."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    stored = {
        item.id
        for item in ast.walk(statement)
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)
    }
    held = {
        name
        for item in ast.walk(statement)
        if isinstance(item, (ast.Attribute, ast.Subscript)) and isinstance(item.ctx, ast.Store)
        for name in _roots(item.value)
    }
    return stored | held


def _used_statements(setup: str, names: set[str]) -> list[ast.stmt]:
    """List the statements of a setup on which a call depends, directly or indirectly."""
    waiting = list(ast.parse(setup).body)
    used: list[ast.stmt] = []
    while True:
        found = [statement for statement in waiting if _bound(statement) & names]
        if not found:
            return used
        used += found
        waiting = [statement for statement in waiting if statement not in found]
        for statement in found:
            names = names | _roots(statement)


def _lookup(value: Any, name: str) -> Any:
    """Return an attribute as its class has it, without running code of the case."""
    if isinstance(value, types.ModuleType):
        return getattr(value, name, _MISSING)
    cls = value if isinstance(value, type) else type(value)
    for base in cls.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return getattr(value, "__dict__", {}).get(name, _MISSING)


class _Instance(NamedTuple):
    """The result of calling a class: only the class of the value is known."""

    cls: type


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    """Return the value of a dotted name; `_MISSING` if only executing the text would show it."""
    if isinstance(node, ast.Name):
        return names.get(node.id, _MISSING)
    if isinstance(node, ast.Call):
        found = _value(node.func, names)
        return _Instance(found) if isinstance(found, type) else _MISSING
    if not isinstance(node, ast.Attribute):
        return _MISSING
    found = _holder(node.value, names)
    return _MISSING if found is _MISSING else _lookup(found, node.attr)


def _holder(node: ast.expr, names: dict[str, Any]) -> Any:
    """Return the value of a dotted name, or the class of the result if a class is called."""
    found = _value(node, names)
    return found.cls if isinstance(found, _Instance) else found


def names_function(target: Target, node: ast.expr, names: dict[str, Any]) -> bool:
    """Return whether a dotted name in a text names the function."""
    found = _value(node, names)
    if isinstance(node, ast.Attribute):
        holder = _holder(node.value, names)
        if not isinstance(holder, types.ModuleType):
            return target.is_met_in(holder, found)
    return target.is_met(found)


def _parsed_call(text: str) -> ast.AST:
    """Parse an expression, which may have several lines as if in parentheses, or statements."""
    try:
        return ast.parse(f"({text}\n)", mode="eval")
    except SyntaxError:
        return ast.parse(text)


def is_named(target: Target, job: dict[str, Any], names: dict[str, Any]) -> bool:
    """Return whether the texts of a case name its function in a place that counts.

    Parameters
    ----------
    target
        The function.
    job
        The header of the RUN frame; its texts are Python.
    names
        The globals of the case after its setup.
    """
    context = job.get("context") or ""
    call = _parsed_call(job["call"].strip())
    uses = list(_uses(call))
    if context:
        uses += _uses(ast.parse(f"with (\n{context.strip()}\n): pass"))
    counted = [use.node for use in uses]
    for statement in _used_statements(job.get("setup") or "", _roots(call)):
        for use in _uses(statement):
            if target.is_class or context or use.is_deferred or not use.is_called:
                counted.append(use.node)
    return any(names_function(target, node, names) for node in counted)


# ------------------------------------------------------------------------------------ watch


class Watch:
    """Watches whether a call calls the function.

    Attributes
    ----------
    is_seen
        Whether the function was called.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._codes = target.codes()
        self.is_seen = False

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Watch the calls of this thread while the block runs."""
        before = sys.getprofile()
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(before)

    def _note(self, frame: types.FrameType, event: str, function: Any) -> None:
        if self.is_seen:
            return
        if event == "call" and frame.f_code in self._codes:
            self.is_seen = self._codes[frame.f_code](_first(frame))
        elif event == "c_call":
            self.is_seen = self._target.is_native(function)


def _first(frame: types.FrameType) -> Any:
    """Return the first argument of a call that begins."""
    code = frame.f_code
    return frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
