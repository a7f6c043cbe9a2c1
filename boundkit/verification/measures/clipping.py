"""What a clipped round promises: eta times the squared gradient, or clip times the gradient."""

from __future__ import annotations

import numpy as np

from boundkit.simulation.problems.base import Array
from boundkit.verification.measures.norms import DERIVED as NORMS
from boundkit.verification.quantities import Subject


def clipped_decrease(subject: Subject) -> Array:
    """min(eta ||grad F(x_t)||^2, clip ||grad F(x_t)||), (R, T + 1)."""
    norm = NORMS["gradient_norm"](subject)
    return np.minimum(subject.run.eta * norm**2, subject.value("clip") * norm)


DERIVED = {"clipped_decrease": clipped_decrease}
