"""What FedNova's theorems derive from a run's clients: their steps, weights and solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from sympy import Expr, Float

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.client_sums import ClientSum
from boundkit.algebra.notation import a1_i, p_i, tau_i
from boundkit.algebra.notation import tau_eff as TAU_EFF
from boundkit.analysis.client_values import settled
from boundkit.analysis.evaluate import evaluate
from boundkit.simulation.constant import Constant
from boundkit.simulation.run import Run
from boundkit.verification.quantities.coming import by_chances, defined
from boundkit.verification.quantities.coming import defined as by_chances_of_run
from boundkit.verification.quantities.subject import Subject

DERIVED = (
    "tau_eff", "A_noise", "B_drift", "C_drift", "B_walk", "C_walk", "tau_clients", "prox_step",
    "tau_eff_mean", "A_mean", "B_mean", "C_mean", "tau_eff_max", "C_drift_max",
)  # fmt: skip
_MOST_ROWS = 5000


def solver_of(run: Run) -> tuple[str, dict[str, float]]:
    """The local solver of a run, by the theorems' name, and its settings by house keyword.

    Raises BoundkitError where the run's steps are those of no solver that the theorems know.
    """
    given = run.algorithm.settings
    kept, pull = float(given.get("momentum", 0.0)), float(given.get("mu", 0.0))
    decay = float(given.get("decay", 1.0))
    if decay != 1 and (kept or pull):
        raise BoundkitError("it knows decay alone, without momentum or a proximal pull")
    if decay != 1:
        return "decay", {"decay": decay}
    settings = {"rho_momentum": kept} if kept else {}
    if pull:
        settings["mu_prox"] = pull
    names = {(False, False): "sgd", (True, False): "momentum", (False, True): "proximal"}
    return names.get((bool(kept), bool(pull)), "proximal_momentum"), settings


def derived(theorem: Theorem, run: Run) -> dict[str, float]:
    """Every quantity that the theorem defines by its clients, as numbers of this run."""
    solver, settings = solver_of(run)
    work = run.local_steps if run.rounds % len(run.local_steps) == 0 else _written_out(run)
    rows = tuple(tuple(row) for row in work.tolist())
    letters = {"eta": run.eta, "m": run.problem.m, **_smooth(run)}
    letters |= {"T": run.rounds} if theorem.rules else {}  # the step follows T, and a pull the step
    said = tuple({**letters, **settings}.items())
    return _numbers(
        _stepping(theorem, run), solver, tuple(settings.items()), rows, tuple(run.problem.p.tolist()), said
    )


def _smooth(run: Run) -> dict[str, float]:
    known = run.problem.constants(run.x0)
    return {"L": known["L"].value} if "L" in known else {}


@lru_cache(maxsize=512)
def _numbers(
    theorem: Theorem,
    solver: str,
    settings: tuple[tuple[str, float], ...],
    work: tuple[tuple[int, ...], ...],
    p: tuple[float, ...],
    letters: tuple[tuple[str, float], ...],
) -> dict[str, float]:
    given: dict[str, Any] = {"p_i": list(p), "tau_i": [list(row) for row in work], **dict(settings)}
    if "mu_prox" in given and not theorem.rules:  # a rule for the step has put it in already
        given["eta"] = dict(letters)["eta"]
    if len(work) == 1:
        given["tau_i"] = list(work[0])
    statement, left = settled(theorem, {**given, "solver": solver})
    values: dict[str, Any] = {**left, **dict(letters)}
    return {q.name: float(evaluate(e, values)) for q, e in statement.definitions.items()}


def _written_out(run: Run) -> Any:
    if run.rounds > _MOST_ROWS:
        raise BoundkitError(
            f"{run.rounds} rounds are no multiple of the {len(run.local_steps)} rows of local_steps."
        )
    return np.stack([run.steps(t) for t in range(run.rounds)])


def _stepping(theorem: Theorem, run: Run) -> Theorem:
    """The theorem with the server step that FedNova takes in this run, where it is not the usual one."""
    rule = run.algorithm.settings.get("tau_eff")
    if TAU_EFF not in theorem.definitions or (rule is None and run.eta_s == 1):
        return theorem
    step: Expr = ClientSum(p_i * (a1_i if rule is None else tau_i))
    if isinstance(rule, (int, float)):
        step = Float(rule)
    return replace(theorem, definitions={**theorem.definitions, TAU_EFF: Float(run.eta_s) * step})


def _from_clients(name: str) -> Callable[[Subject], Constant]:
    def known(subject: Subject) -> Constant:
        if by_chances(subject.theorem):
            return by_chances_of_run(subject, name)
        found = derived(subject.theorem, subject.run)
        if name not in found:
            raise BoundkitError(f"{subject.theorem.name} does not define {name} by its clients.")
        return Constant(found[name], "exact", "from the clients' steps, weights and solver")

    return known


def _chi2(subject: Subject) -> Constant:
    by = defined if by_chances(subject.theorem) else lambda s, name: _from_clients(name)(s)
    return by(subject, "chi2")


KNOWN = {**{name: _from_clients(name) for name in DERIVED}, "chi2": _chi2}
