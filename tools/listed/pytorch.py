"""Prints cases of PyTorch's own tests of operators, and which its developers list as failing.

``python pytorch.py FOLDER`` prints a JSON list of objects with the keys ``function``, ``case``,
``truth`` and ``text``, the text of the case in a case file, and writes the arrays that the cases
read into FOLDER. Each case calls one operator of ``op_db`` (OpInfo) with at most twelve of its own
inputs in float32, without those that ask for 64-bit numbers. Operators without such inputs, and
those without a public function or method of the same name, are excluded. The truth of a case is
``fails`` if ``common_mps.py`` lists the operator as not implemented on MPS, and ``works`` if no
list of this file has it. If only another list has it (undefined results, skipped tests), the lists
do not say whether it is implemented: the truth is then empty. Both files are in the wheel. They
need the package expecttest.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
from torch.testing._internal import common_mps
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree

MOST_SAMPLES = 12
NOT_IMPLEMENTED = re.compile(r"UNIMPLEMENTED_\w*XFAILLIST\w*")
OTHER = re.compile(r"\w*(XFAILLIST|SKIPLIST)")
#: A list for versions of macOS that are older than those that these forecasts are for.
OLD = re.compile(r"MACOS_BEFORE_\w*")

CASE = """\
  - name: {name}
    setup: |
      from torch.utils import _pytree
      samples = torch.load({path!r}, weights_only=False)
      def move(leaf):
          if isinstance(leaf, torch.Tensor):
              return torch.empty_like(leaf, device=device).copy_(leaf)
          return device if isinstance(leaf, torch.device) or leaf == "cpu" else leaf
      moved = lambda: _pytree.tree_map(move, samples)
    call: "[{function}(*args, **options) for args, options in moved()]"
    output: len(out)
"""


def lists(source: str) -> dict[str, dict[str, Any]]:
    """Return the lists of operators in the function `mps_ops_modifier`, by their names."""
    found: dict[str, dict[str, Any]] = {}
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef) or function.name != "mps_ops_modifier":
            continue
        for node in ast.walk(function):
            target = node.target if isinstance(node, ast.AnnAssign) else None
            if isinstance(node, ast.Assign):
                (target,) = node.targets if len(node.targets) == 1 else (None,)
            if isinstance(target, ast.Name) and OTHER.fullmatch(target.id):
                text = ast.unparse(node.value)  # type: ignore[attr-defined]
                found[target.id] = eval(text, {"torch": torch})
    return found


def truth(operator: str, listed: dict[str, dict[str, Any]]) -> str:
    """Return what the lists say of an operator in float32: ``fails``, ``works``, or nothing."""
    names = [
        name
        for name, operators in listed.items()
        if operator in operators and not OLD.match(name)
        if operators[operator] is None or torch.float32 in operators[operator]
    ]
    if any(NOT_IMPLEMENTED.fullmatch(name) for name in names):
        return "fails"
    return "" if names else "works"


def public(name: str) -> str:
    """Return the public function or method with the name of an operator; "" if there is none."""
    for owner, prefix in ((torch, "torch."), (torch.Tensor, "torch.Tensor.")):
        found: Any = owner
        for part in name.split("."):
            found = getattr(found, part, None)
        if callable(found) and not name.startswith(("_", "torch.")):
            return prefix + name
    return ""


def is_wide(arguments: Any) -> bool:
    """Return whether arguments have, or ask for, 64-bit floating-point numbers."""
    wide = (torch.float64, torch.complex128)
    leaves, _ = _pytree.tree_flatten(arguments)
    return any(getattr(leaf, "dtype", leaf) in wide for leaf in leaves)


def samples(operator: Any, function: str) -> list[tuple[Any, Any]]:
    """Return inputs of an operator that its public function accepts on the host."""
    call, found = eval(function, {"torch": torch}), []
    for one in itertools.islice(operator.sample_inputs("cpu", torch.float32), MOST_SAMPLES):
        arguments = (one.input, *one.args)
        if is_wide((arguments, one.kwargs)):
            continue
        try:
            call(*arguments, **one.kwargs)
        except Exception:
            continue
        found.append((arguments, one.kwargs))
    return found


def main() -> None:
    """Print the cases and their truth, and write the arrays."""
    warnings.simplefilter("ignore")
    folder = Path(sys.argv[1]).resolve()
    found = []
    listed = lists(inspect.getsource(common_mps))
    for operator in op_db:
        name = operator.name + operator.variant_test_name
        function = public(operator.name)
        try:
            inputs = samples(operator, function) if function else []
            if inputs:
                torch.save(inputs, folder / f"{name}.pt")
        except Exception:  # no float32, or inputs that cannot be written
            inputs = []
        if inputs:
            case = operator.variant_test_name or "plain"
            text = CASE.format(name=case, path=str(folder / f"{name}.pt"), function=function)
            said = truth(name, listed)
            found.append({"function": function, "case": case, "truth": said, "text": text})
    print(json.dumps(found))


if __name__ == "__main__":
    main()
