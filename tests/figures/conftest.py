"""Records that figures are drawn from, made once."""

from dataclasses import replace

import numpy as np
import pytest

from boundkit.simulation.problems import Quadratic
from boundkit.theorems import theorem
from boundkit.verification.record import Record, as_record
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify


def small(name: str = "fedavg_nonconvex_partial", noise: float = 5.0, **settings: object) -> Verdict:
    """A verdict on ten clients in three dimensions."""
    problem = Quadratic.random(10, 3, seed=1, noise=noise)
    usual = {"rounds": 60, "eta": 0.01, "local_steps": 4, "x0": [2.0] * 3}
    if "partial" in name:
        usual["participation"] = {"kind": "uniform", "C": 0.5}
    return verify(theorem(name), problem, slopes=False, **{**usual, **settings})  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def exact() -> Verdict:
    """Exact expectations, all five causes in the bound."""
    return small()


@pytest.fixture(scope="session")
def sampled() -> Verdict:
    """A mean of replicas, with a band."""
    return small(engine="step", replicas=8, rounds=12)


@pytest.fixture(scope="session")
def record(exact: Verdict) -> Record:
    return as_record(exact)


def answered(record: Record, answer: str, ratio: float | None, interval: list[float] | None) -> Record:
    """The record with another answer, and a measured curve that fits it."""
    verdict = {**record.verdict, "verdict": answer, "ratio": ratio, "interval": interval}
    assert record.curves is not None
    total = np.asarray(sum(record.curves.terms.values()))
    if ratio is None:
        return replace(record, verdict=verdict)
    measured = ratio * total
    curves = replace(record.curves, measured=measured, low=0.9 * measured, high=1.1 * measured)
    return replace(record, verdict=verdict, curves=curves)
