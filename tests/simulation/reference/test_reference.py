"""The reference implementation: recorded runs of published code, and the effect of every option."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.simulation.reference import replay
from tests.simulation.reference.cases import CASES

FILES = sorted((Path(__file__).parents[1] / "recorded").glob("*.json"))
REQUIRED = {"gamma", "clusters", "probabilities"}  # no default to compare with
WITHOUT_EFFECT = {  # options at their default, or without effect under full participation or equal steps
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


def test_published_code_is_replayed() -> None:
    """Each record names its code and commit."""
    assert len(FILES) == 18
    for path in FILES:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        assert "repo" in data["recorded_from"], path.stem
        expected = np.array(data["x"])
        x = replay(data["algorithm"], data["run"])[: len(expected)]
        tolerance = data["tolerance"] * np.abs(expected).max()
        np.testing.assert_allclose(x, expected, rtol=0, atol=tolerance, err_msg=path.stem)


def test_every_option_of_every_case_has_an_effect() -> None:
    for name, (algorithm, spec) in CASES.items():
        x = replay(algorithm, copy.deepcopy(spec))
        assert np.isfinite(x).all(), name
        assert np.abs(x).max() < 10, name
        for option, value in spec.get("options", {}).items():
            if option in REQUIRED or (name, option) in WITHOUT_EFFECT or DEFAULTS.get(option) == value:
                continue
            without = copy.deepcopy(spec)
            del without["options"][option]
            y = replay(algorithm, without)
            assert y.shape != x.shape or np.abs(x - y).max() > 1e-4, (name, option)
