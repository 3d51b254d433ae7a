"""Start a driver: ``python drivers/serve.py FRAMEWORK``.

The supervisor runs this; docs/internals/protocol.md describes the variables that it sets. Any
version of Python can run this file, so that an old one can say that it is too old.
"""

import sys

OLDEST = (3, 9)

if sys.version_info < OLDEST:
    sys.exit(
        "portmeter needs Python %d.%d or later, but this is %d.%d: name another interpreter"
        % (OLDEST + sys.version_info[:2])
    )

from pmdriver.process import server  # noqa: E402

if __name__ == "__main__":
    sys.exit(server.main(sys.argv[1:]))
