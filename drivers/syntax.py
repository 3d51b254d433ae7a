"""Check that the texts of cases are valid Python, before any framework is imported.

``src/measuring/environment/texts.c`` runs this as ``PYTHON syntax.py FILE``. FILE is a JSON list
with an object for each case: ``file``, ``line`` (where the case begins), ``dtype`` (what replaced
``$dtype``, or null), ``parameters`` of the call, and the texts by their keys. The script prints a
line ``FILE:LINE:COLUMN: ...`` for each text that is not valid. Equal lines are printed once.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

#: Keys with an expression.
EXPRESSIONS = ("output", "check")  # not `expect`: the oracle executes it as the call


class Breach(NamedTuple):
    """What Python reports about a text, and where: lines and columns count from 1."""

    line: int
    column: int
    message: str


def breach_of(text: str, compiled: Callable[[str], Any], shift: tuple[int, int]) -> Breach | None:
    """Return what is wrong with a text; None if it is valid.

    Parameters
    ----------
    text
        The text in the case file.
    compiled
        Compiles the text.
    shift
        How many lines, and how many columns in the first line, `compiled` puts before the text.
    """
    try:
        compiled(text)
    except SyntaxError as error:
        line = max(1, (error.lineno or 1) - shift[0])
        column = max(1, (error.offset or 1) - (shift[1] if line == 1 else 0))
        return Breach(line, column, error.msg)
    except ValueError as error:
        return Breach(1, 1, str(error))
    return None


def checked(key: str, text: str, parameters: list[str]) -> Breach | None:
    """Check one text in the way in which `pmdriver.job.source` compiles it."""
    if key == "setup":
        return breach_of(text, lambda t: compile(t, "setup", "exec"), (0, 0))
    if key == "context":
        return breach_of(text, lambda t: compile(f"with (\n{t}\n): pass", key, "exec"), (1, 0))
    if key in EXPRESSIONS:
        return breach_of(text, lambda t: compile(t, key, "eval"), (0, 0))
    head = f"lambda {', '.join(parameters)}: ("
    found = breach_of(text, lambda t: compile(f"{head}{t}\n)", key, "eval"), (0, len(head)))
    if not found:
        return None
    # Statements compile in the same way with and without the parameters.
    return breach_of(text, lambda t: compile(t, key, "exec"), (0, 0))


def place(case: dict[str, Any], key: str, text: str, breach: Breach) -> tuple[int, int]:
    """Return the line and column of a breach in the case file.

    The line of the text is searched for after the beginning of the case. If YAML has it in another
    form (with escapes, or folded), the place of the key is returned.
    """
    lines = text.split("\n")
    whole = lines[min(breach.line, len(lines)) - 1]
    wanted, indent = whole.strip(), len(whole) - len(whole.lstrip())
    before = wanted[: max(0, breach.column - 1 - indent)]
    with open(case["file"], encoding="utf-8") as file:
        raw = file.read().split("\n")
    first = case["line"] - 1
    spellings = [(wanted, before)]
    if case.get("dtype"):
        dtype = case["dtype"]
        spellings.insert(0, (wanted.replace(dtype, "$dtype"), before.replace(dtype, "$dtype")))
    key_at = next((i for i in range(first, len(raw)) if re.search(rf"\b{key}:", raw[i])), first)
    for spelling, prefix in spellings:
        for number in range(key_at, len(raw)):
            start = raw[number].find(spelling) if spelling else -1
            if start >= 0:
                return number + 1, start + len(prefix) + 1
    match = re.search(rf"\b{key}:\s*", raw[key_at])
    return key_at + 1, (match.end() if match else 0) + 1


def main(path: str) -> None:
    """Print a line for each text that is not valid Python in a file of cases."""
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)
    printed: dict[str, None] = {}
    for case in cases:
        for key in ("context", "setup", "call", "output", "expect", "check"):
            text = (case.get(key) or "").strip() if key != "setup" else case.get(key) or ""
            breach = checked(key, text, case["parameters"]) if text else None
            if breach:
                at = ":".join(map(str, (case["file"], *place(case, key, text, breach))))
                printed.setdefault(f"{at}: '{key}' is not valid Python: {breach.message}")
    print("\n".join(printed))


if __name__ == "__main__":
    main(sys.argv[1])
