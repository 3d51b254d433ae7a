"""Rewrite the calls of a Python text so that each of them can be recorded.

``f(x)`` becomes ``__portmeter_call__(7, f)(x)``, where 7 is the number of the site. The first call
returns ``f`` itself if nothing is to be recorded. Positions in the text are kept, so that
tracebacks show the same lines.
"""

from __future__ import annotations

import ast
import itertools
from types import CodeType, FrameType
from typing import Any

CALL = "__portmeter_call__"

# Builtins that cannot be recorded, or that look at the frame of their caller.
_BUILTINS = (
    "super locals globals vars dir eval exec isinstance issubclass len range print getattr hasattr "
    "setattr type id repr str int float bool list tuple dict set enumerate zip map filter sorted "
    "min max abs sum iter next open format hash callable breakpoint __import__"
)
_KEPT = frozenset(_BUILTINS.split())


class Sites:
    """The places of rewritten calls.

    Attributes
    ----------
    items
        For each site: the file, the line and the column of the called name, and the column where
        its dotted name begins. Lines and columns count from 1, columns in bytes.
    files
        By the path in code objects: the path of the file in `items`.
    """

    def __init__(self) -> None:
        self.items: list[tuple[str, int, int, int]] = []
        self.files: dict[str, str] = {}
        self._of_code: dict[tuple[CodeType, int], int] = {}

    def add(self, path: str, func: ast.expr) -> int:
        """Add the site of a call by the expression that is called; return its number."""
        first = func.col_offset + 1
        line, column = func.lineno, first
        if isinstance(func, ast.Attribute):
            line = func.end_lineno or func.lineno
            column = (func.end_col_offset or 0) - len(func.attr.encode()) + 1
        self.items.append((path, line, column, first))
        return len(self.items) - 1

    def of_frame(self, frame: FrameType | None) -> int:
        """Return the site of the innermost running expression of the project; -1 if there is none.

        Parameters
        ----------
        frame
            The first frame to look at.
        """
        while frame is not None:
            path = self.files.get(frame.f_code.co_filename)
            if path is not None:
                break
            frame = frame.f_back
        else:
            return -1
        key = frame.f_code, frame.f_lasti
        site = self._of_code.get(key)
        if site is None:
            column = _column(*key) + 1
            self.items.append((path, frame.f_lineno, column, column))
            site = self._of_code[key] = len(self.items) - 1
        return site

    def place(self, site: int) -> dict[str, Any]:
        """Return a site as JSON."""
        return dict(zip(("path", "line", "column", "first"), self.items[site]))


def _column(code: CodeType, instruction: int) -> int:
    """Return the column of an instruction, from 0; 0 if this version of Python has no columns."""
    if not hasattr(code, "co_positions"):
        return 0
    position = next(itertools.islice(code.co_positions(), instruction // 2, None), None)
    return (position[2] or 0) if position else 0


class _Rewriter(ast.NodeTransformer):
    def __init__(self, path: str, sites: Sites) -> None:
        self.path = path
        self.sites = sites

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        func = node.func
        if isinstance(func, ast.Name) and func.id in _KEPT:
            return node
        if not isinstance(func, (ast.Name, ast.Attribute, ast.Subscript)):
            return node  # f(x)(y): the call of f is recorded, and its result is seldom public
        number = self.sites.add(self.path, func)
        name = ast.copy_location(ast.Name(CALL, ast.Load()), func)
        constant = ast.copy_location(ast.Constant(number), func)
        node.func = ast.copy_location(ast.Call(name, [constant, func], []), func)
        return node


def rewrite(tree: Any, path: str, sites: Sites) -> Any:
    """Rewrite a tree in place; return it.

    Parameters
    ----------
    tree
        The syntax tree of a whole file.
    path
        The path of the file in the sites.
    sites
        Receives the places of the calls.
    """
    return ast.fix_missing_locations(_Rewriter(path, sites).visit(tree))
