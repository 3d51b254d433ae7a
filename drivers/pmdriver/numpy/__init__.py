"""NumPy and SciPy: the oracle, and the shortest example of a framework."""
