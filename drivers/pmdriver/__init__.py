"""The Python side of portmeter: what must happen inside a framework's own process.

The modules here use the standard library only; each framework has a folder of its own, which is
the only place that imports it. ``framework.py`` says how to add one, ``../README.md`` names every
module and a reading order. Import `pmdriver` by absolute names only, from a path that ends above
it: ``pmdriver/numpy`` is then never what ``import numpy`` finds.
"""
