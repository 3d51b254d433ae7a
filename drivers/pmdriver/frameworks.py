"""Find a framework by its name: the one rule by which its folder is looked up.

``pmdriver/<name>/framework.py`` says how the framework is measured: ``FRAMEWORK`` is its subclass
of `pmdriver.framework.Framework`. ``pmdriver/<name>/surface.py`` says where its public names are:
``SURFACE`` is a `pmdriver.inventory.Surface`. A framework may have one of the two only.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import Any

from pmdriver.framework import Framework


def framework(name: str) -> Framework:
    """Import what measures a framework, and the modules in `PORTMETER_IMPORT`, separated by commas.

    Such a module registers a back end: `portmeter env add --import` names it.

    Parameters
    ----------
    name
        The framework's, as in a target: ``"pytorch"``.

    Raises
    ------
    LookupError
        The framework is unknown or cannot be measured.
    Exception
        Whatever importing the framework raises.
    """
    found = _part(name, "framework", "its driver cannot measure yet").FRAMEWORK()
    for module in filter(None, os.environ.get("PORTMETER_IMPORT", "").split(",")):
        importlib.import_module(module)
    return found


def surface(name: str) -> Any:
    """Import where the public names of a framework are, a `pmdriver.inventory.Surface`.

    Raises
    ------
    LookupError
        The framework is unknown, or its driver names no public modules.
    Exception
        Whatever importing the framework raises.
    """
    return _part(name, "surface", "its driver names no public modules").SURFACE


def registry(name: str) -> Any:
    """Import what knows which operations devices have, a `pmdriver.forecast.registry.Registry`.

    Raises
    ------
    LookupError
        The framework is unknown, or its driver cannot foretell.
    Exception
        Whatever importing the framework raises.
    """
    return _part(name, "forecast", "its driver cannot foretell yet").REGISTRY


def _part(name: str, part: str, why_not: str) -> Any:
    folder = f"pmdriver.{name}"
    if importlib.util.find_spec(folder) is None:
        raise LookupError(f"portmeter has no driver for framework '{name}': check the name")
    if importlib.util.find_spec(f"{folder}.{part}") is None:
        raise LookupError(why_not)
    return importlib.import_module(f"{folder}.{part}")
