"""Imports modules that only some cases need.

Importing one in the driver makes every later fork slower (torch._dynamo: by half); importing it
within a case makes that case's first call look slow. So a child imports what its job needs before
any clock runs, and leaves a mark in a page that it shares with the driver. The driver then imports
the module before its next fork, and later children have it. A planted fault leaves none for what
its own texts need: its suite may need nothing of it, and every fork would be slower all the same.
What every job on a device needs is marked before the first fork for that device.
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
        Name of a module to the words by which a case's setup or call shows that it needs it. The
        word ``backward`` is also that of a case that is differentiated. Modules that are not
        installed are ignored.
    """

    def __init__(self, modules: Mapping[str, tuple[str, ...]]) -> None:
        found = {name: words for name, words in modules.items() if importlib.util.find_spec(name)}
        self._modules = list(found.items())
        self._marks = mmap.mmap(-1, max(1, len(self._modules)))
        self._failed: set[str] = set()
        self._is_planted_fault = False  # the job in this process, one that needs a module by itself

    def import_for(self, job: Mapping[str, Any]) -> None:
        """Import, in a child, what the setup, the call and the gradients of a job need.

        A mark is left at once: the job may end the child.
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
        """Leave a mark, in a child, for each module that it has imported."""
        if self._is_planted_fault:
            return
        for i, (name, _) in enumerate(self._modules):
            if name in sys.modules:
                self._marks[i] = 1

    def _needed(self, text: str) -> list[str]:
        return [name for name, words in self._modules if any(word in text for word in words)]

    def expect(self, name: str) -> None:
        """Mark, in the driver, the module `name`, if it is one of these."""
        for i, (module, _) in enumerate(self._modules):
            if module == name:
                self._marks[i] = 1

    def import_marked(self) -> bool:
        """Import, in the driver, what is marked; return whether anything was new.

        What cannot be imported is not tried again: the cases that need it fail in their children.
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
