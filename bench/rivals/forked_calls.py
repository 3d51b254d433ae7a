"""The calls as tests, for ``pytest --forked``.

``CALLS`` names the file of calls with their expected statuses, ``REPETITIONS`` is the number of
tests per call, and each test writes its PID to the file ``PIDS``.
"""

from __future__ import annotations

import json
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
import bare  # noqa: E402  (found only by the line before)

CALLS = bare.load(os.environ["CALLS"])
with open(os.environ["CALLS"]) as file:
    STATUSES = [call["status"] for call in json.load(file)]
REPETITIONS = int(os.environ["REPETITIONS"])


@pytest.mark.parametrize("index", list(range(len(CALLS))) * REPETITIONS)
def test_call(index: int) -> None:
    """The call ends with the same status as without a fork."""
    assert bare.make(CALLS[index]) == STATUSES[index]
    with open(os.environ["PIDS"], "a") as pids:
        pids.write(f"{os.getpid()}\n")
