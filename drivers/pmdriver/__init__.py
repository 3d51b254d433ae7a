"""The Python side of portmeter: what must happen inside a framework's own process.

The shared modules use only the standard library, except ``hostarrays.py``, which imports NumPy and
ml_dtypes. Only the folder of a framework, and its modules in ``census/``, import the framework.
``../README.md`` describes every module, and says in which order to read them. Import `pmdriver` by
absolute names only, with its parent folder on `sys.path`: ``import numpy`` then never finds
``pmdriver/numpy``.
"""
