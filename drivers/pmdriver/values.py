"""What calls return and what attributes are: arrays, modules, optimizers or something else.

Nothing is called. The answer comes from a typing stub, an annotation, the signature or the part
"Returns" of a docstring, or the object itself. If these say nothing or disagree, the answer is
unknown. docs/internals/protocol.md lists the words.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pmdriver import public
from pmdriver.surface import Surface

#: Types that are never arrays, modules or optimizers of a framework.
PLAIN = {
    "None", "bool", "bytes", "complex", "device", "dict", "dtype", "float", "int", "memory_format",
    "layout", "qscheme", "range", "set", "size", "slice", "str", "Size",
}  # fmt: skip

#: Containers with annotated items.
_CONTAINERS = {"tuple", "Tuple", "list", "List", "Sequence", "Iterable", "Iterator"}
_UNIONS = {"Union", "Optional"}

_SIGNATURE = re.compile(r"\A\s*[\w.]+\(.*\)\s*->\s*([^\n:]+?)\.?\s*$", re.MULTILINE)
_RETURNS = re.compile(r"^\s*Returns:\s*\n?\s*(.+)$", re.MULTILINE)
_ARRAY = re.compile(r"(?:An?|The)?\s*(?:[\w-]+ ){0,2}(?:`(?:tf\.)?Tensor`|[Tt]ensor\b(?!s))")
_ARRAYS = re.compile(r"(?:An?|The)?\s*(?:tuple|list|pair|lists|tuples) of (?:\w+ )?`?[Tt]ensors?\b")


class Value(NamedTuple):
    """What a call returns, or what an attribute is.

    Attributes
    ----------
    kind
        A word of docs/internals/protocol.md; empty if unknown.
    given
        The canonical name of the public class, ``"self"``, or empty.
    """

    kind: str = ""
    given: str = ""


class _Stub(NamedTuple):
    """What stubs say: results by path, annotations by class and member, and which are methods."""

    functions: dict[str, list[str]]
    members: dict[tuple[str, str], list[str]]
    methods: set[tuple[str, str]]


def _folder(surface: Surface) -> Path:
    return Path(next(iter(sys.modules[surface.root].__path__)))


def _returns(node: ast.FunctionDef) -> str:
    """Return the annotation of a function's result; ``Self`` if it equals that of `self`."""
    text = ast.unparse(node.returns) if node.returns else ""
    first = node.args.args[0] if node.args.args else None
    if first and first.arg == "self" and first.annotation and text:
        return "Self" if ast.unparse(first.annotation) == text else text
    return text


def _members(node: ast.ClassDef) -> Iterator[tuple[str, str, bool]]:
    for item in node.body:
        if isinstance(item, ast.FunctionDef):
            marks = {ast.unparse(mark) for mark in item.decorator_list}
            yield item.name, _returns(item), "property" not in marks
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            yield item.target.id, ast.unparse(item.annotation), False


def _read(surface: Surface) -> _Stub:
    stub = _Stub({}, {}, set())
    objects: dict[str, str] = {}
    for name, path in surface.stubs.items():
        file = _folder(surface) / name
        if not file.is_file():
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                stub.functions.setdefault(f"{path}.{node.name}", []).append(_returns(node))
            elif isinstance(node, ast.ClassDef):
                bases = [ast.unparse(base) for base in node.bases]
                stub.members.setdefault((node.name, ""), []).extend(bases)
                for member, text, is_method in _members(node):
                    stub.members.setdefault((node.name, member), []).append(text)
                    if is_method:
                        stub.methods.add((node.name, member))
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                objects[f"{path}.{node.target.id}"] = ast.unparse(node.annotation)
    for name, text in objects.items():
        if (text, "__call__") in stub.members:
            stub.functions[name] = stub.members[text, "__call__"]
    return stub


class Values:
    """Finds what the calls of one framework return.

    Parameters
    ----------
    surface
        The framework's `Surface`.
    classes
        The framework's public classes by canonical name.
    bases
        The classes of `Surface.kinds`, each with the kind of its instances.
    """

    def __init__(
        self, surface: Surface, classes: dict[str, type], bases: list[tuple[type, str]]
    ) -> None:
        self._surface = surface
        self._stub = _read(surface)
        self._bases = bases
        self._words = {name.rpartition(".")[2]: kind for name, kind in surface.kinds.items()}
        self._names = {id(cls): name for name, cls in classes.items()}
        self._bare: dict[str, list[str]] = {}
        self._classes = classes
        self._results = surface.results
        for name in classes:
            self._bare.setdefault(name.rpartition(".")[2], []).append(name)
        for base, _ in reversed(bases):
            self._bare[base.__name__] = [self._names[id(base)]]
        defined: dict[str, set[str]] = {}  # annotations use the name in the definition: DatasetV2
        for cls in classes.values():
            defined.setdefault(cls.__name__, set()).add(self._names[id(cls)])
        for name, found in defined.items():
            self._bare.setdefault(name, sorted(found))

    # -------------------------------------------------------------------------- classes

    def of_class(self, cls: type) -> Value:
        """Return what the instances of a class are."""
        name = self._names.get(id(cls), "")
        if made := self._surface.makes(cls):
            return self.of_class(self._classes[made])
        if issubclass(cls, tuple) and cls.__module__ in self._results:
            return Value("arrays")
        for base, kind in self._bases:
            if cls is base or base in getattr(cls, "__mro__", ()):
                return Value(kind, name)
        return Value("other", name)

    def of_object(self, value: Any) -> Value:
        """Return what an object is."""
        found = self.of_class(type(value))
        return found if found.kind != "other" else Value("other", found.given)

    # ---------------------------------------------------------------------- annotations

    def of_text(self, text: str) -> Value:
        """Return what an annotation says."""
        try:
            return self._node(ast.parse(text.strip(), mode="eval").body)
        except SyntaxError:
            return Value()

    def _name(self, name: str) -> Value:
        if name == "Self":
            return Value("self", "self")
        classes = self._bare.get(name, [])
        if len(classes) == 1 and classes[0] in self._classes:
            return self.of_class(self._classes[classes[0]])
        if name in self._words:
            return Value(self._words[name])
        if name.lstrip("_") in PLAIN:
            return Value("other")
        bases = self._stub.members.get((name, ""), ())
        return self.of_text(bases[0]) if len(bases) == 1 and name.islower() else Value()

    def _node(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return self.of_text(node.value)
            return Value("other") if node.value is None else Value()
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._name(node.id if isinstance(node, ast.Name) else node.attr)
        if isinstance(node, ast.Tuple):
            return self._items(node.elts)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._any([node.left, node.right])
        if isinstance(node, ast.Subscript):
            head = node.value
            name = getattr(head, "id", getattr(head, "attr", ""))
            items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if name in _UNIONS:
                return self._any(items)
            if name in _CONTAINERS:
                return self._items(items)
            return Value("other") if name.lower() in PLAIN else self._name(name)
        return Value()

    def _items(self, nodes: list[ast.expr]) -> Value:
        """Return what a container of annotated items is."""
        kinds = {
            self._node(node).kind
            for node in nodes
            if not (isinstance(node, ast.Constant) and node.value is ...)
        }
        if kinds == {"array"} or kinds == {"array", "arrays"}:
            return Value("arrays")
        return Value("other") if kinds == {"other"} else Value()

    def _any(self, nodes: list[ast.expr]) -> Value:
        """Return the value on which the members of a union agree, apart from None."""
        found = {
            self._node(node)
            for node in nodes
            if not (isinstance(node, ast.Constant) and node.value is None)
        }
        return self._agreed(found)

    @staticmethod
    def _agreed(found: set[Value]) -> Value:
        kinds = {value.kind for value in found}
        if "array" in kinds and kinds <= {"array", "arrays", "other"}:
            # max() returns an array or, along a dimension, two: an item of either is an array
            found = {value for value in found if value.kind == "array"}
            kinds = {"array"}
        if len(kinds) != 1:
            return Value()
        given = {value.given for value in found}
        return Value(kinds.pop(), given.pop() if len(given) == 1 else "")

    def _annotation(self, annotation: Any) -> Value:
        if annotation is None:
            return Value("other")
        if inspect.isclass(annotation) and not hasattr(annotation, "__origin__"):
            if id(annotation) in self._names:
                return self.of_class(annotation)
            return self._name(annotation.__name__)
        text = annotation if isinstance(annotation, str) else str(annotation)
        return self.of_text(text.replace("typing.", ""))

    # ------------------------------------------------------------------------ callables

    def of_call(self, value: Any, paths: set[str], owner: type | None = None) -> Value:
        """Return what a call of a function or method returns.

        Parameters
        ----------
        value
            The function.
        paths
            Its public paths.
        owner
            The class that defines it, if it is a method.
        """
        found = self._of_stub(value, paths, owner)
        if found is None:
            found = self._of_annotations(value)
            if not found.kind:
                found = self._of_docstring(getattr(value, "__doc__", None))
        return self._with_self(found, owner)

    def of_method(self, value: Any, name: str, definer: type) -> Value:
        """Return what a method returns; if unknown, what the method that it overrides returns."""
        found = self.of_call(value, set(), definer)
        for base in definer.__mro__[1:]:
            if found.kind:
                break
            inner = vars(base).get(name)
            inner = inner.__func__ if isinstance(inner, (staticmethod, classmethod)) else inner
            if callable(inner):
                found = self.of_call(inner, set(), base)
        return found

    def only_in_stub(self, cls: type) -> Iterator[tuple[str, bool, Value]]:
        """Yield the public members that only the stub of a class has.

        Each is the name, whether it is a method, and what it returns or is.
        """
        for (owner, name), texts in self._stub.members.items():
            if owner == cls.__name__ and name and not name.startswith("_") and name not in dir(cls):
                found = self._agreed({self.of_text(text) for text in texts})
                is_method = (owner, name) in self._stub.methods
                yield name, is_method, self._with_self(found, cls)

    def _with_self(self, found: Value, owner: type | None) -> Value:
        if found.kind != "self":
            return found if found.kind else Value()
        return Value(self.of_class(owner).kind, "self") if owner else Value()

    def of_attribute(self, value: Any, name: str, owner: type) -> Value:
        """Return what an attribute of a class's instances is."""
        texts = self._stub.members.get((owner.__name__, name))
        if texts:
            return self._with_self(self._agreed({self.of_text(text) for text in texts}), owner)
        if name in public.annotations(owner):
            found = self._annotation(public.annotations(owner)[name])
            return self._with_self(found, owner)
        if isinstance(value, property):
            return self.of_call(value.fget, set(), owner)
        if inspect.isdatadescriptor(value) or hasattr(value, "__get__"):
            return Value()
        return self.of_object(value)

    def _of_stub(self, value: Any, paths: set[str], owner: type | None) -> Value | None:
        texts: list[str] = []
        if owner is not None:
            name = getattr(value, "__name__", "")
            texts = self._stub.members.get((owner.__name__, name), [])
        for path in paths:
            texts = texts or self._stub.functions.get(path, [])
        return self._agreed({self.of_text(text) for text in texts}) if texts else None

    def _of_annotations(self, value: Any) -> Value:
        try:
            inner = inspect.unwrap(value)
        except (ValueError, TypeError):
            inner = value
        overloads = getattr(typing, "get_overloads", lambda _: [])  # Python 3.11 and later
        found = overloads(inner) if inspect.isfunction(inner) else []
        return self._agreed({self._of_annotated(each) for each in found or [inner]})

    def _of_annotated(self, value: Any) -> Value:
        annotations = getattr(value, "__annotations__", None)
        if not isinstance(annotations, dict) or "return" not in annotations:
            return Value()
        result = annotations["return"]
        if "self" in annotations and annotations["self"] is result:
            return Value("self", "self")
        return self._annotation(result)

    def _of_docstring(self, text: Any) -> Value:
        if not isinstance(text, str):
            return Value()
        if match := _SIGNATURE.search(text[:2000]):
            return self.of_text(match[1])
        match = _RETURNS.search(text)
        sentence = match[1].strip() if match else ""
        if _ARRAYS.match(sentence):
            return Value("arrays")
        return Value("array") if _ARRAY.match(sentence) else Value()
