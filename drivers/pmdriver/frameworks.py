"""Find the folder of a framework by its name.

``pmdriver/<name>/framework.py`` says how the framework is measured: ``FRAMEWORK`` is its subclass
of `pmdriver.framework.Framework`. ``pmdriver/<name>/surface.py`` says where its public names are:
``SURFACE`` is a `pmdriver.surface.Surface`. ``pmdriver/<name>/forecast.py`` predicts failures:
``REGISTRY`` is its subclass of `pmdriver.forecast.registry.Registry`. A framework may lack some of
these files.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import Any

from pmdriver.framework import Framework


def framework(name: str) -> Framework:
    """Import a framework's driver and the modules in `PORTMETER_IMPORT`; return the driver.

    `PORTMETER_IMPORT` is a comma-separated list of modules that register a back end, as
    `portmeter env add --import` names them.

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
    """Import and return the `pmdriver.surface.Surface` of a framework.

    Raises
    ------
    LookupError
        The framework is unknown, or its driver names no public modules.
    Exception
        Whatever importing the framework raises.
    """
    return _part(name, "surface", "its driver names no public modules").SURFACE


def registry(name: str) -> Any:
    """Import a framework's subclass of `pmdriver.forecast.registry.Registry`; return the class.

    Raises
    ------
    LookupError
        The framework is unknown, or its driver cannot predict.
    Exception
        Whatever importing the framework raises.
    """
    return _part(name, "forecast", "its driver cannot predict yet").REGISTRY


def _part(name: str, part: str, why_not: str) -> Any:
    folder = f"pmdriver.{name}"
    if importlib.util.find_spec(folder) is None:
        raise LookupError(f"portmeter has no driver for framework '{name}': check the name")
    if importlib.util.find_spec(f"{folder}.{part}") is None:
        raise LookupError(why_not)
    return importlib.import_module(f"{folder}.{part}")
