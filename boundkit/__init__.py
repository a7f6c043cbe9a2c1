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
    from boundkit.attack.falsification import Falsification
    from boundkit.attack.ledger.book import Ledger
    from boundkit.attack.ledger.proof import Proof
    from boundkit.attack.mutants.report import Mutation
    from boundkit.attack.pep.answer import WorstCase
    from boundkit.figures.plot import plot
    from boundkit.theorems.catalogue import catalogue, theorem
    from boundkit.verify.diagnose import Diagnosis
    from boundkit.verify.engines import Progress
    from boundkit.verify.estimate import estimate
    from boundkit.verify.objective import objective
    from boundkit.verify.problems import (
        ClippingProblem,
        Exponential,
        Huber,
        LogCosh,
        Logistic,
        Network,
        Polynomial,
        Problem,
        Quadratic,
        SmoothNonconvex,
    )
    from boundkit.verify.rounds_to_target import rounds_to_target
    from boundkit.verify.run import Run
    from boundkit.verify.selection import Strategy, skew
    from boundkit.verify.simulate import simulate
    from boundkit.verify.verifying import verify

_HOMES = {
    "BoundkitError": "boundkit.algebra",
    "ClippingProblem": "boundkit.verify.problems",
    "Exponential": "boundkit.verify.problems",
    "Huber": "boundkit.verify.problems",
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
    "ledger",
    "mutate",
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
    "worst_case",
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


def falsify(
    theorem: Theorem | str,
    /,
    *,
    budget: float = 20.0,
    evaluations: int | None = None,
    seed: int = 0,
    starts: Sequence[Run] | None = None,
    smaller: bool = True,
    progress: Progress | None = None,
) -> Falsification:
    """The worst instance of the theorem's class that a search finds: does it break the bound?

    What is made as large as possible is measured/bound, over runs inside the theorem's conditions (of a lower
    bound, bound/measured), and for each term (measured - all other terms)/term. Above 1 the bound is
    violated: by a run without chance, or by one that fresh seeds confirm. False where it is, true otherwise.

    ``budget``: seconds of search; ``evaluations``: so many runs instead, so that the answer is the same on
    every machine. ``starts``: runs to begin from; None for the worst that are known. ``smaller``: whether the
    worst instance is then made as small as it can be. ``progress(done, total)`` hears how far it is.

    Raises BoundkitError for a budget or a seed that cannot be. A theorem that no run can be held against is
    an answer, "not applicable".
    """
    from boundkit.attack.clock import refuse_limits
    from boundkit.attack.falsify import falsify as ask

    refuse_limits(budget, evaluations, seed)
    return ask(
        _value(theorem), budget=budget, evaluations=evaluations, seed=seed, starts=starts, smaller=smaller,
        progress=progress,
    )  # fmt: skip


def mutate(
    theorem: Theorem | str,
    /,
    *,
    budget: float = 20.0,
    evaluations: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Mutation:
    """Wrong versions of a theorem, made one mistake at a time, and who finds each of them out.

    Every exponent up and down by one, every constant divided by 2, 4 and 10, a term left out, a square lost,
    a condition relaxed. A mutant is killed by its units, a reduction, a limit, a run, a slope or the search;
    or it is weaker, so that it is true; or it stands, with the reason. True where none that is false stands.

    ``budget``: seconds of search for those that nothing else kills; ``evaluations``: so many runs instead.
    ``progress(done, total)`` hears how far it is. Raises BoundkitError for a budget or a seed that cannot be.
    """
    from boundkit.attack.clock import refuse_limits
    from boundkit.attack.mutants import mutate as ask
    from boundkit.theorems import names
    from boundkit.theorems import theorem as named

    refuse_limits(budget, evaluations, seed)
    own = _value(theorem)
    known = {r.to: named(r.to) for r in own.reductions if r.to in names()}
    return ask(own, known, budget=budget, evaluations=evaluations, seed=seed, progress=progress)


def worst_case(theorem: Theorem | str, /, *, at_rest: bool = False, **given: object) -> WorstCase:
    """The largest value of a theorem's claim over its whole class without noise, beside its bound.

    A semidefinite program over all losses and all dimensions at once, for a few clients, steps and rounds:
    exact for convex losses and for one loss, from above for several that need not be convex. Values are those
    of ``predict``, one each; missing are m = 2, tau = 2, T = 2, C = 1/m, the largest eta that the theorem
    allows, typical values. ``at_rest``: T to infinity, where a round of all clients ends where it started.

    Raises BoundkitError for a theorem of which it cannot be asked, where noise or a list is given, where the
    program is too large, and where PEPit is not installed (the extra ``pep``).

    Source: Drori, Teboulle, "Performance of first-order methods for smooth convex minimization: a novel
    approach", Mathematical Programming 145 (2014); Taylor, Hendrickx, Glineur, "Smooth strongly convex
    interpolation and exact worst-case performance of first-order methods", the same 161 (2017).
    """
    from boundkit.attack.pep import worst_case as ask

    return ask(_value(theorem), at_rest=at_rest, **given)


def ledger(
    theorem: Theorem | str,
    problem: Problem | Run | None = None,
    /,
    *,
    proof: Proof | None = None,
    **settings: Any,
) -> Ledger:
    """The proof of a theorem on a run, step by step: measured + the slack of every step = bound.

    ``problem``, ``settings``: those of ``simulate`` (``rounds``, ``eta``, ``local_steps``, ...), or a
    ``Run``; without them the first default instance of the theorem's class. ``proof``: in the place of the
    theorem's own, as ``boundkit.attack.ledger.proof_of(theorem).changed(...)`` gives it. Sides and slacks are
    means over rounds, in the unit of the bound; expectations are exact on quadratics, and other problems must
    be without chance.

    Raises BoundkitError where the theorem has no proof that can be run, does not speak of the run, or the run
    has no exact expectations.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.attack.ledger import ledger as ask
    from boundkit.verify.run import Run
    from boundkit.verify.simulate import as_run

    statement = _value(theorem)
    if problem is None or isinstance(problem, Run):
        if settings:
            whose = "a default run" if problem is None else "a Run"
            raise BoundkitError(f"{', '.join(settings)}: given without a problem, but {whose} has its own.")
        return ask(statement, problem, proof)
    return ask(statement, as_run(statement.algorithm, problem, **settings), proof)


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
