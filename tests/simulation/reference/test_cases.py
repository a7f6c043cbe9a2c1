"""The cases themselves: finite, and every option that a case gives is felt."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from tests.simulation.reference import replay
from tests.simulation.reference.cases import CASES

GIVEN_BUT_NEEDED = {"gamma", "clusters", "probabilities"}  # no default to compare with
SAID_ALOUD = {  # options at their default, or without effect where everybody comes or steps are equal
    ("fedavg-unbiased", "aggregation"),
    ("mifa-full", "wait"),
    ("mifa-wait, gaps", "wait"),
    ("mifa-wait, rows", "wait"),
    ("mifa-somebody never comes", "wait"),
    ("fedau-no cutoff", "cutoff"),
    ("fedau-full", "cutoff"),
    ("async_sgd-no delay", "delays"),
    ("overlap_sgd-full", "pull"),
    ("overlap_sgd-full", "momentum"),
}
DEFAULTS = {"correction": "joint", "solver": "adam"}


@pytest.mark.parametrize("name", CASES)
def test_every_option_is_felt(name: str) -> None:
    algorithm, spec = CASES[name]
    x = replay(algorithm, copy.deepcopy(spec))
    assert np.isfinite(x).all()
    assert np.abs(x).max() < 10
    for option, value in spec.get("options", {}).items():
        if option in GIVEN_BUT_NEEDED or (name, option) in SAID_ALOUD or DEFAULTS.get(option) == value:
            continue
        without = copy.deepcopy(spec)
        del without["options"][option]
        y = replay(algorithm, without)
        assert y.shape != x.shape or np.abs(x - y).max() > 1e-4, option
