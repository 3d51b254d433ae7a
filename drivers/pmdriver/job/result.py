"""The header of a RESULT frame: this module creates it, and `job.execution` fills it in.

docs/internals/protocol.md, "A result", says what each key means.
"""

from __future__ import annotations

from typing import Any


def blank(job: dict[str, Any]) -> dict[str, Any]:
    """Create the header for a job without a result yet, with every key of the protocol.

    Parameters
    ----------
    job
        The header of the RUN frame.
    """
    return {
        "execution": job.get("execution"),
        "stage": "inputs",
        "not_applicable": None,
        "absent": False,
        "raised": None,
        "harness": None,
        "destroyed": None,
        "setup_on_host": False,
        "inputs": [],
        "inputs_changed": None,
        "inputs_after": [],
        "arrays": None,
        "outputs": [],
        "gradients": [],
        "second": None,
        "check": None,
        "check_detected": None,
        "calls": None,
        "fallback": [],
        "host_reads": 0,
        "host_operations": [],
        "needs": {},
        "operation_needs": {},
        "extern_kernels": [],
        "timings": {},
        "compilations": {},
        "clocks": {},
        "first_call": None,
        "device_memory": None,
        "poisoned": False,
    }


def of_harness(job: dict[str, Any], stage: str, line: str) -> dict[str, Any]:
    """Create the header for a job that failed by portmeter's fault, not by the function's.

    Parameters
    ----------
    job
        As for `blank`.
    stage
        The stage that began last.
    line
        What failed, one line.
    """
    return {**blank(job), "stage": stage, "harness": line}
