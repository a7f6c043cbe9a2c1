"""Evaluate a proof on a run: the ledger of all its steps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np
from sympy import Add, Expr, Mul, Number, Pow, Symbol

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.printing import plain
from boundkit.analysis.predict import predict
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_ledger import (
    RoundExpectations,
    certificate_entries,
    objection,
    quantities_beside,
    vectors_of,
)
from boundkit.proofs.certificate_store import certified, proof_named
from boundkit.proofs.control_variates import STORED_UPDATES
from boundkit.proofs.corollaries import Corollary
from boundkit.proofs.expectation_values import (
    Array,
    ObservedRounds,
    RunContext,
    expectation_values,
    observed_values,
    run_context,
)
from boundkit.proofs.expectations import QUANTITIES
from boundkit.proofs.ledgers import fedavg_partial, fedavg_partial_sharp, fednova
from boundkit.proofs.missing_certificates import status_sentence
from boundkit.proofs.proof import Proof, Step
from boundkit.proofs.proof_ledger import Ledger, LedgerEntry
from boundkit.proofs.quadratic_expectations import QuadraticRounds, exact_expectations
from boundkit.proofs.stored_update_expectations import StoredUpdateRounds, size_of_state
from boundkit.simulation.run import Run, describe_run
from boundkit.verification.applicability import (
    check_function_class,
    describe_violation,
    reasons_not_applicable,
)
from boundkit.verification.claims import add_observables, measure_claim
from boundkit.verification.constants import measure_constants, theorem_arguments
from boundkit.verification.context import objective_of_constants
from boundkit.verification.default_instances import default_runs
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.families import context_of

_PROXIMAL = "fednova_nonconvex_surrogate"
"""The theorem whose inequalities hold for proximal steps, too, where its B and C bound them."""
_ROUNDING, _NEGLIGIBLE = 1e-9, 1e-13
"""Tolerance by which left may exceed right: relative to the summands of both, and relative to the bound."""


@lru_cache(maxsize=1)
def _proofs() -> dict[str, Proof]:
    return {
        proof.theorem.name: proof
        for proof in (*fednova.PROOFS, *fedavg_partial.PROOFS, *fedavg_partial_sharp.PROOFS)
    }


def with_proof() -> tuple[str, ...]:
    """Return the names of theorems that have any proof as data, without reading the certificates."""
    return tuple(sorted({*_proofs(), *certified()}))


@lru_cache(maxsize=1)
def proved() -> tuple[str, ...]:
    """Return the names of theorems whose proof can be evaluated on runs."""
    own = _proofs()
    proofs = {name: proof_named(name) for name in certified() if name not in own}
    more = [name for name, proof in proofs.items() if isinstance(proof, Certificate) and not objection(proof)]
    return (*own, *more)


def proof_of(theorem: Theorem) -> Proof | Certificate:
    """Return the proof of a theorem that runs can be put in: one with every inequality, or its certificate.

    Raises BoundkitError where there is none.
    """
    if theorem.name in _proofs():
        return _proofs()[theorem.name]
    proof = proof_named(theorem.name) if theorem.name in certified() else None
    if isinstance(proof, Certificate):
        why = objection(proof)
        if not why:
            return proof
        raise BoundkitError(
            f"the proof of {theorem.name} cannot be evaluated on a run: {why}. boundkit proof {theorem.name} "
            "checks it by machine."
        )
    if isinstance(proof, Corollary):
        raise BoundkitError(
            f"{theorem.name} follows from {proof.base.theorem.name}: evaluate the proof of that theorem."
        )
    raise BoundkitError(f"{status_sentence(theorem)} boundkit proof --all lists the theorems with a proof.")


def default_run(theorem: Theorem) -> tuple[str, Run]:
    """Return the first default instance of the theorem on which its proof can be evaluated, and its name."""
    proof_of(theorem)
    return next(iter(default_runs(theorem, quick=True)))


@np.errstate(over="ignore", invalid="ignore")
def ledger(theorem: Theorem, run: Run | None = None, proof: Proof | Certificate | None = None) -> Ledger:
    """Evaluate the proof of a theorem on a run, by default on the first default instance of its class.

    ``proof`` replaces the theorem's own, as ``proof_of(theorem).changed(...)`` returns it. Expectations are
    exact on quadratics; other problems must be deterministic. Raises BoundkitError where the theorem has no
    proof, does not apply to the run, or the run has no exact expectations.
    """
    proof = proof_of(theorem) if proof is None else proof
    if proof.theorem.name != theorem.name:
        raise BoundkitError(f"the proof that was given is of {proof.theorem.name}, not of {theorem.name}.")
    called, run = next(iter(default_runs(theorem, quick=True))) if run is None else ("", run)
    by_certificate = isinstance(proof, Certificate)
    if by_certificate and run.algorithm.name in STORED_UPDATES:
        size_of_state(run)  # before anything is simulated
    check_function_class(theorem, run)
    reasons = reasons_not_applicable(theorem, run)
    if reasons:
        raise BoundkitError(f"{theorem.name} does not apply to this run: {'; '.join(reasons)}.")
    run = add_observables(theorem, run)
    if run.algorithm.settings.get("mu") and not by_certificate and theorem.name != _PROXIMAL:
        raise BoundkitError(f"{theorem.name} bounds proximal local steps by another proof than the one here.")
    context = run_context(run, objective_of_constants(theorem, run)[0], uniform=not by_certificate)
    trajectory = EngineOptions(replicas=1).trajectory(theorem, run)
    if trajectory.outcome == "diverged":
        raise BoundkitError(f"the run diverged in round {trajectory.diverged_at}: no step can be evaluated.")
    constants = measure_constants(run, trajectory, theorem)
    settings = theorem_arguments(theorem, run, constants, trajectory)
    bound = predict(theorem, **settings)
    if not bound.holds:
        raise BoundkitError(describe_violation(bound, run, brief=True))
    measured = context_of(theorem, run, trajectory)
    total, result = float(bound.total), float(measure_claim(measured).value)
    letters: Mapping[str, str]
    if isinstance(proof, Certificate):
        setting = bound.parameters.grid() | {
            name: measured.families.constants[name](measured).value for name in quantities_beside(proof)
        }
        steps = tuple(certificate_entries(proof, _values_of(context), setting, total))
        end, letters = total, vectors_of(proof)
    else:
        quantities: dict[str, Array] = {name: np.asarray(value) for name, value in settings.items()}
        for quantity, expr in (*proof.put_in.items(), *proof.constants.items()):
            quantities[quantity.name] = evaluate_sized(expr, quantities).value
        clients, server = (exact_expectations if context.exact else observed_values)(context)
        quantities |= expectation_values(context, clients, server, float(proof.counted))
        steps = tuple(_entries(proof, quantities, run.rounds, total))
        end = float(evaluate_sized(proof.end, quantities).value.mean())  # not the bound if a step is wrong
        letters = {quantity.name: quantity.meaning for quantity in _used_quantities(proof)}
    return Ledger(
        theorem=theorem.name,
        claim=theorem.claim.latex,
        steps=steps,
        measured=result,
        bound=total,
        end=end,
        terms={name: float(value) for name, value in bound.terms.items()},
        letters=letters,
        rounds=run.rounds,
        engine="exact expectations" if context.exact else "the run itself",
        run=run.to_json(),
        setting=_setting(called, run, settings),
        causes={label: term.cause for label, term in theorem.bound.terms.items()},
    )


def _values_of(context: RunContext) -> RoundExpectations:
    if context.run.algorithm.name in STORED_UPDATES:
        return StoredUpdateRounds(context)
    return QuadraticRounds(context) if context.exact else ObservedRounds(context)


def _setting(called: str, run: Run, settings: Mapping[str, object]) -> str:
    """Describe the run, with its name where it is a default instance."""
    spec = describe_run(run, {name: float(np.asarray(v)) for name, v in settings.items() if np.ndim(v) == 0})  # type: ignore[arg-type]
    return f"the default instance {called!r}: {spec}" if called else spec


_printed = lru_cache(maxsize=1000)(plain)


def _used_quantities(proof: Proof) -> list[Quantity]:
    used = set().union(*(step.of.free_symbols | step.by.free_symbols for step in proof.steps))
    return [quantity for quantity in QUANTITIES if quantity in used]


def _entries(proof: Proof, values: dict[str, Array], rounds: int, bound: float) -> list[LedgerEntry]:
    result: list[LedgerEntry] = []
    partial_sum = float(values[proof.start.name].mean())
    for step, line in zip(proof.steps, proof.lines, strict=False):
        sides = [evaluate_sized(side, values) for side in step.sides(line)]
        left, right = (np.broadcast_to(side.value, (rounds,)) for side in sides)
        scale = np.broadcast_to(sides[0].size + sides[1].size, (rounds,))
        slack = float(right.mean() - left.mean())
        before, partial_sum = partial_sum, partial_sum + (0.0 if step.kind == "identity" else slack)
        if step.in_mean:
            left, right, scale = (side.mean(keepdims=True) for side in (left, right, scale))
        result.append(
            LedgerEntry(
                name=step.name,
                kind=step.kind,
                cause=step.cause,
                because=step.because,
                latex=step.latex(line),
                plain=step.plain(line),
                weight=_printed(step.weight(line)),
                left=float(left.mean()),
                right=float(right.mean()),
                share=slack / bound if bound else 0.0,
                factor=partial_sum / before if before else None,
                worst=_worst(left, right),
                broken=_first_violation(left, right, _ROUNDING * scale + _NEGLIGIBLE * bound, step),
            )
        )
    return result


def _worst(left: Array, right: Array) -> float | None:
    above = right > 0
    return float((left[above] / right[above]).max()) if above.any() else None


def _first_violation(left: Array, right: Array, rounding: Array, step: Step) -> int | None:
    wrong = np.abs(left - right) > rounding if step.kind == "identity" else left > right + rounding
    return int(np.argmax(wrong)) if wrong.any() else None


class SizedValue(NamedTuple):
    """A value, and the sum of the magnitudes of its summands."""

    value: Array
    size: Array


def evaluate_sized(expr: Expr, values: Mapping[str, Array]) -> SizedValue:
    """Evaluate an expression at values by name, with the magnitude that bounds its rounding error.

    >>> from boundkit.algebra.notation import eta, tau
    >>> evaluate_sized(eta * (tau - 3), {"eta": np.array(0.5), "tau": np.array(2.0)})
    SizedValue(value=array(-0.5), size=array(2.5))
    """
    match expr:
        case Number():
            value = np.asarray(float(expr))
        case Symbol():
            value = values[expr.name]
        case Add() | Mul():
            parts = [evaluate_sized(part, values) for part in expr.args]
            joined = sum if isinstance(expr, Add) else prod
            summands, sizes = zip(*parts, strict=True)
            return SizedValue(np.asarray(joined(summands)), np.asarray(joined(sizes)))
        case Pow():
            base, exponent = evaluate_sized(expr.base, values), float(expr.exp)
            value = np.asarray(base.value**exponent)
            return SizedValue(value, np.asarray(base.size**exponent) if exponent > 0 else np.abs(value))
        case _:
            raise TypeError(f"a proof has sums, products and powers, not {type(expr).__name__}.")
    return SizedValue(value, np.abs(value))
