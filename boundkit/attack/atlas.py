"""The tightness atlas: how much of every bound, and of every term's constant, some instance needs.

A term's share is (measured - all other terms)/term, the largest over instances. A constant that is k times
smaller, k = 1/share, would be too small on that instance: so it could be at most k times smaller. Where no
instance has a positive share nothing is shown, which is no proof that the term could be left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.prose import plain_prose
from boundkit.analysis.step_size import largest, limit_at
from boundkit.attack.atlas_record import FILE as FILE
from boundkit.attack.atlas_record import NAME as NAME
from boundkit.attack.evidence import Evidence
from boundkit.attack.exact_instances import measure_exact_instances
from boundkit.attack.measurement import Measurement
from boundkit.attack.mutation.measurements import Measurements
from boundkit.attack.stored_instances import replay_instances
from boundkit.report.formatting import format_number
from boundkit.simulation.run import Run, describe_absent_errors, describe_clients
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.checks.fixed_point import LIMIT_ROUNDS
from boundkit.verification.checks.single_error_source import NOT_ISOLATED
from boundkit.verification.tabular_result import TabularResult, tabulate_result

SHOWS = "How much of every bound, and of every term's constant, some instance needs."
ATTAINED = 0.99
"""From here on an instance attains the bound."""
SHOWN = 1e-9
"""A smaller share is rounding."""
AT_THE_LIMIT = 1e-9
MANY = 1e12
"""A number of clients above this is infinite."""

OPEN = "its constants are open"
NO_INSTANCE = "no stored instance applies to it"
ABSENT = "no instance inside the conditions has this term"
COVERED = "on every instance the other terms alone are more than what was measured"
SEVERAL = "terms of a lower bound are not taken apart"


@dataclass(frozen=True)
class BoundTightness:
    """ratio: the largest measured/bound of a stored instance, and bound/measured of a lower bound.

    smaller: 1/ratio, so many times smaller the whole bound could be at most (a lower bound: larger).
    attained: ratio is at least 0.99. sampled: the low end of a 99 % interval of replicas, not exact.
    instance: its setting. equality: where it is known on paper. silent: why there is no ratio.
    """

    theorem: str
    algorithm: str
    kind: str
    ratio: float | None
    smaller: float | None
    attained: bool
    sampled: bool
    instance: str
    equality: str
    silent: str


@dataclass(frozen=True)
class TermTightness:
    """share: the largest (measured - all other terms)/term; smaller: 1/share. silent: why there is none."""

    theorem: str
    term: str
    cause: str
    share: float | None
    smaller: float | None
    sampled: bool
    instance: str
    silent: str


@dataclass(frozen=True)
class Atlas:
    """A row a theorem, and a row a term, in the order of the catalogue."""

    theorems: list[BoundTightness]
    terms: list[TermTightness]


def build_atlas(theorems: Iterable[Theorem], evidence: Mapping[str, Sequence[Measurement]]) -> Atlas:
    """The atlas of what was measured for each theorem, by its name."""
    rows: list[BoundTightness] = []
    terms: list[TermTightness] = []
    for theorem in theorems:
        measurements = Measurements(theorem, tuple(evidence.get(theorem.name, ())))
        rows.append(_bound_tightness(theorem, measurements))
        terms += [_term_tightness(theorem, label, measurements, rows[-1]) for label in theorem.bound.terms]
    return Atlas(rows, terms)


def compute_record(progress: Callable[[int, int], None] | None = None) -> TabularResult:
    """The atlas of the catalogue: the stored instances replayed, single causes, infinitely many clients."""
    from boundkit.theorems import catalogue

    theorems = catalogue()
    evidence = {}
    for done, (name, theorem) in enumerate(theorems.items()):
        if progress is not None:
            progress(done, len(theorems))
        if theorem.kind != "order":
            evidence[name] = [*stored_measurements(theorem), *exact_measurements(theorem)]
    return tabulate_result(NAME, SHOWS, build_atlas(theorems.values(), evidence))


def stored_measurements(theorem: Theorem) -> list[Measurement]:
    """The stored worst instances, replayed, each with its own 99 % interval."""
    return [measurement_of(piece) for piece in replay_instances(theorem).pieces]


def exact_measurements(theorem: Theorem) -> list[Measurement]:
    """Exact instances without a run: no run has their numbers."""
    return [] if reasons_unsupported(theorem) else list(measure_exact_instances(theorem))


def measurement_of(piece: Evidence) -> Measurement:
    """Evidence with which a bound is compared."""
    source = {"run": piece.run, "engine": piece.engine, "random": piece.random}
    return Measurement(piece.values, piece.low, piece.high, piece.zero, source)


def _bound_tightness(theorem: Theorem, measurements: Measurements) -> BoundTightness:
    names = (theorem.name, theorem.algorithm, theorem.kind)
    if theorem.kind == "order":
        return BoundTightness(*names, None, None, False, False, "", "", OPEN)
    result = _largest(theorem, measurements, measurements.ratios())
    if result is None:
        return BoundTightness(*names, None, None, False, False, "", equality(theorem), NO_INSTANCE)
    score, sampled, instance = result
    return BoundTightness(
        *names, score, _smaller(score), score >= ATTAINED, sampled, instance, equality(theorem), ""
    )


def _term_tightness(
    theorem: Theorem, label: str, measurements: Measurements, whole: BoundTightness
) -> TermTightness:
    cause = theorem.bound.terms[label].cause
    names = (theorem.name, label, cause)
    if whole.ratio is None:
        return TermTightness(*names, None, None, False, "", whole.silent)
    if len(theorem.terms) == 1:
        return TermTightness(*names, whole.ratio, whole.smaller, whole.sampled, whole.instance, "")
    if theorem.kind == "lower":
        return TermTightness(*names, None, None, False, "", SEVERAL)
    result = _largest(theorem, measurements, measurements.shares(label))
    if result is None:
        return TermTightness(*names, None, None, False, "", ABSENT)
    score, sampled, instance = result
    if score <= SHOWN:
        return TermTightness(*names, None, None, False, "", NOT_ISOLATED.get(cause, COVERED))
    return TermTightness(*names, score, _smaller(score), sampled, instance, "")


def _smaller(score: float) -> float | None:
    return 1 / score if score > SHOWN else None


def _largest(
    theorem: Theorem, measurements: Measurements, scores: NDArray[np.float64]
) -> tuple[float, bool, str] | None:
    """The largest score, whether chance had a part in it, and the setting."""
    if not scores.size or np.isnan(scores).all():
        return None
    place = int(np.nanargmax(scores))
    ends = np.cumsum(measurements.sizes)
    which = int(np.searchsorted(ends, place, side="right"))
    piece = measurements.pieces[which]
    description = describe_measurement(theorem, piece, place - int(ends[which] - measurements.sizes[which]))
    return float(scores[place]), bool(piece.source.get("random", False)), description


def describe_measurement(theorem: Theorem, piece: Measurement, place: int) -> str:
    """Describe the instance of a measurement at one of its horizons, on one line.

    An instance without a run (one isolated error source, or infinitely many clients) is described by its
    cause and quantities.
    """
    values = {name: float(series[place]) for name, series in piece.values.items()}
    run = piece.source.get("run")
    if not isinstance(run, Run):
        return ", ".join([*_of_cause(piece, values), *_step(theorem, values)])
    return ", ".join(
        [*describe_clients(run, values), *_step(theorem, values), *describe_absent_errors(values)]
    )


def _of_cause(piece: Measurement, values: Mapping[str, float]) -> list[str]:
    many = values.get("m", 0.0) > MANY
    if many:
        alone = "infinitely many clients"
    elif "cause" in piece.source:
        alone = f"{piece.source['cause']} alone, quadratic clients"
    else:
        alone = str(piece.source.get("said", "exact moments"))
    names = ["tau"] if many else ["m", "C", "tau"]
    text = [f"{name} = {values[name]:.3g}" for name in names if name in values]
    if "T" in values:
        text.append(
            "T to infinity" if values["T"] >= min(LIMIT_ROUNDS, MANY) else f"T = {format_number(values['T'])}"
        )
    return [alone, *text]


def _step(theorem: Theorem, values: Mapping[str, float]) -> list[str]:
    """eta as a share of what the conditions allow, else as it is."""
    if theorem.rules:
        return ["steps by the rule"]
    try:
        limit = float(limit_at(largest(theorem), values))
    except BoundkitError:
        limit = np.inf
    text = [] if values.get("eta_s", 1.0) == 1.0 else [f"eta_s = {values['eta_s']:.3g}"]
    if "eta" not in values:
        return text
    if not np.isfinite(limit):
        return [f"eta = {values['eta']:.3g}", *text]
    share = values["eta"] / limit
    at = "eta at its limit" if share > 1 - AT_THE_LIMIT else f"eta at {share:.3g} of its limit"
    return [at, *text]


OPENINGS = {
    "fedavg_surrogate_optimum": "Equality where grad F_i",
    "fedavg_strongly_convex_average_drift": "Attained in the limit of many local steps",
    "mifa_nonconvex": "Attained: a quadratic",
    "sgd_strongly_convex": "At mu = L the error floor",
}
"""How the sentence begins."""


def equality(theorem: Theorem) -> str:
    """The remark of the theorem on where the bound is attained, or "".

    Raises BoundkitError where the theorem has no such remark.
    """
    if theorem.name not in OPENINGS:
        return ""
    begins = OPENINGS[theorem.name]
    for text in (*theorem.remarks, " ".join(plain_prose(theorem.prose).split())):
        if begins in text:
            sentence = re.match(r".*?\.(?=\s|$)", text[text.index(begins) :])
            return sentence[0] if sentence else text[text.index(begins) :]
    raise BoundkitError(f"no remark of {theorem.name} begins with {begins!r} any more.")
