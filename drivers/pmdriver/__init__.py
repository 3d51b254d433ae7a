"""The Python side of portmeter: what must happen inside a framework's own process.

Standard library only, plus the one framework that a module is named after. `framework.py` says how
to add one; ../README.md gives the reading order.
"""
