"""Runs portmeter for tools that read its tables. PORTMETER is the program [default: build/]."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("PORTMETER") or str(ROOT / "build/portmeter")


def output(*command: str) -> str:
    """Return what a command prints; end with its message if it fails."""
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        name = " ".join((Path(command[0]).name, *command[1:2]))
        sys.exit(ended.stderr.strip() or f"{name}: status {ended.returncode}")
    return ended.stdout


def tables(*arguments: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a command's tables, by their ids; end with its message if it fails."""
    parts = json.loads(output(PROGRAM, *arguments, "--format", "json"))["parts"]
    return {part["table"]["id"]: part["table"]["rows"] for part in parts if "table" in part}
