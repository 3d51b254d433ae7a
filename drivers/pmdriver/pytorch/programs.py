"""Programs that PyTorch makes of functions: scripted, traced and exported ones, as text.

A program is compared by its text. Parts of the text that differ between processes or devices, and
say nothing about what the program does, are removed: addresses, devices, and the numbers that
TorchScript adds to the names of classes.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import torch

Parts = list[tuple[str, Any]]

_NOISE = (
    (re.compile(r" at 0x[0-9a-f]+"), ""),
    (re.compile(r"___torch_mangle_\d+\.?"), ""),
    (re.compile(r"device\((?:type=)?[\"'][^\"']*[\"'](?:, index=\d+)?\)"), "device(...)"),
    (re.compile(r"Device = prim::Constant\[value=\"[^\"]*\"\]"), "Device = prim::Constant[...]"),
)


def text_of(program: str) -> str:
    """Return the text of a program without the parts that differ between processes or devices."""
    for pattern, instead in _NOISE:
        program = pattern.sub(instead, program)
    return program


def parts(value: Any) -> Parts | None:
    """Open a program: its text and its constants; None for any other value.

    A module is a program if it was scripted, traced or made by `torch.fx`. Its parameters and
    buffers are not among the parts here.
    """
    if isinstance(value, torch.jit.ScriptFunction):
        return [(".code", text_of(value.code)), *_constants(value.graph, "")]
    if isinstance(value, torch.jit.ScriptModule):
        return _parts_of_script(value)
    if isinstance(value, torch._C.Graph):
        return [(".graph", text_of(str(value)))]
    if (fx := sys.modules.get("torch.fx")) is not None:
        if isinstance(value, fx.GraphModule):
            return [(".code", text_of(value.code))]
        if isinstance(value, fx.Graph):
            return [(".graph", text_of(str(value)))]
    export = sys.modules.get("torch.export.exported_program")
    if export is not None and isinstance(value, export.ExportedProgram):
        return [(".graph_module", value.graph_module), (".state_dict", value.state_dict)]
    return None


def _parts_of_script(value: Any) -> Parts:
    """Open a scripted module: the text of each of its methods, and their constants."""
    found: Parts = []
    for path, module in value.named_modules():
        at = f".{path}" if path else ""
        methods = module._c._method_names() if hasattr(module, "_c") else ()
        for name in methods:
            method = module._c._get_method(name)
            found.append((f"{at}.{name}.code", text_of(method.code)))
            found += _constants(method.graph, f"{at}.{name}")
    return found


def _constants(graph: Any, at: str) -> Parts:
    """List the tensors among the constants of a graph, which its text only numbers."""
    tensors = [
        node.t("value")
        for node in graph.findAllNodes("prim::Constant")
        if node.hasAttribute("value") and node.kindOf("value") == "t"
    ]
    return [(f"{at}.CONSTANTS[{i}]", tensor) for i, tensor in enumerate(tensors)]
