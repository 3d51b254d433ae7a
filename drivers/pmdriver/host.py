"""Describes the host and its installed modules, reads its small files, and flushes C's streams."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import sys

_fflush = ctypes.CDLL(None).fflush
_fflush.argtypes = [ctypes.c_void_p]


def is_installed(module: str) -> bool:
    """Return whether a module is installed; False also if its parent package is missing."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def flush_c_streams() -> None:
    """Write out what C libraries have printed into a buffer."""
    _fflush(None)


def read_text(path: str) -> str:
    """Read a small file; return an empty text if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def governor() -> str:
    """Return the frequency governor of the first CPU; an empty text if it is unknown."""
    return read_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").strip()


def python_version() -> str:
    """Return the version of this Python, as `platform` does, whose import takes a millisecond."""
    return sys.version.split()[0]


def processor_name() -> str:
    """Return the kernel's name of the processor; if it has none, that of `platform`."""
    text = read_text("/proc/cpuinfo")
    found = re.search(r"^(?:model name|Model|cpu model)\s*:\s*(.+)$", text, re.M)
    if found:
        return found.group(1).strip()
    import platform  # here: few drivers need it, and it would delay the start of all

    return platform.processor() or platform.machine()
