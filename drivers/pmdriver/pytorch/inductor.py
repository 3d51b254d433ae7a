"""The variant ``+inductor`` of PyTorch: the call under ``torch.compile(fullgraph=True)``."""

from __future__ import annotations

import os
import re
import shutil
import sys
import types
from typing import Any, Callable

import torch

from pmdriver.failure import NotApplicable, message_of

#: Dynamo's limits are set to this number, because a case whose setup makes a class compiles again
#: for each new setup. portmeter counts these compilations.
MOST_RECOMPILATIONS = 10_000

#: Dynamo's limits on compilations: their names since 2.6, and those before.
_LIMITS = (
    "recompile_limit",
    "accumulated_recompile_limit",
    "cache_size_limit",
    "accumulated_cache_size_limit",
)

#: Dynamo's clocks, outermost first, each with its names in several versions: for a whole frame, for
#: its back end, and for generating and compiling code.
_CLOCKS = (
    ("_compile.compile_inner", "_compile.<locals>.compile_inner", "_compile"),
    ("OutputGraph.call_user_compiler",),
    ("GraphLowering.compile_to_module",),
)

_EXTERN = re.compile(r"\b(?:extern_kernels|torch\.ops)\.([\w.]+)\(|\b(fallback_kernel\.\w+)\(")


def missing() -> str:
    """Say in one line why the variant cannot be used here; an empty text if it can."""
    if not hasattr(torch, "compile"):
        return f"PyTorch {torch.__version__} has no torch.compile: install 2.0 or newer"
    candidates = [os.environ.get("CXX", ""), "g++", "clang++", "c++"]
    if any(name and shutil.which(name) for name in candidates):
        return ""
    return "inductor needs a C++ compiler: install g++"


class Inductor:
    """Compiles calls, and reads the generated code."""

    def __init__(self) -> None:
        import torch._dynamo
        import torch._dynamo.utils
        import torch._inductor.config

        self._dynamo = torch._dynamo
        self._counters = torch._dynamo.utils.counters
        utils = torch._dynamo.utils
        self._times = getattr(utils, "compilation_time_metrics", None)
        if self._times is None:  # before 2.2
            self._times = getattr(utils, "compilation_metrics", {})
        for name in _LIMITS:
            if hasattr(torch._dynamo.config, name):
                setattr(torch._dynamo.config, name, MOST_RECOMPILATIONS)
        torch._inductor.config.compile_threads = 1  # workers would outlive the child
        self._graphs = 0

    def bind(self, function: types.FunctionType) -> Callable[..., Any]:
        """Wrap a function, which is then compiled when it is first called.

        The function gets a code object of its own. Dynamo stores compiled code with the code
        object, and its name in the globals of the function. Another function with the same code
        has other globals, where this name would be missing.
        """
        function.__code__ = function.__code__.replace()
        self._graphs = self.count()
        self._modules = set(self._generated())
        return torch.compile(function, fullgraph=True)

    def count(self) -> int:
        """Return the number of graphs compiled so far."""
        return int(self._counters["stats"].get("unique_graphs", 0))

    def before_running(self) -> dict[str, int]:
        """Return the times so far, in ns, of tracing, lowering and compiling.

        They are differences of dynamo's own clocks, each of which includes the next. Lowering is
        AOTAutograd and the passes of inductor.
        """
        whole, backend, compiling = (self._clock(names) for names in _CLOCKS)
        lowering = max(backend - compiling, 0)
        return {
            "tracing": max(whole - backend, 0),
            "lowering": lowering,
            "compiling": compiling,
        }

    def _clock(self, names: tuple[str, ...]) -> int:
        """Return the sum of a clock of dynamo, in ns."""
        found = next((self._times[name] for name in names if name in self._times), [])
        return round(sum(found) * 1e9)

    def after_first_call(self) -> list[str]:
        """List the library calls in the code generated since `bind`.

        Raises
        ------
        NotApplicable
            No graph was made: the call has no operation to compile.
        """
        if self.count() == self._graphs:
            raise NotApplicable("the call has no operation that torch.compile could compile")
        found: list[str] = []
        for path, module in self._generated().items():
            if path not in self._modules:
                found += extern_kernels(_text(module))
        return list(dict.fromkeys(found))

    def not_traceable(self, error: BaseException) -> str | None:
        """Say why dynamo cannot trace the call as one graph; None for other exceptions."""
        exc = self._dynamo.exc
        if isinstance(error, (exc.Unsupported, exc.UserError)):
            lines = [line.strip() for line in message_of(error).splitlines() if line.strip()]
            return "graph break: " + " ".join(lines[:2])
        return None

    @staticmethod
    def _generated() -> dict[str, types.ModuleType]:
        cache = sys.modules.get("torch._inductor.codecache")
        modules = getattr(getattr(cache, "PyCodeCache", None), "modules", [])
        return {module.__file__: module for module in modules if module.__file__}


def extern_kernels(code: str) -> list[str]:
    """List, in order, the library calls in the text of an inductor wrapper."""
    calls = code.split("def call(", 1)[-1]
    return list(dict.fromkeys(a or b for a, b in _EXTERN.findall(calls)))


def _text(module: types.ModuleType) -> str:
    try:
        with open(module.__file__ or "", encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""
