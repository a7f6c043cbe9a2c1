"""The families of problems, by the ``kind`` of a RUN.json."""

from boundkit.verify.problems.base import Problem
from boundkit.verify.problems.quadratic import Quadratic
from boundkit.verify.problems.smooth_nonconvex import SmoothNonconvex

__all__ = ["Problem", "Quadratic", "SmoothNonconvex"]
