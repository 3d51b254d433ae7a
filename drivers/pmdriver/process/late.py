"""Imports modules that only some cases need.

Importing one in the driver makes every later fork slower (torch._dynamo: by half); importing it
within a case makes that case's first call look slow. So a child imports what its job needs before
any clock runs, and marks the module in a page that it shares with the driver. The driver then
imports the module before its next fork, and later children have it. The job of a planted fault
whose own texts need a module sets no marks: other cases may not need the module, and every fork
would be slower. A module that every job on a device needs is marked before the first fork for that
device.
"""

from __future__ import annotations

import importlib
import importlib.util
import mmap
import sys
from collections.abc import Mapping
from typing import Any


class LateImports:
    """The late imports of one driver and its children; made in the driver.

    Parameters
    ----------
    modules
        By the name of a module: the words in a setup or a call which show that the case needs the
        module. A case that is differentiated counts as having the word ``backward``. Modules that
        are not installed are ignored.
    """

    def __init__(self, modules: Mapping[str, tuple[str, ...]]) -> None:
        found = {name: words for name, words in modules.items() if importlib.util.find_spec(name)}
        self._modules = list(found.items())
        self._marks = mmap.mmap(-1, max(1, len(self._modules)))
        self._failed: set[str] = set()
        self._is_planted_fault = False  # whether the job is one, and its texts need a module

    def import_for(self, job: Mapping[str, Any]) -> None:
        """Import, in a child, the modules that the setup, the call and the gradients of a job need.

        The modules are marked at once, because the job may end the child.
        """
        texts = [job.get("setup") or "", job.get("call") or ""]
        text = "\n".join(texts + ["backward"] * bool(job.get("backward")))
        own = self._needed(text)
        self._is_planted_fault = bool(own) and job.get("execution") == 0
        for name in own:
            if name not in sys.modules:
                importlib.import_module(name)
        self.note()

    def note(self) -> None:
        """Mark, in a child, each module that it has imported."""
        if self._is_planted_fault:
            return
        for i, (name, _) in enumerate(self._modules):
            if name in sys.modules:
                self._marks[i] = 1

    def _needed(self, text: str) -> list[str]:
        return [name for name, words in self._modules if any(word in text for word in words)]

    def expect(self, name: str) -> None:
        """Mark, in the driver, the module `name`, if it is a late import."""
        for i, (module, _) in enumerate(self._modules):
            if module == name:
                self._marks[i] = 1

    def import_marked(self) -> bool:
        """Import the marked modules in the driver; return whether an import was tried.

        A module that cannot be imported is not tried again: the cases that need it fail in their
        children.
        """
        is_new = False
        for i, (name, _) in enumerate(self._modules):
            if self._marks[i] and name not in sys.modules and name not in self._failed:
                is_new = True
                try:
                    importlib.import_module(name)
                except Exception:
                    self._failed.add(name)
        return is_new
