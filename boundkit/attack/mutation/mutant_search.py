"""The search, with mutants for its aims: what it measures for one serves all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import C, eta_s
from boundkit.attack.candidate_run import run_of
from boundkit.attack.evidence import Evidence, evidence
from boundkit.attack.fast_rounds import Swift
from boundkit.attack.infinite_clients import InfiniteEvidence, reaches, witnesses
from boundkit.attack.initial_instances import tight
from boundkit.attack.mutation.measurements import Held, of_evidence
from boundkit.attack.mutation.mutant import Mutant
from boundkit.attack.objectives import Aim, bound_aim, term_aim
from boundkit.attack.search import search
from boundkit.attack.search_budget import Clock, Over
from boundkit.attack.stored_instances import stored_runs
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.default_instances import default_instances
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.instance import Instance

MOST = 24
"""At most so many mutants are aims of their own; the others are held against what is found for these."""
ON_CONDITIONS = 0.4
"""The part of the search that looks beyond the conditions, where there are relaxed ones."""

_CROWD, _PRODUCTS = 402, (2.4, 1.2, 0.6)
"""How many, and eta_s eta in units of 1/L: gradient descent does not come to rest from 2 on."""
_SERVERS, _ROUNDS = (1e-3, 1e2), 200
_FEW_ROUNDS, _FEW_STEPS = 30, 16
_LONGER = 12, 60
"""At least and at most so many runs beyond conditions, where evaluations are counted."""


def hunted(
    theorem: Theorem,
    left: Sequence[Mutant],
    budget: float,
    evaluations: int | None,
    seed: int,
    machine: EngineOptions | None,
) -> list[Held]:
    """What the search measures for the mutants that are left, inside the conditions and beyond them."""
    if not left or evaluations == 0 or theorem.kind == "order" or reasons_unsupported(theorem):
        return []
    relaxed = [one for one in left if one.condition is not None]
    part = ON_CONDITIONS if relaxed else 0.0
    sought = [(theorem, aims(theorem, left), 1 - part)] if len(relaxed) < len(left) else []
    sought += [(one.theorem, [bound_aim(one.theorem)], part / len(relaxed)) for one in relaxed]
    found = _further(relaxed, Clock(part / 2 * budget, _runs(evaluations)))
    known = stored_runs(theorem)
    for aimed, at, share in sought:
        count = None if evaluations is None else max(int(share * evaluations), 1)
        attack = search(
            aimed, at, budget=share * budget, evaluations=count, seed=seed, starts=known, machine=machine
        )
        found += [of_evidence(piece, "falsifier") for piece in attack.pool.pieces]
    return found


def _runs(evaluations: int | None) -> int | None:
    """How many runs beyond conditions, where evaluations are counted."""
    return None if evaluations is None else min(max(evaluations, _LONGER[0]), _LONGER[1])


def _further(relaxed: Sequence[Mutant], clock: Clock) -> list[Held]:
    """Runs as far beyond a condition as it was relaxed, each once; the mutants take turns."""
    found: list[Held] = []
    seen: set[str] = set()
    turns = zip_longest(*(_longer(one) for one in relaxed))
    for run in (run for turn in turns for run in turn if run is not None):
        told = json.dumps(run.to_json(), sort_keys=True, default=str)
        if told in seen:
            continue
        seen.add(told)
        try:
            clock.tick()
        except Over:
            break
        found += asked(partial(evidence, relaxed[0].original, run, Swift()))
    return found


def _longer(relaxed: Mutant) -> Iterator[Run]:
    """The runs for one condition; small server steps leave room for the clients'."""
    theorem, times = relaxed.theorem, relaxed.times
    falls = theorem.assumes("decaying-step")  # every step is another, and takes as long as its first
    most = _FEW_ROUNDS if falls else _ROUNDS
    for plan in (*_crowds(theorem), *tight(theorem), *default_instances(theorem)):
        steps = np.minimum(plan.local_steps, _FEW_STEPS).tolist() if falls else plan.local_steps
        for at in _stretched(theorem, replace(plan, rounds=min(plan.rounds, most), local_steps=steps), times):
            try:
                run = run_of(theorem, at)
            except (BoundkitError, ArithmeticError):
                continue
            if run.offset is not None:  # the first is as much larger as it begins later
                run = replace(run, offset=run.offset / times, eta=run.eta * times)
            yield run


def _crowds(theorem: Theorem) -> Iterator[Instance]:
    """Many alike clients who all come: what is asked for the sake of absence is then met by far."""
    if not {eta_s, C} <= set(theorem.quantities) or theorem.rules:
        return
    crowd = Quadratic([1.0] * _CROWD, np.zeros((_CROWD, 1)))
    for product in _PRODUCTS:
        yield Instance("a crowd", crowd, 1, 1.0, eta=0.1, eta_s=product / 0.1, rounds=60, x0=np.ones(1))


def _stretched(theorem: Theorem, plan: Instance, times: int) -> Iterator[Instance]:
    """A plan at the relaxed condition, by what its kind of condition is about."""
    yield plan
    if isinstance(plan.eta, float):
        yield replace(plan, eta=plan.eta * times)
    if "gamma" in plan.options:
        yield replace(plan, options={**plan.options, "gamma": plan.options["gamma"] * times})
    if eta_s in theorem.quantities and not theorem.rules:
        yield from (replace(plan, eta_s=server) for server in _SERVERS)


def asked(piece: Callable[[], Evidence]) -> Iterator[Held]:
    """What a piece of evidence measures; nothing where the theorem does not speak of it."""
    try:
        with np.errstate(all="ignore"):
            yield of_evidence(piece(), "falsifier")
    except (BoundkitError, ArithmeticError, np.linalg.LinAlgError):
        return


def aims(theorem: Theorem, left: Sequence[Mutant]) -> list[Aim]:
    """The bound, the terms of constants, and each of the other mutants."""
    terms = {one.label: None for one in left if one.label and theorem.kind == "upper"}
    shapes = [one for one in left if one.condition is None and one.kind != "constant"]
    own = [mutant_aim(one) for one in shapes[:MOST]]
    return [bound_aim(theorem), *(term_aim(theorem, label) for label in terms), *own]


def mutant_aim(mutant: Mutant) -> Aim:
    """measured over the mutant's bound. Above 1 it is killed."""
    wrong = mutant.theorem
    return Aim(f"mutant: {mutant.what}", lambda pool: pool.ratios(wrong))


def endless(theorem: Theorem) -> list[Held]:
    """What infinitely many clients measure, where the theorem can be asked for them."""
    if not reaches(theorem):
        return []
    try:
        return [_of_infinite(piece) for piece in witnesses(theorem)]
    except BoundkitError:
        return []


def _of_infinite(piece: InfiniteEvidence) -> Held:
    source = {"said": "infinitely many clients", "infinite": dict(piece.instance)}
    return Held(piece.values, piece.low, piece.high, piece.zero, source)
