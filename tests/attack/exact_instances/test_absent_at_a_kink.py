"""FedAWE's clients at a kink: the closed form against an enumeration, and the noise drift that it shows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from boundkit.analysis.evaluate import evaluate
from boundkit.attack.exact_instances.absent_at_a_kink import (
    consensus_error,
    measure_absent_at_a_kink,
    settings,
)
from boundkit.theorems import theorem


@pytest.mark.parametrize(("m", "q"), [(2, 0.5), (3, 0.9)])
def test_the_closed_form_is_that_of_all_noises_and_participants(m: int, q: float) -> None:
    eta, eta_s = 0.0625, 0.7
    total = 0.0
    for present in product((0, 1), repeat=m):
        chance = float(np.prod([q if each else 1 - q for each in present]))
        noises = list(product((-1.0, 1.0), repeat=2))
        for drawn in product(noises, repeat=m):
            ends = []
            for first, second in drawn:
                y = -eta * first
                ends.append(y - eta * (max(y, 0.0) + second))
            here = [end for end, each in zip(ends, present, strict=True) if each]
            models = np.zeros(m)
            models[np.array(present, dtype=bool)] = eta_s * np.mean(here) if here else 0.0
            total += chance / len(noises) ** m * float(np.var(models)) / 2
    at = {"availability": q, "m": float(m), "eta": eta, "eta_s": eta_s}
    assert float(consensus_error({name: np.array(v) for name, v in at.items()})) == pytest.approx(total)


def test_the_mixing_rate_of_two_clients_is_known() -> None:
    at = settings()
    two = at["m"] == 2
    np.testing.assert_allclose(at["mixing"][two], 1 - at["availability"][two] ** 2)


def test_the_theorem_holds_and_needs_its_noise_drift() -> None:
    own = theorem("fedawe_consensus")
    (found,) = measure_absent_at_a_kink(own)
    without = sum(term.expr for term in own.terms if term.label != "noise drift")
    for bound, least, most in ((own.bound.total, 0.005, 1.0), (without, 100.0, np.inf)):
        ratio = float(np.max(found.high / evaluate(bound, found.values)))
        assert least < ratio < most
