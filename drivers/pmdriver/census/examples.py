"""Runs the examples in a docstring, and records the calls of one function in them."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from typing import Any

from pmdriver.census import express
from pmdriver.census.express import Call

#: The most missing names that are looked up for one statement; the most statements per docstring.
MOST_REPAIRS, MOST_STATEMENTS = 8, 60

#: Functions that depend on the frame in which they are called.
_SPECIAL = frozenset({"super", "locals", "globals", "exec", "eval", "vars", "dir"})

_FENCED = re.compile(r"```(?:python|py|pycon)?[ \t]*\n(.*?)```", re.S)
_INDENTED = re.compile(
    r"(?:\.\. code-block:: *python|\.\. code:: *python|Examples?::?|Usage::)[ \t]*\n"
    r"((?:[ \t]*\n|[ \t]+\S.*\n?)+)"
)


def _prompted(text: str) -> list[str]:
    """Return the code after each ``>>>``, with its continuation lines."""
    found: list[str] = []
    is_open = False
    for line in text.expandtabs().splitlines():
        match = re.match(r"^\s*>>>(?: (.*)|)$", line)
        more = re.match(r"^\s*\.\.\.(?: (.*)|)$", line)
        if match:
            found.append(match.group(1) or "")
            is_open = True
        elif more and is_open:
            found[-1] += "\n" + (more.group(1) or "")
        else:
            is_open = False
    return found


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _joined(pieces: list[str]) -> list[str]:
    """Join pieces that parse only together; drop pieces that never parse."""
    found = []
    at = 0
    while at < len(pieces):
        text, last = pieces[at], at
        while not _parses(text) and last + 1 < len(pieces) and last - at < 25:
            last += 1
            text += "\n" + pieces[last]
        if _parses(text):
            found.append(text)
            at = last + 1
        else:
            at += 1
    return [each for each in found if each.strip()]


def statements(docs: str) -> list[str]:
    """Return the statements of the examples in a docstring, in order."""
    found = _joined(_prompted(docs))
    if found:
        return found[:MOST_STATEMENTS]
    for match in [*_FENCED.finditer(docs), *_INDENTED.finditer(docs)]:
        text = inspect.cleandoc("\n" + match.group(1))
        if _parses(text):
            found += [ast.unparse(each) for each in ast.parse(text).body]
    return found[:MOST_STATEMENTS]


class _Rewrite(ast.NodeTransformer):
    """Passes calls through ``__pm_call``, except in functions, lambdas and classes.

    Calls of the names in `_SPECIAL` are not changed either.
    """

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _SPECIAL:
            return node
        through = ast.Name("__pm_call", ast.Load())
        return ast.copy_location(ast.Call(through, [node.func, *node.args], node.keywords), node)

    def _keep(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_ClassDef = visit_Lambda = visit_AsyncFunctionDef = _keep


class Recorder:
    """Calls functions, and records the calls of one item."""

    def __init__(self, kit: Any, item: Any) -> None:
        self.kit = kit
        self.item = item
        self.calls: list[Call] = []
        self._made: dict[int, tuple[Any, list]] = {}

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function; record the call if it is one of the item."""
        try:
            recorded = self.record(function, args, kwargs)
        except Exception:
            recorded = None
        result = function(*args, **kwargs)
        if recorded is not None:
            if self.item.kind == "class" and recorded.used is None:
                self._made[id(result)] = (result, recorded.arguments)
            self.calls.append(recorded)
        return result

    def record(self, function: Any, args: Any, kwargs: Any) -> Call | None:
        """Return what is recorded of a call; None if it is not one of the item."""
        item, kit = self.item, self.kit
        if item.kind == "method":
            own = getattr(function, "__self__", None)
            is_it = getattr(function, "__func__", function) is item.value or (
                getattr(function, "__name__", "") == item.name.rpartition(".")[2]
                and isinstance(item.holder, type)
                and isinstance(own, item.holder)
            )
            if own is None or not is_it:
                return None
            return Call(express.arguments(kit, args, kwargs), express.value(kit, own))
        if function is item.value:
            return Call(express.arguments(kit, args, kwargs))
        if id(function) in self._made and self._made[id(function)][0] is function:
            made = self._made[id(function)][1]
            return Call(made, None, express.arguments(kit, args, kwargs))
        return None


def _lookup(item: Any, name: str) -> Any:
    """Return what an example may mean by an undefined name; ImportError if nothing is found."""
    module = sys.modules.get(getattr(item.value, "__module__", None) or "")
    if module is not None and hasattr(module, name):
        return getattr(module, name)
    return importlib.import_module(name)


def calls_of(kit: Any, item: Any) -> list[Call]:
    """Run the examples in an item's docstring; return its calls, first those of its instances."""
    recorder = Recorder(kit, item)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(kit.prelude, names)
    names["__pm_call"] = recorder.call
    for text in statements(item.docs):
        _execute(kit, item, kit.repaired(text), names)
    return sorted(recorder.calls, key=lambda call: call.used is None)


def _execute(kit: Any, item: Any, text: str, names: dict[str, Any]) -> None:
    """Execute one statement; look up undefined names, and ignore any exception."""
    tree = ast.fix_missing_locations(_Rewrite().visit(ast.parse(text)))
    code = compile(tree, "<example>", "exec")
    kit.framework.seed(0)
    for _ in range(MOST_REPAIRS):
        try:
            exec(code, names)
        except NameError as error:
            missing = getattr(error, "name", None)
            if not missing or missing in names:
                return
            try:
                names[missing] = _lookup(item, missing)
            except Exception:
                return
        except Exception:
            return
        else:
            return
