"""Convergence theorems of federated optimisation: states them, asks them, holds them against runs.

Importing this loads next to nothing; each name brings what it needs when it is first used. Functions
that ask a theorem take the value or its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sympy import Expr

    from boundkit.algebra import BoundkitError, Theorem
    from boundkit.analysis.adacomm import adacomm_steps, power_law_converges
    from boundkit.analysis.check import Report
    from boundkit.analysis.compare import Comparison
    from boundkit.analysis.complexity import Complexity, Table
    from boundkit.analysis.costs import CostTable
    from boundkit.analysis.find import Found
    from boundkit.analysis.predict import Prediction
    from boundkit.analysis.quiz import Quiz
    from boundkit.analysis.rate import Rate
    from boundkit.analysis.reach import Reach
    from boundkit.analysis.reductions import Reductions
    from boundkit.analysis.regimes import Regimes
    from boundkit.analysis.rounds import Rounds
    from boundkit.analysis.runtime import RoundTime
    from boundkit.analysis.sensitivity import Sensitivity
    from boundkit.analysis.tuned import Tuned
    from boundkit.figures.plot import plot
    from boundkit.theorems.catalogue import catalogue, theorem
    from boundkit.verify.diagnose import Diagnosis
    from boundkit.verify.engines import Progress
    from boundkit.verify.estimate import estimate
    from boundkit.verify.objective import objective
    from boundkit.verify.problems import (
        ClippingProblem,
        Exponential,
        LogCosh,
        Logistic,
        Network,
        Polynomial,
        Quadratic,
        SmoothNonconvex,
    )
    from boundkit.verify.rounds_to_target import rounds_to_target
    from boundkit.verify.selection import Strategy, skew
    from boundkit.verify.simulate import simulate
    from boundkit.verify.verifying import verify

_HOMES = {
    "BoundkitError": "boundkit.algebra",
    "ClippingProblem": "boundkit.verify.problems",
    "Exponential": "boundkit.verify.problems",
    "LogCosh": "boundkit.verify.problems",
    "Logistic": "boundkit.verify.problems",
    "Network": "boundkit.verify.problems",
    "Polynomial": "boundkit.verify.problems",
    "Quadratic": "boundkit.verify.problems",
    "SmoothNonconvex": "boundkit.verify.problems",
    "Strategy": "boundkit.verify.selection",
    "Theorem": "boundkit.algebra",
    "adacomm_steps": "boundkit.analysis.adacomm",
    "catalogue": "boundkit.theorems",
    "estimate": "boundkit.verify.estimate",
    "objective": "boundkit.verify.objective",
    "plot": "boundkit.figures.plot",
    "power_law_converges": "boundkit.analysis.adacomm",
    "rounds_to_target": "boundkit.verify.rounds_to_target",
    "simulate": "boundkit.verify.simulate",
    "skew": "boundkit.verify.selection",
    "theorem": "boundkit.theorems",
}
"""The module of each name that is handed on as it is."""

__all__ = [
    "BoundkitError",
    "ClippingProblem",
    "Exponential",
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
    "find",
    "objective",
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
    "theorem",
    "tune",
    "verify",
]


def predict(theorem: Theorem | str, /, **parameters: object) -> Prediction:
    """The bound at the given values, term by term; lists become axes, missing values typical ones."""
    from boundkit.analysis.predict import predict as ask

    return ask(_value(theorem), **parameters)


def tune(
    theorem: Theorem | str,
    /,
    over: str | Iterable[str] = "eta",
    *,
    excess: float = 0.01,
    **parameters: object,
) -> Tuned:
    """The best "eta", "eta_s", "eta,eta_s" or "tau" inside the conditions, by formula where there is one."""
    from boundkit.analysis.tune import tune as ask

    return ask(_value(theorem), over, excess=excess, **parameters)


def rounds_to(theorem: Theorem | str, /, eps: float, *, tuned: bool = False, **parameters: object) -> Rounds:
    """The smallest number of rounds after which the bound is at most eps."""
    from boundkit.analysis.rounds import rounds_to as ask

    return ask(_value(theorem), eps, tuned=tuned, **parameters)


def rate(theorem: Theorem | str, /, eta: str | Expr | None = None, eta_s: str | Expr | None = None) -> Rate:
    """The bound under rules for its steps, with the leading powers of each term."""
    from boundkit.analysis.rate import rate as ask

    return ask(_value(theorem), eta=eta, eta_s=eta_s)


def complexity(
    theorem: Theorem | str | None = None,
    /,
    eta: str | Expr | None = None,
    eta_s: str | Expr | None = None,
) -> Complexity | Table:
    """Rounds for a target as formulas, and the largest tau that saves rounds; or the catalogue's table."""
    from boundkit.analysis.complexity import complexity_or_table as ask
    from boundkit.theorems import catalogue

    return ask(None if theorem is None else _value(theorem), catalogue().values(), eta, eta_s)


def sensitivity(
    theorem: Theorem | str,
    /,
    of: str | Iterable[str] | None = None,
    *,
    eta: str | Expr | None = None,
    eta_s: str | Expr | None = None,
    tuned: bool | None = None,
    alike: bool = False,
) -> Sensitivity:
    """What a larger quantity does to the bound: at fixed steps, under rules for them, at the best eta."""
    from boundkit.analysis.sensitivity import sensitivity as ask

    return ask(_value(theorem), of, eta=eta, eta_s=eta_s, tuned=tuned, alike=alike)


def round_time(scheme: str, /, **parameters: Any) -> RoundTime:
    """Seconds a round: synchronous, local, overlap, asynchronous or federated; lists become axes."""
    from boundkit.analysis.runtime import round_time as ask

    return ask(scheme, **parameters)


def quiz() -> Quiz:
    """The quiz of the lecture notes, answered by derivation."""
    from boundkit.analysis.quiz import FULL, PARTIAL
    from boundkit.analysis.quiz import quiz as ask
    from boundkit.theorems import theorem as named

    return ask(named(FULL), named(PARTIAL))


def check(theorem: Theorem | str, /, *, seed: int = 0) -> Report:
    """Everything about a theorem that needs no run, by named checks; true where none fails."""
    from boundkit.analysis.check import check as ask
    from boundkit.theorems import catalogue

    return ask(_value(theorem), catalogue(), seed=seed)


def reductions(theorem: Theorem | str | None = None, /) -> Reductions:
    """Which theorems of the catalogue become which, checked; or what is joined to one of them."""
    from boundkit.analysis.reductions import reductions as ask
    from boundkit.theorems import catalogue

    if theorem is None:
        return ask(catalogue())
    own = _value(theorem)
    return ask({**catalogue(), own.name: own}, own.name)


def reach(theorem: Theorem | str, wanted: str | Expr, /, *, one_step: bool = False) -> Reach:
    """Rules for the steps that give the wanted rate, or the terms that forbid it."""
    from boundkit.analysis.reach import reach as ask

    return ask(_value(theorem), wanted, one_step=one_step)


def find(
    have: str | Iterable[str] = (),
    without: str | Iterable[str] = (),
    *,
    algorithm: str | None = None,
    claim: str | None = None,
    constants: str | Iterable[str] | None = None,
    kind: str | None = None,
    quantity: str | None = None,
) -> Found:
    """Which theorems hold with what one has, which with one assumption more, and why others do not."""
    from boundkit.analysis.find import find as ask
    from boundkit.theorems import catalogue

    return ask(
        catalogue().values(), have=have, without=without, algorithm=algorithm, claim=claim,
        constants=constants, kind=kind, quantity=quantity,
    )  # fmt: skip


def regimes(theorem: Theorem | str, x: str, y: str, /, **values: object) -> Regimes:
    """Which term dominates where over two quantities, and the crossovers as formulas."""
    from boundkit.analysis.regimes import regimes as ask

    return ask(_value(theorem), x, y, **values)


def compare(*theorems: Theorem | str, tuned: bool = False, **values: object) -> Comparison:
    """Whose bound is lower: at a point, along one list, or over two; ``tuned`` gives each its best eta."""
    from boundkit.analysis.compare import compare as ask

    return ask(*map(_value, theorems), tuned=tuned, **values)


def costs(*algorithms: str | Theorem, **values: object) -> CostTable:
    """What algorithms, or all of them, send, keep and compute in a round; numbers where values are given.

    A theorem, or its name, stands for its method, with what it assumes put in.
    """
    from boundkit.analysis.costs import cost_table
    from boundkit.theorems import names, theorem

    known = names() if algorithms else ()
    asked = [theorem(a) if isinstance(a, str) and a in known else a for a in algorithms]
    return cost_table(asked or None, values or None)


def diagnose(
    model: Any,
    loss: Callable[..., Any] | None = None,
    clients: Sequence[Any] | None = None,
    *,
    algorithm: str = "fedavg",
    test: tuple[Any, Any] | None = None,
    theorem: Theorem | str | None = None,
    rivals: Iterable[str] | None = None,
    replicas: int = 10,
    dtype: str = "float64",
    device: str = "cpu",
    jobs: int = 1,
    progress: Progress | None = None,
    **settings: Any,
) -> Diagnosis:
    """Which source of heterogeneity hurts your own model most, by theory and by runs without it.

    ``model``: a torch module (with its ``loss`` and ``clients``, pairs of inputs and labels or
    TensorDatasets), or a ``Run``.
    ``settings``: ``rounds``, ``eta``, ``local_steps``, ``batch``, ``participation`` and what else
    ``simulate`` takes. ``rivals``: algorithms to run on the same draws, such as "scaffold".
    """
    from boundkit.theorems import theorem as named
    from boundkit.verify.diagnose import RIVALS, diagnose_run, fitting_theorem
    from boundkit.verify.diagnose.own import own_run
    from boundkit.verify.run import Run

    if isinstance(model, Run):
        run = model
    elif clients is None:
        from boundkit.algebra import BoundkitError

        raise BoundkitError("diagnose needs the model, its loss, and the clients' data; or a run.")
    else:
        run = own_run(algorithm, model, loss, clients, test, **settings)
    name, others = fitting_theorem(run)
    return diagnose_run(
        run,
        named(name) if theorem is None else _value(theorem),
        {label: named(other) for label, other in others.items()},
        rivals=RIVALS if rivals is None else tuple(rivals), replicas=replicas, dtype=dtype,
        device=device, jobs=jobs, progress=progress,
    )  # fmt: skip


def _value(theorem: Theorem | str) -> Theorem:
    from boundkit.algebra import BoundkitError, Theorem
    from boundkit.theorems import theorem as named

    if isinstance(theorem, str):
        return named(theorem)
    if not isinstance(theorem, Theorem):
        raise BoundkitError(f"a theorem is needed, or the name of one, but {theorem!r} was given.")
    return theorem


def __getattr__(name: str) -> Any:
    if name == "verify":  # the package of that name, which can be called
        return import_module("boundkit.verify")
    if name not in _HOMES:
        raise AttributeError(f"module 'boundkit' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
