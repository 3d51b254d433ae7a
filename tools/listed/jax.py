"""Prints cases of JAX's own test harnesses, and which of them its developers list as limited.

``python jax.py PLATFORM`` prints a JSON list of objects with the keys ``function``, ``case``,
``truth`` and ``text``, the text of the case in a case file. Each case is one harness of
``jax/_src/internal_test_util/test_harnesses.py``, which is in the wheel and needs the package
absl-py. The truth of a case is ``fails`` if one of the harness's limitations applies to the
platform (``tpu`` or ``gpu``) and to its dtype, else ``works``. Harnesses that are limited on the
CPU too are excluded. Of the others, all that are limited on the platform are taken, and at most
four of each primitive that are not, chosen at random.
"""

from __future__ import annotations

import collections
import importlib
import importlib.util
import json
import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any

MOST = 4

CASE = """\
  - name: {name}
    setup: |
      import numpy as np
      from jax._src import config
      config.parse_flags_with_absl = lambda: None  # the driver has set options already
      from jax._src.internal_test_util import test_harnesses
      harness = test_harnesses.all_harnesses[{number}]
      given = harness.dyn_args_maker(np.random.RandomState(0))
    call: harness.dyn_fun(*given)
"""


def is_limited(harness: Any, platform: str) -> bool:
    """Return whether a harness has a limitation on a platform."""
    limitations = harness.jax_unimplemented
    return any(one.filter(device=platform, dtype=harness.dtype) for one in limitations)


def chosen(harnesses: Sequence[Any], platform: str) -> Iterator[tuple[int, bool]]:
    """Yield the places of the harnesses to take, and whether each is limited."""
    places = list(range(len(harnesses)))
    random.Random(1).shuffle(places)
    taken: collections.Counter[str] = collections.Counter()
    for place in places:
        harness = harnesses[place]
        limited = is_limited(harness, platform)
        if is_limited(harness, "cpu") or (not limited and taken[harness.group_name] == MOST):
            continue
        taken[harness.group_name] += not limited
        yield place, limited


def main() -> None:
    """Print the cases and their truth."""
    # This file has the name of the package, and its folder is the first in which Python looks.
    del sys.path[0]
    if importlib.util.find_spec("absl") is None:
        sys.exit(f"the tests of JAX need the package absl-py: install it for '{sys.executable}'")
    module = importlib.import_module("jax._src.internal_test_util.test_harnesses")
    found = [
        {
            "function": f"jax.lax.{module.all_harnesses[number].group_name}_p",
            "case": f"h{number}",
            "truth": "fails" if limited else "works",
            "text": CASE.format(name=f"h{number}", number=number),
        }
        for number, limited in chosen(module.all_harnesses, sys.argv[1])
    ]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
