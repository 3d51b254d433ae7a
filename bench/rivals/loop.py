"""A bare loop around one call: the least that any timer of Python can read.

Prints the samples in nanoseconds, the call's value and the number of computing threads as JSON. The
first call is excluded, as it is in a warm clock.
"""

from __future__ import annotations

import gc
import json
import time

import torch

SAMPLES = 100


def main() -> None:
    """Time ``x.is_same_size(y)``."""
    x, y = torch.randn(4, 4), torch.randn(4, 4)
    clock = time.perf_counter_ns
    samples = []
    out = x.is_same_size(y)
    gc.disable()
    for _ in range(SAMPLES):
        begin = clock()
        out = x.is_same_size(y)
        samples.append(clock() - begin)
    print(json.dumps({"samples": samples, "value": out, "threads": torch.get_num_threads()}))


if __name__ == "__main__":
    main()
