"""The same run with other step sizes: with one local step the server's model depends on eta_s eta alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from boundkit.algebra import Theorem
from boundkit.algebra.notation import eta, eta_s
from boundkit.attack.measurement import Measurement
from boundkit.simulation.run import Run

_TIMES = (1e-3, 0.5, 2.0, 1e3)


def with_rescaled_steps(theorem: Theorem, piece: Measurement) -> Iterator[Measurement]:
    """Yield the measurement at other eta_s and eta with the same product, where local steps are single."""
    run = piece.source.get("run")
    single = theorem.assumes("one-local-step") and theorem.algorithm == "fedavg" and not theorem.rules
    if not single or not isinstance(run, Run) or not {eta, eta_s} <= set(theorem.quantities):
        return
    for times in _TIMES:
        values = {
            **piece.values,
            "eta": piece.values["eta"] / times,
            "eta_s": piece.values["eta_s"] * times,
        }
        same = replace(run, eta=run.eta / times, eta_s=run.eta_s * times)
        yield replace(piece, values=values, source={**piece.source, "run": same})
