"""Determines whether a setup failed in a call of the case's own function.

Such a failure counts as the function's: the verdict must not depend on whether an author calls the
function in the setup or in ``call``. An exception from an argument of the call counts too.
"""

from __future__ import annotations

import ast
import linecache
import sys
from types import TracebackType
from typing import Any

from pmdriver.framework import Framework
from pmdriver.job import calling, source


def is_own(
    error: BaseException, framework: Framework, function: str, names: dict[str, Any]
) -> bool:
    """Return whether a setup was calling the function when it raised.

    Parameters
    ----------
    error
        What was raised.
    framework
        Started in this process.
    function
        Qualified name, as in the case file.
    names
        The globals of the case at that moment.
    """
    at = _innermost_line(error.__traceback__)
    route = framework.route(function) if at else []
    if at is None or not route:
        return False
    target = calling.Target(route, function)
    tree = ast.parse("".join(linecache.getlines(source.SETUP)))
    return any(
        calling.names_function(target, node.func, names)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _is_within(at, node)
    )


def _innermost_line(trace: TracebackType | None) -> TracebackType | None:
    """Return the last setup frame before the traceback first leaves the setup; None if none."""
    found = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == source.SETUP:
            found = trace
        elif found is not None:
            return found
        trace = trace.tb_next
    return found


def _is_within(at: TracebackType, node: ast.Call) -> bool:
    """Return whether a frame stopped in a call: by columns, or by lines before Python 3.11."""
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    if sys.version_info < (3, 11):
        return begin[0] <= at.tb_lineno <= (end[0] or begin[0])
    positions = list(at.tb_frame.f_code.co_positions())[at.tb_lasti // 2]
    if None in positions:
        return False
    line, end_line, column, end_column = positions
    return begin <= (line, column) and (end_line, end_column) <= end
