"""Calls as texts of the case language: candidates for one argument, and whole cases."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

#: Names that an input of a case must not have (docs/cases.md).
TAKEN = frozenset({
    "device", "out", "captured", "np", "scipy", "jnp", "tf", "torch", "jax", "on_reference",
})  # fmt: skip


class Candidate(NamedTuple):
    """What one argument may be.

    Attributes
    ----------
    text
        An expression. The inputs replace ``{0}``, ``{1}`` and so on.
    specs
        The specifications of these inputs, as in ``"float32[3,4] normal"``.
    is_made
        The expression belongs in the setup, not in the timed call.
    is_module
        The value owns weights.
    """

    text: str
    specs: tuple[str, ...] = ()
    is_made: bool = False
    is_module: bool = False


class Case(NamedTuple):
    """A case, as in docs/cases.md."""

    inputs: dict[str, str]
    setup: tuple[str, ...]
    modules: tuple[str, ...]
    call: str
    output: str = "out"
    repeat: str = "pure"
    compare: Any = "close"
    host_outputs: tuple[str, ...] = ()
    tolerance: Any = None
    context: str = ""

    def document(self) -> dict[str, Any]:
        """Return the keys of the case that differ from their defaults."""
        found: dict[str, Any] = {}
        if self.inputs:
            found["inputs"] = self.inputs
        if self.setup:
            found["setup"] = "\n".join(self.setup)
        if self.modules:
            found["modules"] = list(self.modules)
        found["call"] = self.call
        if self.context:
            found["context"] = self.context
        for key, fallback in (("output", "out"), ("repeat", "pure"), ("compare", "close")):
            if getattr(self, key) != fallback:
                found[key] = getattr(self, key)
        if self.tolerance:
            found["tolerance"] = self.tolerance
        if self.host_outputs:
            found["host_outputs"] = list(self.host_outputs)
        return found


class Made(NamedTuple):
    """An object on which methods can be called.

    Attributes
    ----------
    case
        Its call makes the object.
    is_module
        The object owns weights.
    used
        A case that makes the object in its setup, and uses it in its call. None if methods are
        called on the object as it was made.
    """

    case: Case
    is_module: bool
    used: Case | None = None


class Builder:
    """Collects inputs and statements of the setup while the texts of arguments are made."""

    def __init__(self, setup: Sequence[str] = ()) -> None:
        self.inputs: dict[str, str] = {}
        self.setup: list[str] = list(setup)
        self.modules: list[str] = []
        self._names: set[str] = set()

    def name(self, wanted: str) -> str:
        """Return an unused name, as close as possible to the wanted one."""
        base = "".join(c if c.isalnum() or c == "_" else "_" for c in wanted).strip("_") or "x"
        if base in TAKEN or keyword.iskeyword(base) or not base.isidentifier():
            base = f"{base}_" if f"{base}_".isidentifier() else f"x{base}"
        found, number = base, 1
        while found in self._names:
            number += 1
            found = f"{base}{number}"
        self._names.add(found)
        return found

    def argument(self, name: str, candidate: Candidate) -> str:
        """Add the inputs and the setup of an argument called `name`; return its text."""
        inputs = []
        for spec in candidate.specs:
            own = self.name(name)
            self.inputs[own] = spec
            inputs.append(own)
        text = candidate.text
        for place, own in enumerate(inputs):
            text = text.replace(slot(place), own)
        if not candidate.is_made:
            return text
        own = self.name(f"{name}_made" if inputs else name)
        self.setup.append(f"{own} = {text}")
        if candidate.is_module:
            self.modules.append(own)
        return own

    def made(self, made: Made) -> str:
        """Add the statements that make an object, and use it once; return its name."""
        if made.used is not None:
            return self._used(made.used)
        self.inputs.update(made.case.inputs)
        self._names.update(made.case.inputs)
        self.setup += [line for line in made.case.setup if line not in self.setup]
        self.modules += made.case.modules
        own = self.name("m")
        self.setup.append(f"{own} = {made.case.call}")
        if made.is_module:
            self.modules.append(own)
        return own

    def _used(self, used: Case) -> str:
        """Add the statements that make and use an object; return its name."""
        self.inputs.update(used.inputs)
        self._names.update(used.inputs, names_in(used))
        self.setup += [line for line in used.setup if line not in self.setup]
        self.setup.append(used.call)
        self.modules += used.modules
        return object_of(used)

    def case(self, call: str, output: str = "out") -> Case:
        """Return the case of a call."""
        return Case(dict(self.inputs), tuple(self.setup), tuple(self.modules), call, output)


def object_of(used: Case) -> str:
    """Return the name of the object that the call of a case uses: ``m`` in ``m.build(x)``."""
    return re.match(r"\w+", used.call).group()  # type: ignore[union-attr]


def is_use(case: Case) -> bool:
    """Return whether the call of a case uses an object that the setup makes."""
    found = re.match(r"\w+", case.call)
    return found is not None and found.group() in names_in(case)


def names_in(used: Case) -> list[str]:
    """Return the names to which the statements of a setup assign values."""
    found = [re.match(r"(\w+) = ", line) for line in used.setup]
    return [each.group(1) for each in found if each]


def given_to(used: Case) -> list[str]:
    """Return the texts of the arguments in the call of a case."""
    call = ast.parse(used.call, mode="eval").body
    if not isinstance(call, ast.Call):
        return []
    return [ast.unparse(each) for each in [*call.args, *(k.value for k in call.keywords)]]


def slot(place: int) -> str:
    """Return the placeholder of an input in the text of a candidate: ``{0}``."""
    return f"{{{place}}}"


def array(spec: str) -> Candidate:
    """Return the candidate that is a generated array."""
    return Candidate("{0}", (spec,))


#: The names of the frameworks and of NumPy in the texts of cases.
_ROOTS = frozenset({"torch", "tf", "jax", "jnp", "np"})


def texts(*expressions: str) -> list[Candidate]:
    """Return candidates without inputs; the setup makes those that call a framework.

    The exception of such a call would otherwise count as one of the function that gets its result.
    """
    return [Candidate(each, is_made=_calls_framework(each)) for each in expressions]


def _calls_framework(text: str) -> bool:
    """Return whether an expression, when it is evaluated, calls a function of a framework."""
    if "(" not in text:
        return False
    waiting = [ast.parse(text, mode="eval").body]
    while waiting:
        node: ast.AST = waiting.pop()
        if isinstance(node, ast.Lambda):
            continue  # what a function calls, it calls later
        if isinstance(node, ast.Call) and _root(node.func) in _ROOTS:
            return True
        waiting += ast.iter_child_nodes(node)
    return False


def _root(node: ast.AST) -> str:
    """Return the first name of a dotted one; empty for any other expression."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def made_texts(*expressions: str) -> list[Candidate]:
    """Return candidates without inputs, which the setup makes once for all calls."""
    return [Candidate(each, is_made=True) for each in expressions]


def called(
    function: str,
    arguments: Sequence[tuple[str, str, Candidate]],
    builder: Builder,
) -> str:
    """Return the text of a call.

    Parameters
    ----------
    function
        The text before the opening parenthesis.
    arguments
        Name, kind (``pos``, ``kw`` or ``var``) and candidate of each argument.
    builder
        Receives the inputs and the setup.
    """
    found = []
    for name, kind, candidate in arguments:
        text = builder.argument(name, candidate)
        found.append(f"{name}={text}" if kind == "kw" else text)
    return f"{function}({', '.join(each for each in found if each)})"


def by_names(table: Mapping[str, Sequence[Candidate]]) -> dict[str, list[Candidate]]:
    """Return the table with one key per name: keys such as ``"model|module"`` are split."""
    return {name: list(value) for names, value in table.items() for name in names.split("|")}
