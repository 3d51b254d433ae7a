"""Compiles the texts of a case, each once.

The call becomes a function. Its parameters are the inputs, in order, then the names that the case
lists as arguments. Its globals are the names that the setup made. The function returns the value of
an expression; a statement binds globals (``y = f(x)``), so that `output` can use them.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import linecache
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pmdriver.failure import CaseError

#: The texts of a job in which `$tmp` is replaced by the path of a folder of the job's own.
TEXTS = ("context", "setup", "call", "output", "check")

#: The file names of the compiled texts in tracebacks.
CALL, SETUP, OUTPUT, CHECK, MODULES = "<call>", "<setup>", "<output>", "<check>", "<modules>"
CONTEXT = "<context>"

#: The module that has the names of a case, because classes and pickle look up names in modules.
MODULE = "portmeter_case"

#: Makes a call repeatedly and returns the total time; the call replaces ``None``.
_LOOP = """def call({}):
    __pm_begin = __pm_clock()
    for __pm_at in __pm_times:
        None
    return __pm_clock() - __pm_begin
"""
_LOOP_PARAMETERS = ("__pm_clock", "__pm_times")


class Manager(NamedTuple):
    """One item of a case's `context`: the expression, and the name after ``as``, or ``""``."""

    code: types.CodeType
    name: str


class Texts(NamedTuple):
    """The code objects of a case.

    Attributes
    ----------
    context
        The managers around setup, call, output and check, the outermost first.
    call
        The code of a function; its parameters are the inputs, and the names in `arguments`.
    setup, output, check
        None if the case has no such text, or if `output` is the plain ``out``.
    modules
        One expression for each module.
    setup_names
        The names that the setup reads or binds.
    captures
        Whether `output` or `check` uses what the call prints.
    """

    context: list[Manager]
    call: types.CodeType
    setup: types.CodeType | None
    output: types.CodeType | None
    check: types.CodeType | None
    modules: list[types.CodeType]
    setup_names: frozenset[str]
    captures: bool


def _remember(text: str, filename: str) -> None:
    """Make tracebacks show the lines of a string."""
    lines = text.splitlines(keepends=True)
    linecache.cache[filename] = (len(text), None, lines, filename)


def _parse(text: str, filename: str, mode: str) -> ast.AST:
    _remember(text, filename)
    try:
        return ast.parse(text, filename, mode)
    except (SyntaxError, ValueError) as error:
        raise CaseError(f"{filename[1:-1]} is not valid Python: {error}") from None


def _expression(text: str, filename: str) -> types.CodeType:
    return compile(_parse(text.strip(), filename, "eval"), filename, "eval")


class _Bound(ast.NodeVisitor):
    """Collects the names that statements bind, but not those bound in inner scopes."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.names.append(node.id)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.names.append(node.name)

    visit_ClassDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    visit_ListComp = visit_SetComp = visit_Lambda  # type: ignore[assignment]
    visit_DictComp = visit_GeneratorExp = visit_Lambda  # type: ignore[assignment]


def _function(text: str, parameters: Sequence[str]) -> ast.Module:
    """Return the statements as the body of a function in which the names they bind are global."""
    statements = _parse(text, CALL, "exec").body  # type: ignore[attr-defined]
    bound = _Bound()
    for statement in statements:
        bound.visit(statement)
    names = [name for name in dict.fromkeys(bound.names) if name not in parameters]
    if names:
        statements.insert(0, ast.copy_location(ast.Global(names), statements[0]))
    module = ast.parse(f"def call({', '.join(parameters)}): pass", CALL)
    module.body[0].body = statements  # type: ignore[attr-defined]
    return ast.fix_missing_locations(module)


def compile_context(text: str) -> list[Manager]:
    """Compile the text that Python has between ``with`` and the colon.

    Raises
    ------
    CaseError
        The text is not valid Python there, or has something other than a name after ``as``.
    """
    if not text.strip():
        return []
    _remember(text, CONTEXT)
    try:
        (statement,) = ast.parse(f"with (\n{text.strip()}\n): pass", CONTEXT).body
    except (SyntaxError, ValueError) as error:
        raise CaseError(f"context is not valid Python after 'with': {error}") from None
    if not isinstance(statement, ast.With):
        raise CaseError("context is not valid Python after 'with': docs/cases.md shows the form")
    found = []
    for item in statement.items:
        target = item.optional_vars
        if target is not None and not isinstance(target, ast.Name):
            raise CaseError("context: write a name after 'as'")
        expression = ast.fix_missing_locations(ast.Expression(item.context_expr))
        found.append(Manager(compile(expression, CONTEXT, "eval"), target.id if target else ""))
    return found


def compile_call(text: str, parameters: Sequence[str]) -> types.CodeType:
    """Compile a call (an expression or statements) to the code of a function of `parameters`.

    Raises
    ------
    CaseError
        The text is not Python.
    """
    text = text.strip()
    if not text:
        raise CaseError("call is empty: write an expression or statements")
    try:  # an expression, by far the most frequent, needs one pass of the compiler
        code = compile(f"lambda {', '.join(parameters)}: ({text}\n)", CALL, "eval")
        _remember(text, CALL)
    except (SyntaxError, ValueError):
        try:
            code = compile(_function(text, parameters), CALL, "exec")
        except (SyntaxError, ValueError) as error:
            raise CaseError(f"call is not valid Python: {error}") from None
    code = next(item for item in code.co_consts if isinstance(item, types.CodeType))
    return code.replace(co_name="call")


def compile_loop(text: str, parameters: Sequence[str]) -> types.CodeType | None:
    """Compile a call to the code of a function that makes it repeatedly and returns the total time.

    Its parameters are a clock, an iterable with an item for each call, and those of the call. The
    expression itself is in the loop: calling a function around it takes as long as a short call.

    Returns
    -------
    code or None
        None if the call consists of statements.
    """
    try:
        call = ast.parse(f"({text.strip()}\n)", CALL, "eval").body
    except (SyntaxError, ValueError):
        return None
    module = ast.parse(_LOOP.format(", ".join([*_LOOP_PARAMETERS, *parameters])), CALL)
    repeated = module.body[0].body[1]  # type: ignore[attr-defined]
    repeated.body[0].value = call
    code = compile(ast.fix_missing_locations(module), CALL, "exec")
    return next(item for item in code.co_consts if isinstance(item, types.CodeType))


def namespace(names: dict[str, Any]) -> dict[str, Any]:
    """Make a module of these names and return its globals.

    The module stays in `sys.modules` until the next one replaces it, because the module in which a
    class was made is looked up there: by `dataclasses` and `typing` for names in annotations, and
    by `pickle` for the class itself.
    """
    module = types.ModuleType(MODULE)
    module.__dict__.update(names)
    sys.modules[MODULE] = module
    return module.__dict__


@contextlib.contextmanager
def module_kept() -> Iterator[None]:
    """Restore the case's module in `sys.modules` when the block ends."""
    before = sys.modules.get(MODULE)
    try:
        yield
    finally:
        if before is None:
            sys.modules.pop(MODULE, None)
        else:
            sys.modules[MODULE] = before


def function_of(code: types.CodeType, names: dict[str, Any]) -> types.FunctionType:
    """Return a function with the code of a call; its globals are the names of one setup."""
    return types.FunctionType(code, names, "call")


def compile_job(job: dict[str, Any], parameters: Sequence[str], scratch: str) -> Texts:
    """Compile all texts of a job, with `$tmp` replaced by `scratch`.

    Raises
    ------
    CaseError
        A text is not Python or, in a rehearsal, `output` or `check` does not depend on the call.
    """

    def text(key: str) -> str:
        return (job.get(key) or "").replace("$tmp", scratch)

    setup = None
    if text("setup"):
        setup = compile(_parse(text("setup"), SETUP, "exec"), SETUP, "exec")
    output = text("output").strip()
    texts = Texts(
        context=compile_context(text("context")),
        call=compile_call(text("call"), [*parameters, *(job.get("arguments") or [])]),
        setup=setup,
        output=_expression(output, OUTPUT) if output not in ("", "out") else None,
        check=_expression(text("check"), CHECK) if text("check") else None,
        modules=[_expression(module, MODULES) for module in job.get("modules") or []],
        setup_names=frozenset(all_names(setup)) if setup else frozenset(),
        captures=any("captured" in (job.get(key) or "") for key in ("output", "check")),
    )
    if job.get("rehearse"):
        _require_a_result(job, parameters)
    return texts


def all_names(code: types.CodeType) -> list[str]:
    """List the names of globals and attributes that code and its inner functions use."""
    names = list(code.co_names)
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            names += all_names(item)
    return list(dict.fromkeys(names))


def _is_vacuous(text: str, given: Sequence[str]) -> bool:
    """Return whether an expression uses only the given names and the builtins."""
    used, bound = set(), {*given, *dir(builtins)}
    for node in ast.walk(ast.parse(text.strip(), mode="eval")):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return used <= bound


def _require_a_result(job: dict[str, Any], parameters: Sequence[str]) -> None:
    """Refuse an output or a check whose value does not depend on the call.

    A call under `repeat: pure` does not change its inputs, so using only inputs is refused too.
    """
    pure = (job.get("repeat") or "pure") == "pure"
    for key in ("output", "check"):
        text = (job.get(key) or "").strip()
        if text and text != "out" and _is_vacuous(text, parameters if pure else ()):
            raise CaseError(
                f"'{key}' does not depend on the call, so the case cannot fail: "
                "use the result of the call"
            )


def truth(value: Any) -> bool:
    """Return the value of a check: a `bool`, or an array with one element that is a `bool`.

    Raises
    ------
    TypeError
        The value is something else.
    """
    item = getattr(value, "item", None)
    found = item() if callable(item) else value
    if not isinstance(found, bool):
        raise TypeError(
            f"the value of 'check' must be True or False, but its type is {type(value).__name__}"
        )
    return found


def copy_literal(literal: Any) -> Any:
    """Copy a JSON value, so that a case that changes it does not change it for the next timing."""
    if isinstance(literal, list):
        return [copy_literal(item) for item in literal]
    if isinstance(literal, dict):
        return {key: copy_literal(item) for key, item in literal.items()}
    return literal
