"""Every mutant of a theorem, judged: by units, by proof, by what is stated, and by what is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from time import perf_counter
from typing import Any, overload

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.dimension import dimension_of
from boundkit.algebra.notation import units_of
from boundkit.attack.evidence import Evidence, evidence
from boundkit.attack.mutation.directed_instances import directed
from boundkit.attack.mutation.equivalent_theorems import same
from boundkit.attack.mutation.generation import mutants
from boundkit.attack.mutation.judgement import Judgement, judgement
from boundkit.attack.mutation.larger_dissimilarity import wider
from boundkit.attack.mutation.measurements import Ground, Held, of_evidence
from boundkit.attack.mutation.mutant import Mutant
from boundkit.attack.mutation.mutant_search import endless, hunted
from boundkit.attack.mutation.order_level import Along, along, steeper
from boundkit.attack.mutation.reasons import reason_of
from boundkit.attack.mutation.report import Mutation
from boundkit.attack.mutation.single_causes import Scales, alone, isolates, single_causes
from boundkit.attack.mutation.stated_relations import broken
from boundkit.attack.mutation.weaker import weaker
from boundkit.attack.stored_instances import replay_instances
from boundkit.simulation.run import Run
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.checks import single_error_source
from boundkit.verification.default_instances import default_runs
from boundkit.verification.engine_options import EngineOptions

Progress = Callable[[int, int], None]
SINGLE, FEW = 80, 20
"""At most so many exact instances of single causes are asked; fewer where each takes long, of an algorithm
that remembers its clients, and where every local step is looked at."""
LEAST_SEARCH = 0.5
"""The part of the budget that the search has, however long all else took."""
_STANDS = ("inside slack", "not testable", "survived")
"""What the search may still kill."""


def mutate(
    theorem: Theorem,
    known: Mapping[str, Theorem] | None = None,
    *,
    budget: float = 20.0,
    evaluations: int | None = None,
    seed: int = 0,
    machine: EngineOptions | None = None,
    held: Iterable[Held] = (),
    progress: Progress | None = None,
) -> Mutation:
    """All mutants of the theorem with what becomes of each; ``known`` holds what its reductions refer to.

    ``budget``: seconds, of which those that nothing else kills have the rest, and half of all at least, for a
    search; ``evaluations``: so many instead, so that the answer is the same on every machine. ``held``:
    measured values from elsewhere, held against mutants as those of the default instances are.
    """
    began, tell = perf_counter(), progress or (lambda done, total: None)
    every = mutants(theorem)
    found: list[Judgement | None] = []
    for place, one in enumerate(every):
        found.append(_timed(on_paper, one, known or {}))
        tell(place + 1, 2 * len(every))
    ground = Ground(theorem, (*instances(theorem, seed, machine), *held))
    slopes: dict[str, list[Scales]] = {}
    sweeps = along(theorem, machine)
    for place, one in enumerate(every):
        if found[place] is None:
            found[place] = _timed(on_runs, one, ground, slopes, sweeps)
        tell(len(every) + place + 1, 2 * len(every))
    _against_runs(found, every, ground)
    left = [place for place, one in enumerate(found) if one is not None and one.outcome in _STANDS]
    search = max(budget - (perf_counter() - began), LEAST_SEARCH * budget)
    more = hunted(theorem, [every[k] for k in left], search, evaluations, seed, machine)
    if more:
        ground = Ground(theorem, (*ground.held, *more))
        for place in left:
            found[place] = _timed(on_runs, every[place], ground, slopes, sweeps)
        _against_runs(found, every, ground)
    judged = tuple(one for one in found if one is not None)
    above = _told(ground.above())
    return Mutation(theorem.name, theorem.kind, judged, len(ground.low), perf_counter() - began, above)


def _against_runs(found: list[Judgement | None], every: Sequence[Mutant], ground: Ground) -> None:
    """What only random points call weaker is held against all that was measured too."""
    for place, one in enumerate(found):
        killer = ground.killer(every[place]) if one is not None and one.outcome == "not proved" else None
        if killer is not None:
            found[place] = judgement(every[place], "killed", by=killer[1].stage, **_told(killer))


def _timed(judge: Callable[..., Judgement | None], *given: Any) -> Judgement | None:
    started = perf_counter()
    found = judge(*given)
    return None if found is None else replace(found, seconds=perf_counter() - started)


def on_paper(mutant: Mutant, known: Mapping[str, Theorem]) -> Judgement | None:
    """What needs no run: units, a proof that it is weaker, what is stated; None where all are silent."""
    wrong = _units(mutant)
    if wrong:
        return judgement(mutant, "killed", by="dimension", reason=wrong)
    only = weaker(mutant)
    if only is not None:
        slack = only.slack if np.isfinite(only.slack) else None
        if only.proved:
            said = "at least the theorem's bound everywhere, by the signs of the expanded difference"
            return judgement(mutant, "weaker", reason=said, slack=slack)
        said = (
            f"at least the theorem's bound at {only.points} random points inside the conditions, not proved"
        )
        return judgement(mutant, "not proved", reason=said, slack=slack)
    found = broken(mutant, known)
    return None if found is None else judgement(mutant, "killed", by=found[0], reason=found[1])


def _units(mutant: Mutant) -> str:
    """Why no theorem can say this: its units, a division by zero; empty where one can."""
    try:
        if mutant.expr is not None:  # the changed term first: it is most of the theorem's check, and cheap
            dimension = dimension_of(mutant.expr, units_of(mutant.expr))
            wanted = mutant.original.claim.dimension
            if dimension is not None and dimension != wanted:
                return f"its unit is {dimension}, and the claim has {wanted}"
        mutant.theorem  # noqa: B018  # building it is the check
    except BoundkitError as error:
        return str(error)
    return ""


def instances(theorem: Theorem, seed: int, machine: EngineOptions | None) -> list[Held]:
    """The theorem's own instances, and those of theorems that are the same bound of other algorithms."""
    if theorem.kind == "order" or reasons_unsupported(theorem):
        return []
    found = _instances(theorem, seed, machine)
    for other in same(theorem):
        found += [_lent(piece, other) for piece in _instances(other, seed, machine)]
    return found


def _lent(piece: Held, other: Theorem) -> Held:
    return replace(piece, source={**piece.source, "said": f"{_said(piece)}, of {other.name}"})


def _instances(theorem: Theorem, seed: int, machine: EngineOptions | None) -> list[Held]:
    """The worst instances that are kept, the default ones, single causes, and infinitely many clients."""
    found = [
        of_evidence(piece) for piece in (*replay_instances(theorem).pieces, *_pieces(theorem, seed, machine))
    ]
    found += [more for piece in found for more in wider(theorem, piece)]
    inside = theorem.claim.observable.startswith("virtual_")
    most = FEW if inside or single_error_source.keeps_client_state(theorem) else SINGLE
    return [*found, *islice(single_causes(theorem), most), *endless(theorem), *directed(theorem)]


def _pieces(theorem: Theorem, seed: int, machine: EngineOptions | None) -> list[Evidence]:
    pieces: list[Evidence] = []
    for _, run in default_runs(theorem, seed):
        try:
            pieces.append(evidence(theorem, run, machine))
        except BoundkitError:
            continue  # an instance of which the theorem does not speak tells nothing of its mutants either
    return pieces


def on_runs(
    mutant: Mutant, ground: Ground, slopes: dict[str, list[Scales]], sweeps: Sequence[Along] = ()
) -> Judgement:
    """What is measured: a value above the bound, a slope steeper than the term; else why it stands."""
    killer = ground.killer(mutant)
    if killer is not None:
        return judgement(mutant, "killed", by=killer[1].stage, **_told(killer))
    faster = _steeper(mutant, slopes) or steeper(mutant, sweeps)
    if faster:
        return judgement(mutant, "killed", by="slope", reason=faster)
    outcome, why = reason_of(mutant, ground)
    return judgement(mutant, outcome, reason=why)


@overload
def _told(found: tuple[float, Held, int]) -> dict[str, Any]: ...
@overload
def _told(found: None) -> None: ...
def _told(found: tuple[float, Held, int] | None) -> dict[str, Any] | None:
    """A value above a bound: the sentence, the ratio where it is a number, and what replays it."""
    if found is None:
        return None
    ratio, piece, horizon = found
    if np.isfinite(ratio):
        said = f"measured/bound is {ratio:.4g}"
    else:
        said = "it diverges" if np.isinf(piece.low[horizon]) else "measured where the bound is 0"
    return {
        "reason": f"{said} ({_said(piece)})",
        "ratio": ratio if np.isfinite(ratio) else None,
        "instance": instance_of(piece, horizon),
    }


def _steeper(mutant: Mutant, slopes: dict[str, list[Scales]]) -> str:
    """How a measured slope contradicts the changed term; empty where none does."""
    theorem = mutant.original
    if mutant.expr is None or mutant.kind == "constant" or not isolates(theorem):
        return ""
    term = theorem.bound.terms[mutant.label]
    if mutant.label not in slopes:
        slopes[mutant.label] = alone(theorem, term)
    for one in slopes[mutant.label]:
        if one.against(term.expr)[0] == "violated":
            continue
        outcome, measured, predicted = one.against(mutant.expr)
        if outcome == "violated":
            return f"in {one.letter} the measured slope is {measured:.3f}, and the term's {predicted:.3f}"
    return ""


def instance_of(piece: Held, horizon: int) -> dict[str, Any]:
    """What kills, as it is replayed: the run to that horizon, or the exact instance in words."""
    run = piece.source.get("run")
    if not isinstance(run, Run):
        return {**piece.source, "values": {n: float(v[horizon]) for n, v in piece.values.items()}}
    return {"run": replace(run, rounds=max(int(piece.values["T"][horizon]), 1)).to_json()}


def _said(piece: Held) -> str:
    return str(piece.source.get("said") or f"a run by the {piece.source.get('engine')} engine")
