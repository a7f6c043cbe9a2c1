"""The worst run of a falsification as a record, which a figure draws without another run."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.evidence import Evidence
from boundkit.attack.falsification import Falsification
from boundkit.verification.record import Record, versions
from boundkit.verification.verdict import Curves


def as_record(result: Falsification) -> Record:
    """Return bound and measurement at the horizons up to the worst one; unspecified constants are 1.

    Raises BoundkitError where there is no run, or where it diverged.
    """
    evidence, run = result.worst, result.run
    if evidence is None or run is None:
        raise BoundkitError(f"there is nothing to draw of {result.theorem.name}: {result.reason}")
    if evidence.diverged:
        raise BoundkitError(f"there is nothing to draw of {result.theorem.name}: its worst run diverged.")
    return Record(
        theorem=result.theorem.name,
        claim=result.theorem.claim.latex,
        verdict=_verdict_fields(result, evidence),
        run=run,
        causes={label: t.cause for label, t in result.theorem.bound.terms.items()},
        curves=_curves(result, evidence, int(run["rounds"])),
        versions=dict(versions()),
    )


def _curves(result: Falsification, evidence: Evidence, rounds: int) -> Curves:
    """Return the measurement and every term, up to the last round of the run that replays it."""
    until = evidence.horizons <= evidence.horizons[-1] - (evidence.run.rounds - rounds)
    values = {name: value[until] for name, value in evidence.values.items()}
    terms = {
        label: np.broadcast_to(evaluate(term.expr, values), values["T"].shape)
        for label, term in result.theorem.bound.terms.items()
    }
    return Curves(values["T"], terms, evidence.measured[until], evidence.low[until], evidence.high[until])


def _verdict_fields(result: Falsification, evidence: Evidence) -> dict[str, Any]:
    """Return the fields from which a figure writes its caption."""
    constants = {name: float(value[-1]) for name, value in evidence.values.items() if name != "T"}
    return {
        "theorem": result.theorem.name,
        "verdict": result.answer,
        "reason": result.reason,
        "ratio": result.ratio,
        "interval": result.interval,
        "engine": evidence.engine,
        "replicas": None,
        "constants": evidence.trust,
        "constant_values": {name: {"value": value} for name, value in constants.items()},
    }
