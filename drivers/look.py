"""What an interpreter is and which frameworks it has, without importing any of them.

Run by ``src/environment/interpreters.c`` as ``PYTHON look.py MODULE...``; prints one JSON object. Stands
alone, and says nothing that a Python before 3.9 could not.
"""

import importlib.util
import json
import os
import re
import sys
from importlib import metadata


def version_of(module):
    """Version of a top-level module from its package's metadata.

    Parameters
    ----------
    module : str
        Import name; of a distribution of that name (``torch``) or another (``tensorflow-cpu``).

    Returns
    -------
    str or None
        None where the module cannot be found. Without metadata (a build in place) what stands
        in the package's ``version.py``, else ``"unknown"``.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return None
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
    """Everything that ``portmeter`` wants to know about this interpreter.

    Parameters
    ----------
    modules : list of str
        Import names to look for.

    Returns
    -------
    dict
        ``executable``, ``python`` (its version), ``modules`` {name: version}, and ``folders``
        {path: modification time in ns}: when none of these changed, neither did the answer.
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
