"""Families of problems, by the ``kind`` of a RUN.json."""

from boundkit.simulation.problems.base import Problem
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.problems.exponential import Exponential
from boundkit.simulation.problems.huber import Huber
from boundkit.simulation.problems.logcosh import LogCosh
from boundkit.simulation.problems.logistic import Logistic
from boundkit.simulation.problems.network import Network
from boundkit.simulation.problems.polynomial import Polynomial
from boundkit.simulation.problems.problem_spec import PROBLEM_FIELDS, PROBLEMS, problem_from_spec
from boundkit.simulation.problems.quadratic import Quadratic
from boundkit.simulation.problems.smooth_nonconvex import SmoothNonconvex

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
