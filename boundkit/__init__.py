"""Convergence theorems of federated optimisation as symbols: their numbers, and their verification on runs.

Importing this loads next to nothing; each name imports its module when it is first used. Functions whose
first argument is a theorem accept the theorem or its name.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import takes longer than all else here together
if TYPE_CHECKING:
    from typing import Any

    from boundkit.algebra import BoundkitError, Theorem
    from boundkit.algebra.notation import symbols
    from boundkit.analysis.adacomm import adacomm_steps, power_law_converges
    from boundkit.analysis.attainable_rate import reach as _reach
    from boundkit.analysis.predict import predict as _predict
    from boundkit.analysis.rate import rate as _rate
    from boundkit.analysis.regimes import regimes as _regimes
    from boundkit.analysis.rounds import rounds_to as _rounds_to
    from boundkit.analysis.runtime import round_time
    from boundkit.analysis.sensitivity import sensitivity as _sensitivity
    from boundkit.analysis.tune import tune as _tune
    from boundkit.attack.pep import worst_case as _worst_case
    from boundkit.figures.plot import plot
    from boundkit.interface import (
        accepts_names,
        check,
        compare,
        complexity,
        costs,
        diagnose,
        falsify,
        find,
        forecast,
        ledger,
        mutate,
        plan,
        quiz,
        reductions,
    )
    from boundkit.simulation.objective import objective
    from boundkit.simulation.problems import (
        ClippingProblem,
        Exponential,
        Huber,
        LogCosh,
        Logistic,
        Network,
        Polynomial,
        Quadratic,
        SmoothNonconvex,
    )
    from boundkit.simulation.selection import Strategy, skew
    from boundkit.simulation.simulate import simulate
    from boundkit.simulation.tracking import track
    from boundkit.studies.rounds_to_target import rounds_to_target
    from boundkit.theorems import catalogue, theorem
    from boundkit.verification.estimate import estimate
    from boundkit.verification.verifier import verify as _verify

    predict = accepts_names(_predict)
    rate = accepts_names(_rate)
    reach = accepts_names(_reach)
    regimes = accepts_names(_regimes)
    rounds_to = accepts_names(_rounds_to)
    sensitivity = accepts_names(_sensitivity)
    tune = accepts_names(_tune)
    verify = accepts_names(_verify)
    worst_case = accepts_names(_worst_case)
    __version__: str

__all__ = [
    "BoundkitError",
    "ClippingProblem",
    "Exponential",
    "Huber",
    "LogCosh",
    "Logistic",
    "Network",
    "Polynomial",
    "Quadratic",
    "SmoothNonconvex",
    "Strategy",
    "Theorem",
    "adacomm_steps",
    "catalogue",
    "check",
    "compare",
    "complexity",
    "costs",
    "diagnose",
    "estimate",
    "falsify",
    "find",
    "forecast",
    "ledger",
    "mutate",
    "objective",
    "plan",
    "plot",
    "power_law_converges",
    "predict",
    "quiz",
    "rate",
    "reach",
    "reductions",
    "regimes",
    "round_time",
    "rounds_to",
    "rounds_to_target",
    "sensitivity",
    "simulate",
    "skew",
    "symbols",
    "theorem",
    "track",
    "tune",
    "verify",
    "worst_case",
]

_HOMES = {
    "BoundkitError": "boundkit.algebra",
    "ClippingProblem": "boundkit.simulation.problems",
    "Exponential": "boundkit.simulation.problems",
    "Huber": "boundkit.simulation.problems",
    "LogCosh": "boundkit.simulation.problems",
    "Logistic": "boundkit.simulation.problems",
    "Network": "boundkit.simulation.problems",
    "Polynomial": "boundkit.simulation.problems",
    "Quadratic": "boundkit.simulation.problems",
    "SmoothNonconvex": "boundkit.simulation.problems",
    "Strategy": "boundkit.simulation.selection",
    "Theorem": "boundkit.algebra",
    "adacomm_steps": "boundkit.analysis.adacomm",
    "catalogue": "boundkit.theorems",
    "check": "boundkit.interface",
    "compare": "boundkit.interface",
    "complexity": "boundkit.interface",
    "costs": "boundkit.interface",
    "diagnose": "boundkit.interface",
    "estimate": "boundkit.verification.estimate",
    "falsify": "boundkit.interface",
    "find": "boundkit.interface",
    "forecast": "boundkit.interface",
    "ledger": "boundkit.interface",
    "mutate": "boundkit.interface",
    "objective": "boundkit.simulation.objective",
    "plan": "boundkit.interface",
    "plot": "boundkit.figures.plot",
    "power_law_converges": "boundkit.analysis.adacomm",
    "quiz": "boundkit.interface",
    "reductions": "boundkit.interface",
    "round_time": "boundkit.analysis.runtime",
    "rounds_to_target": "boundkit.studies.rounds_to_target",
    "simulate": "boundkit.simulation.simulate",
    "skew": "boundkit.simulation.selection",
    "symbols": "boundkit.algebra.notation",
    "theorem": "boundkit.theorems",
    "track": "boundkit.simulation.tracking",
}
"""The module of each public name."""

_HOMES_BY_NAME = {
    "predict": "boundkit.analysis.predict",
    "rate": "boundkit.analysis.rate",
    "reach": "boundkit.analysis.attainable_rate",
    "regimes": "boundkit.analysis.regimes",
    "rounds_to": "boundkit.analysis.rounds",
    "sensitivity": "boundkit.analysis.sensitivity",
    "tune": "boundkit.analysis.tune",
    "verify": "boundkit.verification.verifier",
    "worst_case": "boundkit.attack.pep",
}
"""The module of each public function whose first argument is a theorem, and which accepts its name here."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOMES:
        try:
            value = getattr(import_module(_HOMES[name]), name)
        except ModuleNotFoundError as error:
            from boundkit.algebra.extras import missing_package

            raise missing_package(error) or error from None
    elif name in _HOMES_BY_NAME:
        from boundkit.interface import accepts_names

        value = accepts_names(getattr(import_module(_HOMES_BY_NAME[name]), name))
    elif name == "__version__":
        from importlib.metadata import version

        value = version("boundkit")
    else:
        raise AttributeError(f"module 'boundkit' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
