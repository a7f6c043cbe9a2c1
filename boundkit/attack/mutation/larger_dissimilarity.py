"""The same runs with the other dissimilarity: beta > 1 with a smaller kappa, where clients' Hessians differ.

A run says beta = 1 and kappa of the largest spread that it met. The theorem may as well be asked with the
pair that holds on all of space, and only there does what multiplies beta^2 - 1 weigh anything.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import beta, kappa
from boundkit.attack.mutation.measurements import Held
from boundkit.simulation.run import Run
from boundkit.verification.context import objective_of_constants
from boundkit.verification.dissimilarity import dissimilarity_everywhere


def wider(theorem: Theorem, piece: Held) -> list[Held]:
    """The piece with beta and kappa of all of space, where the theorem asks for both and these are known."""
    run = piece.source.get("run")
    if not isinstance(run, Run) or not {beta, kappa} <= set(theorem.quantities):
        return []
    try:
        slope, rest = (
            found.value for found in dissimilarity_everywhere(objective_of_constants(theorem, run)[0], run.x0)
        )
    except (BoundkitError, np.linalg.LinAlgError):
        return []
    if not slope > 1 or not np.isfinite(rest):
        return []
    values = {**piece.values, "beta": np.full_like(piece.low, slope), "kappa": np.full_like(piece.low, rest)}
    said = f"a run by the {piece.source.get('engine')} engine, with beta and kappa on all of space"
    return [replace(piece, values=values, source={**piece.source, "said": said})]
