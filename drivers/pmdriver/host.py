"""What the host says of itself."""

from __future__ import annotations

import platform
import re


def read_text(path: str) -> str:
    """Read a small file; nothing where it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def processor_name() -> str:
    """Name the host's processor as the kernel does."""
    text = read_text("/proc/cpuinfo")
    found = re.search(r"^(?:model name|Model|cpu model)\s*:\s*(.+)$", text, re.M)
    return found.group(1).strip() if found else platform.processor() or platform.machine()
