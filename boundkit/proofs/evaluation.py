"""Write a ledger: a proof, a run, and every letter of the proof in every round."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.printing import plain
from boundkit.analysis.formatting import joined
from boundkit.analysis.predict import predict
from boundkit.proofs import deterministic_rounds as path
from boundkit.proofs import fedavg_partial, fedavg_partial_sharp, fednova, moments
from boundkit.proofs.context import Array, scene_of
from boundkit.proofs.expectations import LETTERS
from boundkit.proofs.ledger import Entry, Ledger
from boundkit.proofs.observations import values_of
from boundkit.proofs.proof import Proof
from boundkit.proofs.scaled_value import sized
from boundkit.proofs.step import Step
from boundkit.simulation.run import Run
from boundkit.simulation.run_description import describe_run
from boundkit.verification.applicability import check_function_class, reasons_not_applicable
from boundkit.verification.claims import add_observables, measure_claim
from boundkit.verification.constants import measure_constants, theorem_arguments
from boundkit.verification.context import objective_of_constants
from boundkit.verification.default_instances import default_runs
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.families import context_of
from boundkit.verification.step_size_condition import describe_violation

_ROUNDING, _NOTHING = 1e-9, 1e-13
"""How far left may exceed right: relative to what both are made of, and relative to the bound."""


@lru_cache(maxsize=1)
def _proofs() -> dict[str, Proof]:
    return {
        proof.theorem.name: proof
        for proof in (*fednova.PROOFS, *fedavg_partial.PROOFS, *fedavg_partial_sharp.PROOFS)
    }


def proved() -> tuple[str, ...]:
    """The theorems whose proofs are written here step by step."""
    return tuple(_proofs())


def proof_of(theorem: Theorem) -> Proof:
    """The proof of a theorem, step by step. Raises BoundkitError where there is none here."""
    if theorem.name not in _proofs():
        raise BoundkitError(
            f"{theorem.name} has no proof here that can be run; these have one: {joined(proved())}."
        )
    return _proofs()[theorem.name]


def default_run(theorem: Theorem) -> tuple[str, Run]:
    """The first default instance of the theorem's class on which its ledger can be written, and its name."""
    proof_of(theorem)
    return next(iter(default_runs(theorem, quick=True)))


def ledger(theorem: Theorem, run: Run | None = None, proof: Proof | None = None) -> Ledger:
    """The proof of a theorem on a run, by default on the first default instance of its class.

    ``proof`` takes the place of the theorem's own, as ``proof_of(theorem).changed(...)`` gives it.
    Expectations are exact on quadratics; other problems must be without chance. Raises BoundkitError where
    the theorem has no proof here, does not speak of the run, or the run has no exact expectations.
    """
    proof = proof_of(theorem) if proof is None else proof
    if proof.theorem.name != theorem.name:
        raise BoundkitError(f"the proof that was given is of {proof.theorem.name}, not of {theorem.name}.")
    called, run = default_run(theorem) if run is None else ("", run)
    check_function_class(theorem, run)
    reasons = reasons_not_applicable(theorem, run)
    if reasons:
        raise BoundkitError(f"{theorem.name} does not speak of this run: {'; '.join(reasons)}.")
    run = add_observables(theorem, run)
    if run.algorithm.settings.get("mu") and theorem.name != "fednova_nonconvex_surrogate":
        raise BoundkitError(f"{theorem.name} bounds a proximal walk by another proof than the one here.")
    scene = scene_of(run, objective_of_constants(theorem, run)[0])
    seen = EngineOptions(replicas=1).trajectory(theorem, run)
    if seen.outcome == "diverged":
        raise BoundkitError(f"the run diverged in round {seen.diverged_at}: no step can be evaluated.")
    constants = measure_constants(run, seen, theorem)
    asked = theorem_arguments(theorem, run, constants, seen)
    bound = predict(theorem, **asked)
    if not bound.holds:
        raise BoundkitError(describe_violation(bound, run, brief=True))
    known: dict[str, Array] = {name: np.asarray(value) for name, value in asked.items()}
    for letter, expr in (*proof.put_in.items(), *proof.constants.items()):
        known[letter.name] = sized(expr, known).value
    clients, server = (moments if scene.exact else path).seen(scene)
    known |= values_of(scene, clients, server, float(proof.counted))
    total, found = float(bound.total), float(measure_claim(context_of(theorem, run, seen)).value)
    return Ledger(
        theorem=theorem.name,
        claim=theorem.claim.latex,
        steps=tuple(_entries(proof, known, run.rounds, total)),
        measured=found,
        bound=total,
        end=float(sized(proof.end, known).value.mean()),  # of letters that a wrong step left behind
        terms={name: float(value) for name, value in bound.terms.items()},
        letters={letter.name: letter.meaning for letter in _named(proof)},
        rounds=run.rounds,
        engine="exact expectations" if scene.exact else "the run itself",
        run=run.to_json(),
        setting=_setting(called, run, asked),
    )


def _setting(called: str, run: Run, asked: Mapping[str, object]) -> str:
    """The run in words, and what it is called where it is a default instance."""
    told = describe_run(run, {name: float(np.asarray(v)) for name, v in asked.items() if np.ndim(v) == 0})  # type: ignore[arg-type]
    return f"the default instance {called!r}: {told}" if called else told


_printed = lru_cache(maxsize=1000)(plain)


def _named(proof: Proof) -> list[Quantity]:
    used = set().union(*(step.of.free_symbols | step.by.free_symbols for step in proof.steps))
    return [letter for letter in LETTERS if letter in used]


def _entries(proof: Proof, known: dict[str, Array], rounds: int, bound: float) -> list[Entry]:
    found: list[Entry] = []
    so_far = float(known[proof.start.name].mean())
    for step, line in zip(proof.steps, proof.lines, strict=False):
        sides = [sized(side, known) for side in step.sides(line)]
        left, right = (np.broadcast_to(side.value, (rounds,)) for side in sides)
        scale = np.broadcast_to(sides[0].size + sides[1].size, (rounds,))
        slack = float(right.mean() - left.mean())
        before, so_far = so_far, so_far + (0.0 if step.kind == "identity" else slack)
        if step.in_mean:
            left, right, scale = (side.mean(keepdims=True) for side in (left, right, scale))
        found.append(
            Entry(
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
                factor=so_far / before if before else None,
                worst=_worst(left, right),
                broken=_broken(left, right, _ROUNDING * scale + _NOTHING * bound, step),
            )
        )
    return found


def _worst(left: Array, right: Array) -> float | None:
    above = right > 0
    return float((left[above] / right[above]).max()) if above.any() else None


def _broken(left: Array, right: Array, rounding: Array, step: Step) -> int | None:
    wrong = np.abs(left - right) > rounding if step.kind == "identity" else left > right + rounding
    return int(np.argmax(wrong)) if wrong.any() else None
