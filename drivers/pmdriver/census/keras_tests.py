"""The tests that Keras ships: calls of its classes, methods and functions, read by syntax.

The tests are not executed and not imported. The names in an expression of a test are followed to
the imports of its file, to the assignments above it and to the first arguments of a parameterized
test, until it uses only public names. A child then evaluates the arguments: arrays become inputs.
"""

from __future__ import annotations

import ast
import builtins
import copy
import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from pmdriver.census import express
from pmdriver.census.calls import Candidate

#: How many calls of one name in the tests are tried.
MOST_CALLS = 12
#: The most characters of an expression after all names in it are replaced.
MOST_TEXT = 2000
#: The most calls of an object before the one that is tested.
MOST_BEFORE = 6

#: The helper of Keras's tests that makes a layer and calls it.
_LAYER_TEST = "self.run_layer_test"

#: By dtype: the values of an input for which a test gives only a shape.
_VALUES = {"float": "uniform(0.1,0.9)", "int": "integers(0,2)", "uint": "integers(0,2)"}


class Unknown(Exception):
    """An expression uses something that is not public."""


class Step(NamedTuple):
    """A call in a test: the method (empty if the object itself is called) and the arguments."""

    method: str
    args: tuple[ast.expr, ...]
    keywords: tuple[ast.keyword, ...]


class Record(NamedTuple):
    """A call of a public name in a test.

    Attributes
    ----------
    args, keywords
        The arguments; of a class: those that make the object. For `_LAYER_TEST`: the name
        `init_kwargs` is unpacked.
    own
        Of a method: the expression that makes the object.
    before
        The calls of the object before this one.
    used
        Of a class: the first call of the object.
    shapes
        Of a class: instead of `used`, the arguments `input_shape` and `input_dtype`.
    """

    args: tuple[ast.expr, ...]
    keywords: tuple[ast.keyword, ...]
    own: ast.expr | None = None
    before: tuple[Step, ...] = ()
    used: Step | None = None
    shapes: tuple[ast.expr, ast.expr | None, ast.expr | None] | None = None


class _Known:
    """What is known of a local variable: its expression, and its calls so far."""

    def __init__(self, value: ast.expr | None, kind: str = "") -> None:
        self.value = value
        self.kind = kind  # the public name of its class, if it is an object
        self.steps: list[Step] = []
        self.record: int | None = None  # where its construction is among the records of its class


def public_names(root: Any, short: str) -> dict[int, str]:
    """Return by identity the shortest public name of each object in a module and its modules.

    Parameters
    ----------
    root, short
        The module, and how a case writes it, as in ``tf.keras``.
    """
    found: dict[int, str] = {}
    package = root.__name__.partition(".")[0]
    seen = {id(root)}
    waiting = [(root, short)]
    while waiting:
        module, path = waiting.pop(0)
        for name in dir(module):
            value = getattr(module, name, None)
            if name.startswith("_") or value is None:
                continue
            if isinstance(value, ModuleType):
                if id(value) not in seen and value.__name__.partition(".")[0] == package:
                    seen.add(id(value))
                    waiting.append((value, f"{path}.{name}"))
            elif callable(value):
                found.setdefault(id(value), f"{path}.{name}")
    return found


class _File:
    """The names that a test file imports."""

    def __init__(self, tree: ast.Module, public: dict[int, str]) -> None:
        self.public = public
        self.names: dict[str, Any] = {}
        for node in tree.body:
            if isinstance(node, ast.Import):
                for each in node.names:
                    self._add(each.asname or each.name.partition(".")[0], each.name, "")
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for each in node.names:
                    self._add(each.asname or each.name, node.module, each.name)

    def _add(self, own: str, module: str, name: str) -> None:
        """Bind a name as an import does; only modules of Keras and NumPy are imported."""
        if module.partition(".")[0] not in ("keras", "numpy", "tensorflow"):
            return
        try:
            value = importlib.import_module(module if name or own != module.partition(".")[0]
                                            else own)  # fmt: skip
            if name:
                value = (
                    getattr(value, name)
                    if hasattr(value, name)
                    else importlib.import_module(f"{module}.{name}")
                )
        except Exception:
            return
        self.names[own] = value

    def object_of(self, node: ast.expr) -> Any:
        """Return the object that a dotted name means; None if it is unknown."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.names:
            return None
        value = self.names[node.id]
        for part in reversed(parts):
            value = getattr(value, part, None)
        return value

    def text_of(self, node: ast.expr) -> str:
        """Return the public text of a dotted name; empty if there is none."""
        value = self.object_of(node)
        if value is None:
            return ""
        if id(value) in self.public:
            return self.public[id(value)]
        if value is np:
            return "np"
        if value is tf:
            return "tf"
        return ""


class _Public(ast.NodeTransformer):
    """Replaces the names in an expression by public ones, and local variables by their values."""

    def __init__(self, file: _File, local: dict[str, _Known]) -> None:
        self._file = file
        self._local = local

    def of(self, node: ast.expr) -> ast.expr:
        """Return the expression with public names.

        Raises
        ------
        Unknown
            It uses something else, or is too long.
        """
        found = self.visit(copy.deepcopy(node))
        if len(ast.unparse(found)) > MOST_TEXT:
            raise Unknown
        return found

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802
        known = self._local.get(node.id)
        if known is not None:
            if known.value is None or known.steps:
                raise Unknown
            return known.value
        text = self._file.text_of(node)
        if text:
            return ast.parse(text, mode="eval").body
        if hasattr(builtins, node.id):
            return node
        raise Unknown

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:  # noqa: N802
        own = _of_self(node)
        if own in self._local:
            return self.visit_Name(ast.Name(own))
        text = self._file.text_of(node)
        if text:
            return ast.parse(text, mode="eval").body
        return ast.Attribute(self.visit(node.value), node.attr, ast.Load())

    def _unknown(self, node: ast.AST) -> ast.AST:
        raise Unknown

    # Their own variables would need scopes.
    visit_Lambda = visit_ListComp = visit_GeneratorExp = visit_DictComp = _unknown
    visit_SetComp = visit_NamedExpr = visit_Await = visit_Yield = _unknown


def _of_self(node: ast.expr) -> str:
    """Return ``self.x`` for this expression; empty for others."""
    is_own = (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )
    return f"self.{node.attr}" if is_own else ""  # type: ignore[attr-defined]


class Reader:
    """Reads test files; collects records by public name.

    Parameters
    ----------
    public
        As `public_names` returns it.
    """

    def __init__(self, public: dict[int, str]) -> None:
        self._public = public
        self.records: dict[str, list[Record]] = {}
        self.classes: dict[str, type] = {}

    def read(self, tree: ast.Module) -> None:
        """Read a parsed test file."""
        file = _File(tree, self._public)
        shared: dict[str, _Known] = {}
        _Body(self, file, shared).run([each for each in tree.body if isinstance(each, ast.Assign)])
        for node in tree.body:
            if not isinstance(node, ast.ClassDef):
                continue
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            own = dict(shared)
            for method in methods:
                if method.name.lower() == "setup":
                    _Body(self, file, own).run(method.body)
            for method in methods:
                if method.name.startswith("test"):
                    local = {**own, **_parameters(method)}
                    _Body(self, file, local).run(method.body)

    def add(self, name: str, record: Record) -> int:
        """Add a record; return its place among those of the name."""
        found = self.records.setdefault(name, [])
        found.append(record)
        return len(found) - 1


class _Body:
    """Follows the statements of a test in order."""

    def __init__(self, reader: Reader, file: _File, local: dict[str, _Known]) -> None:
        self._reader = reader
        self._file = file
        self._local = local

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Follow statements; of a loop once, and of a condition both branches."""
        for node in body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                self._assign(node.targets[0], node.value)
            elif isinstance(node, ast.Expr):
                self._calls(node.value)
            elif isinstance(node, ast.With):
                if not any("assertRaises" in ast.unparse(each) for each in node.items):
                    self.run(node.body)
            elif isinstance(node, ast.For):
                is_literal = isinstance(node.iter, (ast.List, ast.Tuple)) and node.iter.elts
                self._assign(node.target, node.iter.elts[0] if is_literal else None)
                self.run(node.body)
            elif isinstance(node, ast.If):
                self.run(node.body)
                self.run(node.orelse)
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
                self._assign(node.target, None)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self._local[node.name] = _Known(None)

    def _assign(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
            for at, each in enumerate(target.elts):
                self._assign(each, parts[at] if len(parts) == len(target.elts) else None)
            return
        name = target.id if isinstance(target, ast.Name) else _of_self(target)
        if not name:
            return
        place = self._calls(value) if value is not None else None
        known = _Known(None)
        if value is not None:
            try:
                known = _Known(_Public(self._file, self._local).of(value))
            except Unknown:
                pass
        if place is not None:
            known.kind, known.record = place
        self._local[name] = known

    def _calls(self, node: ast.expr) -> tuple[str, int] | None:
        """Record the calls in an expression, the inner ones first.

        Returns
        -------
        tuple or None
            If the expression itself makes an object of a public class: the name of the class, and
            the place of its record.
        """
        found = None
        for each in reversed([each for each in ast.walk(node) if isinstance(each, ast.Call)]):
            found = self._call(each) if each is node else (self._call(each), None)[1]
        return found

    def _call(self, node: ast.Call) -> tuple[str, int] | None:
        if ast.unparse(node.func) == _LAYER_TEST:
            self._layer_test(node)
            return None
        own = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        key = own.id if isinstance(own, ast.Name) else _of_self(own)
        known = self._local.get(key)
        if known is not None:
            method = node.func.attr if own is not node.func else ""  # type: ignore[attr-defined]
            self._use(known, method, node)
            return None
        text = self._file.text_of(node.func)
        if not text or not text.startswith("tf.keras"):
            return None
        try:
            args, keywords = self._arguments(node)
        except Unknown:
            return None
        place = self._reader.add(text, Record(args, keywords))
        value = self._file.object_of(node.func)
        if not isinstance(value, type):
            return None
        self._reader.classes[text] = value
        return text, place

    def _use(self, known: _Known, method: str, node: ast.Call) -> None:
        """Record a call of an object that a variable holds, or of a method of it."""
        if not known.kind:
            return
        try:
            step = Step(method, *self._arguments(node))
        except Unknown:
            known.kind, known.value = "", None
            return
        records = self._reader.records
        if known.record is not None and not method:
            made = records[known.kind][known.record]
            if made.used is None and not known.steps:
                records[known.kind][known.record] = made._replace(used=step)
        if known.value is not None and len(known.steps) <= MOST_BEFORE:
            record = Record(step.args, step.keywords, known.value, tuple(known.steps))
            name = f"{known.kind}.{method}" if method else f"{known.kind}.__call__"
            self._reader.add(name, record)
        known.steps.append(step)

    def _arguments(self, node: ast.Call) -> tuple[tuple[ast.expr, ...], tuple[ast.keyword, ...]]:
        if any(isinstance(each, ast.Starred) for each in node.args):
            raise Unknown
        public = _Public(self._file, self._local)
        return (
            tuple(public.of(each) for each in node.args),
            tuple(ast.keyword(each.arg, public.of(each.value)) for each in node.keywords),
        )

    def _layer_test(self, node: ast.Call) -> None:
        """Record a call of the helper for layers: it makes a layer, and calls it with an input."""
        given = {each.arg: each.value for each in node.keywords}
        for name, each in zip(("layer_cls", "init_kwargs"), node.args):
            given[name] = each
        if "layer_cls" not in given or "input_sparse" in given or "input_ragged" in given:
            return
        text = self._file.text_of(given["layer_cls"])
        if not text:
            return
        public = _Public(self._file, self._local)
        try:
            init = public.of(given.get("init_kwargs", ast.Dict([], [])))
            more = public.of(given.get("call_kwargs", ast.Dict([], [])))
            keywords = (ast.keyword(None, init),)
            record = Record((), keywords)
            if "input_data" in given:
                data = (public.of(given["input_data"]),)
                record = record._replace(used=Step("", data, (ast.keyword(None, more),)))
            elif "input_shape" in given:
                dtype = given.get("input_dtype")
                of_dtype = public.of(dtype) if dtype is not None else None
                record = record._replace(shapes=(public.of(given["input_shape"]), of_dtype, more))
        except Unknown:
            return
        self._reader.add(text, record)


def _parameters(method: ast.FunctionDef) -> dict[str, _Known]:
    """Return the parameters of a test with their first values; unknown without a decorator."""
    names = [each.arg for each in method.args.args if each.arg != "self"]
    found = {name: _Known(None) for name in names}
    for decorator in method.decorator_list:
        if not isinstance(decorator, ast.Call):
            continue
        kind = ast.unparse(decorator.func)
        args = decorator.args
        if len(args) == 1 and isinstance(args[0], (ast.List, ast.Tuple)) and args[0].elts:
            args = args[0].elts if not kind.endswith("product") else args
        if kind == "parameterized.product":
            for each in decorator.keywords:
                if isinstance(each.value, (ast.List, ast.Tuple)) and each.value.elts:
                    found[str(each.arg)] = _Known(each.value.elts[0])
            continue
        if kind not in ("parameterized.named_parameters", "parameterized.parameters") or not args:
            continue
        first = args[0]
        if isinstance(first, ast.Dict):
            for key, value in zip(first.keys, first.values):
                if isinstance(key, ast.Constant):
                    found[str(key.value)] = _Known(value)
            continue
        parts = first.elts if isinstance(first, (ast.Tuple, ast.List)) else [first]
        parts = parts[1:] if kind.endswith("named_parameters") else parts
        found.update(zip(names, map(_Known, parts)))
    return found


# ------------------------------------------------------------------------------------- in a child


def _value(text: str) -> Any:
    return eval(text, {"tf": tf, "np": np})


def _is_symbolic(value: Any) -> bool:
    """Return whether a value is a tensor without values."""
    return type(value).__name__ == "KerasTensor"


def _candidate(kit: Any, node: ast.expr, may_be_symbolic: bool) -> Candidate:
    """Return the candidate for an argument: arrays become inputs, objects keep their text."""
    text = ast.unparse(node)
    value = _value(text)
    if not may_be_symbolic and any(map(_is_symbolic, tf.nest.flatten(value))):
        raise express.Cannot("a symbolic tensor")
    try:
        return express.value(kit, value)
    except express.Cannot:
        return Candidate(text, (), not _is_short(value), kit.is_module(value))


def _is_short(value: Any) -> bool:
    """Return whether a value is written in the call itself, and not in the setup."""
    return (
        isinstance(value, (type, str, int, float))
        or callable(value)
        and not hasattr(value, "get_config")
    )


def _given(
    kit: Any,
    args: Sequence[ast.expr],
    keywords: Sequence[ast.keyword],
    may_be_symbolic: bool = False,
) -> list[tuple[str, Candidate]]:
    """Return the arguments of a call; dictionaries after ``**`` are unpacked."""
    found = [("", _candidate(kit, each, may_be_symbolic)) for each in args]
    for each in keywords:
        if each.arg is not None:
            found.append((each.arg, _candidate(kit, each.value, may_be_symbolic)))
        elif isinstance(each.value, ast.Dict):
            for key, value in zip(each.value.keys, each.value.values):
                if not isinstance(key, ast.Constant):
                    raise express.Cannot("a computed keyword")
                found.append((str(key.value), _candidate(kit, value, may_be_symbolic)))
        else:
            for key, value in dict(_value(ast.unparse(each.value))).items():
                found.append((key, express.value(kit, value)))
    return found


def _of_shape(shape: Any, dtype: Any) -> Candidate:
    """Return the input for a shape, or a list or a tuple of inputs for one of shapes."""
    if isinstance(shape, (tuple, list)) and any(isinstance(each, (tuple, list)) for each in shape):
        dtypes = dtype if isinstance(dtype, (tuple, list)) else [dtype] * len(shape)
        parts = [_of_shape(*each) for each in zip(shape, dtypes)]
        inside = ", ".join(["%s"] * len(parts))
        return express.together(parts, f"[{inside}]" if isinstance(shape, list) else f"({inside},)")
    dtype = dtype or "float32"
    values = _VALUES[str(dtype).rstrip("0123456789")]
    return Candidate("{0}", (f"{dtype}[{','.join(map(str, shape))}] {values}",))


def _inputs_of(kit: Any, record: Record) -> list[tuple[str, Candidate]] | None:
    """Return the arguments with which an object of a class is called; None if it is not."""
    if record.shapes is None:
        return _given(kit, record.used.args, record.used.keywords) if record.used else None
    shape, dtype, more = record.shapes
    shapes = _value(ast.unparse(shape))
    dtypes = _value(ast.unparse(dtype)) if dtype is not None else None
    rest = _given(kit, (), (ast.keyword(None, more),))
    if isinstance(shapes, dict):
        return [
            (name.removesuffix("_shape"), _of_shape(each, (dtypes or {}).get(name)))
            for name, each in shapes.items()
        ] + rest
    return [("", _of_shape(shapes, dtypes)), *rest]


def _call(kit: Any, record: Record) -> express.Call:
    """Return the call of a record, with its arguments evaluated."""
    given = _given(kit, record.args, record.keywords, record.own is not None)
    if record.own is None:
        return express.Call(given, None, _inputs_of(kit, record))
    text = ast.unparse(record.own)
    own = Candidate(text, (), True, kit.is_module(_value(text)))
    before = [(each.method, _given(kit, each.args, each.keywords)) for each in record.before]
    return express.Call(given, own, None, before)


def _maker(records: Sequence[Record]) -> Callable[[Any, Any], Iterator[express.Call]]:
    def make(kit: Any, item: Any) -> Iterator[express.Call]:
        for record in records:
            try:
                yield _call(kit, record)
            except Exception:  # what a test's expression does when it is evaluated alone
                continue

    return make


def _files(root: str) -> Iterator[str]:
    """Yield the test files below a folder, in a fixed order."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            if name.endswith("_test.py"):
                yield os.path.join(folder, name)


def absence() -> str:
    """Say why the tests cannot be read; empty if they can."""
    folder = _folder()
    if not folder or next(_files(folder), None) is None:
        return "this version of Keras comes without its tests"
    return ""


def _folder() -> str:
    """Return the folder of Keras's sources; empty for a version that has no such folder."""
    try:
        module = importlib.import_module("keras.src")
    except ImportError:
        return ""
    return os.path.dirname(module.__file__ or "")


def makers(wanted: set[str], resolve: Callable[[str], Any]) -> dict[str, list[Any]]:
    """Return, by name, functions that make calls from the tests; each takes the kit and the item.

    Parameters
    ----------
    wanted
        The names for which cases are made.
    resolve
        Returns the object with a name; raises an exception if there is none.
    """
    names = sorted(each for each in wanted if each.startswith("tf.keras."))
    if not names:
        return {}
    public = public_names(tf.keras, "tf.keras")
    reader = Reader(public)
    for path in _files(_folder()):
        with open(path, encoding="utf-8") as file:
            reader.read(ast.parse(file.read()))
    found = {}
    for name in names:
        records = _records_of(name, reader, public, resolve)
        if records:
            found[name] = [_maker(records)]
    return found


def _records_of(
    name: str, reader: Reader, public: dict[int, str], resolve: Callable[[str], Any]
) -> list[Record]:
    """Return the records of a name, or of another public name of the same object, best first.

    A method may have been called on an object of a subclass that inherits it.
    """
    owner, _, bare = name.rpartition(".")
    try:
        value, holder = resolve(name), resolve(owner)
    except Exception:
        return []
    if not isinstance(holder, type):
        found = reader.records.get(public.get(id(value), name), [])
        is_unused = [each.used is None and each.shapes is None for each in found]
        return [each for _, each in sorted(zip(is_unused, found), key=lambda pair: pair[0])][
            :MOST_CALLS
        ]
    found = list(reader.records.get(f"{public.get(id(holder), owner)}.{bare}", []))
    for other, each in reader.classes.items():
        if each is not holder and issubclass(each, holder) and getattr(each, bare, None) is value:
            found += reader.records.get(f"{other}.{bare}", [])[:2]
    return found[:MOST_CALLS]
