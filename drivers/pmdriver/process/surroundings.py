"""What a case may change for its whole process, whatever the framework; the next case begins anew.

The environment, the current folder, and which permissions new files do not get.
"""

from __future__ import annotations

import os


class Surroundings:
    """The environment and the umask of this process as they are when this is made.

    Parameters
    ----------
    folder
        The current folder of each case.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._environ = os.environ
        self._variables = dict(os.environ)
        self._umask = os.umask(0)
        os.umask(self._umask)

    def restore(self) -> None:
        """Undo what a case has changed; a folder that it has removed is made again."""
        os.umask(self._umask)
        os.environ = self._environ  # noqa: B003 - the mapping itself, which a case may replace
        if os.environ != self._variables:
            os.environ.clear()
            os.environ.update(self._variables)
        try:
            os.chdir(self._folder)
        except FileNotFoundError:
            os.makedirs(self._folder)
            os.chdir(self._folder)
