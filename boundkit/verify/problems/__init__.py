"""The families of problems, by the ``kind`` of a RUN.json."""

from boundkit.verify.problems.base import Problem
from boundkit.verify.problems.clipping_problem import ClippingProblem
from boundkit.verify.problems.exponential import Exponential
from boundkit.verify.problems.huber import Huber
from boundkit.verify.problems.logcosh import LogCosh
from boundkit.verify.problems.logistic import Logistic
from boundkit.verify.problems.network import Network
from boundkit.verify.problems.polynomial import Polynomial
from boundkit.verify.problems.quadratic import Quadratic
from boundkit.verify.problems.smooth_nonconvex import SmoothNonconvex
from boundkit.verify.problems.spec import PROBLEM_FIELDS, PROBLEMS, problem_from_spec

__all__ = [
    "PROBLEMS",
    "PROBLEM_FIELDS",
    "ClippingProblem",
    "Exponential",
    "Huber",
    "LogCosh",
    "Logistic",
    "Network",
    "Polynomial",
    "Problem",
    "Quadratic",
    "SmoothNonconvex",
    "problem_from_spec",
]
