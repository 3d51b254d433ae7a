"""Restores, for the next case, what a case may change for its whole process, on any framework.

This is the environment, the current folder, and the umask.
"""

from __future__ import annotations

import os


class Surroundings:
    """The environment and the umask of this process at the time of construction.

    Parameters
    ----------
    folder
        The current folder of each case.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._environ = os.environ
        self._variables = self._encoded()
        self._umask = os.umask(0)
        os.umask(self._umask)

    def restore(self) -> None:
        """Undo what a case has changed; create the folder again if the case has removed it."""
        os.umask(self._umask)
        os.environ = self._environ  # noqa: B003 - the mapping itself, which a case may replace
        if self._encoded() != self._variables:
            os.environ.clear()
            for name, value in self._variables.items():
                os.environ[os.fsdecode(name)] = os.fsdecode(value)
        try:
            os.chdir(self._folder)
        except FileNotFoundError:
            os.makedirs(self._folder)
            os.chdir(self._folder)

    def _encoded(self) -> dict[bytes, bytes]:
        """Copy the environment as it is stored: the mapping encodes each name that it looks up."""
        return dict(self._environ._data)
