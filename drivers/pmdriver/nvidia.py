"""NVIDIA's GPUs: the version of their driver, and what nvidia-smi reports about their use."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from typing import Any, NamedTuple

from pmdriver.host import read_text

TIMEOUT_S = 20

_GPUS = "--query-gpu=uuid,memory.used,utilization.gpu"
_PROCESSES = "--query-compute-apps=gpu_uuid,pid"


class Gpu(NamedTuple):
    """What nvidia-smi reports about a GPU.

    Attributes
    ----------
    uuid
        ``"GPU-"`` and a number.
    memory_mib
        The used memory in MiB; None if unknown.
    busy_percent
        The percentage of about the last second during which the GPU computed; None if unknown.
    processes
        The number of processes that compute on the GPU, as nvidia-smi reports it. In a container,
        this may be 0.
    """

    uuid: str
    memory_mib: int | None
    busy_percent: int | None
    processes: int

    def described(self) -> dict[str, Any]:
        """Return the known values as settings of a target."""
        found = {
            "gpu_processes": self.processes,
            "gpu_memory_used_mib": self.memory_mib,
            "gpu_busy_percent": self.busy_percent,
        }
        return {name: value for name, value in found.items() if value is not None}


def driver_version(text: str | None = None) -> str:
    """Return the version of the driver; an empty text if its kernel module is not loaded.

    Parameters
    ----------
    text
        The module's description of itself; None reads that of this machine. The open module writes
        ``Open Kernel Module for x86_64`` before the version, the closed one ``Kernel Module``.
    """
    if text is None:
        text = read_text("/proc/driver/nvidia/version")
    found = re.search(r"Kernel Module\s+(?:for \S+\s+)?(\d[\d.]*)", text)
    return found.group(1) if found else ""


def _number(text: str) -> int | None:
    """Read a whole number; None for ``[N/A]`` and similar, which nvidia-smi may write."""
    return int(text) if text.isascii() and text.isdigit() else None


def _rows(text: str, columns: int) -> list[list[str]]:
    """Split lines of CSV; drop those that are not rows, such as messages."""
    rows = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines())]
    return [row for row in rows if len(row) == columns and row[0].startswith("GPU-")]


def parse(gpus: str, processes: str) -> list[Gpu]:
    """Read the answers to the queries for GPUs and for processes."""
    users = [uuid for uuid, _ in _rows(processes, 2)]
    return [
        Gpu(uuid, _number(memory), _number(busy), users.count(uuid))
        for uuid, memory, busy in _rows(gpus, 3)
    ]


def _ask(program: str, query: str) -> str:
    """Return what nvidia-smi prints; an empty text if it fails or takes too long."""
    command = [program, query, "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT_S, check=False)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""


def look() -> list[Gpu]:
    """Describe all GPUs; an empty list if nvidia-smi is missing or does not answer."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    return parse(_ask(program, _GPUS), _ask(program, _PROCESSES))


def of_uuid(gpus: list[Gpu], uuid: str) -> Gpu | None:
    """Return the GPU with this UUID (``GPU-`` is optional; empty: the only GPU), or None."""
    if not uuid:
        return gpus[0] if len(gpus) == 1 else None
    return next((gpu for gpu in gpus if gpu.uuid.removeprefix("GPU-") == uuid.removeprefix("GPU-")),
                None)  # fmt: skip
