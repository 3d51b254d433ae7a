"""Bare isolation: only fork, the call, os._exit and wait.

    bare.py CALLS expect                     prints the status of each call as JSON, without forks
    bare.py CALLS fork PASSES INDEX OF       makes every OF-th call from INDEX on, PASSES times

With ``fork`` it imports torch, prints ``ready``, waits for a line, and prints the time of the loop
and the exit status of each child. The status depends on every byte of the call's result. The parent
computes nothing with torch; a child makes its inputs from their bytes, as a child of portmeter
does.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import sys
import time
import zlib
from types import CodeType
from typing import Any, NamedTuple

import torch

FAILED = 255  # the status of a child in which the call raised; other statuses are lower


class Call(NamedTuple):
    """A compiled call, with the bytes of its inputs by name."""

    code: CodeType
    shape: list[int]
    inputs: dict[str, bytearray]


def load(path: str) -> list[Call]:
    """Read the calls that the benchmark wrote."""
    with open(path) as file:
        described = json.load(file)
    return [
        Call(
            compile(call["call"], "call", "eval"),
            call["shape"],
            {name: bytearray(base64.b64decode(data)) for name, data in call["inputs"].items()},
        )
        for call in described
    ]


def make(call: Call) -> int:
    """Make the call; return an exit status that is computed from the bytes of its result."""
    names: dict[str, Any] = {"torch": torch}
    for name, data in call.inputs.items():
        names[name] = torch.frombuffer(data, dtype=torch.float32).reshape(call.shape)
    out = eval(call.code, names)
    size = out.numel() * out.element_size()
    return zlib.crc32(ctypes.string_at(out.data_ptr(), size)) % FAILED


def fork_once(call: Call) -> int:
    """Make the call in a child and return the child's exit status."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(make(call))
        finally:
            os._exit(FAILED)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main() -> None:
    """Run in the mode that the command line names."""
    calls = load(sys.argv[1])
    if sys.argv[2] == "expect":
        print(json.dumps([make(call) for call in calls]))
        return
    passes, index, of = map(int, sys.argv[3:6])
    work = calls[index::of] * passes
    print("ready", flush=True)
    if sys.stdin.readline() != "go\n":
        return  # the benchmark has ended
    started = time.monotonic()
    statuses = [fork_once(call) for call in work]
    print(json.dumps({"seconds": time.monotonic() - started, "statuses": statuses}))


if __name__ == "__main__":
    main()
