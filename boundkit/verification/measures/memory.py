"""What is observed beside the objective, so that the clusters' dissimilarity can be read along a run."""

from __future__ import annotations

from boundkit.algebra import Theorem
from boundkit.simulation.problems import Problem
from boundkit.simulation.run import Run
from boundkit.verification.quantities.memory import watched_clusters


def _clusters(theorem: Theorem, run: Run) -> dict[str, Problem]:
    return dict(watched_clusters(run))


SEEN = {"cluster-dissimilarity": _clusters}
