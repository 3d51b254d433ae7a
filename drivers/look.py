"""Describe an interpreter and list the frameworks that it has, without importing any of them.

``src/measuring/environment/interpreters.c`` runs this as ``PYTHON look.py MODULE...``; it prints
one JSON object. It imports nothing of `pmdriver`, and a Python before 3.9 can run it.
"""

import importlib.util
import json
import os
import re
import sys


def version_by_name(module):
    """Return the version in the name of a folder such as ``torch-2.13.0.dist-info``.

    Importing `importlib.metadata` takes most of the time of a look, so the name is tried first.

    Parameters
    ----------
    module : str
        Import name.

    Returns
    -------
    str or None
        None if no folder on `sys.path` contains such a folder. Also None if the first that does
        contains several, or one without a version in its name.
    """
    own = re.compile(re.escape(module) + r"(?:-([^-]+))?(?:-py[0-9.]+)?\.(?:dist|egg)-info$", re.I)
    for folder in sys.path:
        if os.path.isdir(folder or "."):
            found = [own.match(name) for name in os.listdir(folder or ".")]
            versions = [match.group(1) for match in found if match]
            if versions:
                return versions[0] if len(versions) == 1 else None
    return None


def version_of(module):
    """Return the version of a top-level module, from the metadata of its distribution.

    Parameters
    ----------
    module : str
        Import name, which need not be the distribution's (``tensorflow`` of ``tensorflow-cpu``).

    Returns
    -------
    str or None
        None if the module cannot be found. Without metadata (a build in place), the version in the
        package's ``version.py``, or ``"unknown"`` without such a version.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return None
    version = version_by_name(module)
    if version:
        return version
    from importlib import metadata

    distributions = getattr(metadata, "packages_distributions", dict)  # since Python 3.10
    try:
        return metadata.version(module)
    except metadata.PackageNotFoundError:
        for distribution in distributions().get(module, ()):
            return metadata.version(distribution)
    try:
        with open(os.path.join(os.path.dirname(spec.origin), "version.py")) as text:
            found = re.search(r"__version__\s*=\s*['\"]([^'\"]+)", text.read())
    except OSError:
        found = None
    return found.group(1) if found else "unknown"


def look(modules):
    """Return all that ``portmeter`` needs to know about this interpreter.

    Parameters
    ----------
    modules : list of str
        Import names to look for.

    Returns
    -------
    dict
        ``executable``, ``python`` (its version), ``modules`` {name: version}, and ``folders``
        {path: modification time in ns}: while these stay the same, so does the answer.
    """
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
    versions = {module: version_of(module) for module in modules}
    return {
        "executable": sys.executable,
        "python": "%d.%d.%d" % sys.version_info[:3],
        "modules": {module: version for module, version in versions.items() if version},
        "folders": {
            path: os.stat(path).st_mtime_ns for path in sys.path if path and os.path.isdir(path)
        },
    }


if __name__ == "__main__":
    print(json.dumps(look(sys.argv[1:])))
