"""Exact worst cases: the largest value of a theorem's claim over its whole class of problems.

A bound is proved, and may be loose. For a few clients, steps and rounds, the worst problem of the class is
the solution of a semidefinite program (performance estimation), which PEPit states; it needs the extra
``pep``.
"""

from boundkit.attack.pep.result import TOLERANCE, WorstCase
from boundkit.attack.pep.worst_case import worst_case

__all__ = ["TOLERANCE", "WorstCase", "worst_case"]
