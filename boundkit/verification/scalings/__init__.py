"""Sweeps of theorems whose constants are open, where the usual ones do not do.

Each module here holds ``SCALINGS``: for the name of a theorem, a function from it to a ``Scaling``.
"""
