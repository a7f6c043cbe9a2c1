"""The worst run of an attack as a record: bound against what was measured, without another run."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.evidence import Evidence
from boundkit.attack.falsification import Falsification
from boundkit.verification.record import Record, versions
from boundkit.verification.verdict import Curves


def as_record(found: Falsification) -> Record:
    """The worst run at the horizons up to its worst one, as a figure draws it; open constants are 1.

    Raises BoundkitError where no run was found, or where it diverged.
    """
    seen, run = found.worst, found.run
    if seen is None or run is None:
        raise BoundkitError(f"there is nothing to draw of {found.theorem.name}: {found.reason}")
    if seen.diverged:
        raise BoundkitError(f"there is nothing to draw of {found.theorem.name}: its worst run diverged.")
    return Record(
        theorem=found.theorem.name,
        claim=found.theorem.claim.latex,
        verdict=_told(found, seen),
        run=run,
        causes={label: t.cause for label, t in found.theorem.bound.terms.items()},
        curves=_curves(found, seen, int(run["rounds"])),
        versions=dict(versions()),
    )


def _curves(found: Falsification, seen: Evidence, rounds: int) -> Curves:
    """What was measured and every term, as long as the run that replays it is."""
    until = seen.horizons <= seen.horizons[-1] - (seen.run.rounds - rounds)
    values = {name: value[until] for name, value in seen.values.items()}
    terms = {
        label: np.broadcast_to(evaluate(term.expr, values), values["T"].shape)
        for label, term in found.theorem.bound.terms.items()
    }
    return Curves(values["T"], terms, seen.measured[until], seen.low[until], seen.high[until])


def _told(found: Falsification, seen: Evidence) -> dict[str, Any]:
    """What the words of a figure are made of."""
    letters = {name: float(value[-1]) for name, value in seen.values.items() if name != "T"}
    return {
        "theorem": found.theorem.name,
        "verdict": found.answer,
        "reason": found.reason,
        "ratio": found.ratio,
        "interval": found.interval,
        "engine": seen.engine,
        "replicas": None,
        "constants": seen.trust,
        "constant_values": {name: {"value": value} for name, value in letters.items()},
    }
