from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.training_log import LoggedRun
from boundkit.studies.diagnosis import LogDiagnosis
from boundkit.studies.forecast import make_forecast
from boundkit.studies.forecast.fit import first_passage
from tests.studies.forecast.test_forecast import THEOREM, logged, true_loss

SETTINGS = [(0.1, 2, 0.25), (0.05, 2, 0.5), (0.1, 6, 0.25), (0.2, 2, 0.25), (0.1, 2, 1.0), (0.2, 6, 1.0)]
"""eta, tau, C: enough of them for five constants."""


def test_a_log_says_what_noise_costs_in_rounds() -> None:
    random, t = np.random.default_rng(0), np.arange(61.0)
    runs = []
    for eta, tau, C in SETTINGS:
        values = true_loss(t, eta, tau, C, 6.0) + 0.005 * random.normal(size=t.shape)
        runs.append(LoggedRun("run", t, values, {"m": 20.0, "C": C, "tau": float(tau), "eta": eta}))
    diagnosis = LogDiagnosis(make_forecast(runs, THEOREM, target=1.0, members=16))
    long = np.arange(400.0)
    for (eta, tau, C), (_, costs) in zip(SETTINGS, diagnosis.costs, strict=True):
        with_noise, without = (first_passage(long, true_loss(long, eta, tau, C, n), 1.0) for n in (6.0, 0.0))
        noise, *others = costs
        assert noise.source == "mini-batch noise"
        assert noise.verdict == "costs"
        assert noise.rounds.value == pytest.approx(with_noise - without, rel=0.1)
        assert {c.verdict for c in others if c.source != "all of these"} == {"not told apart from 0"}
    assert diagnosis.worst is not None
    assert (diagnosis.worst.source, diagnosis.worst.settings["eta"]) == ("mini-batch noise", 0.2)
    assert "Most is lost to mini-batch noise at C = 0.25, tau = 2 and eta = 0.2" in diagnosis.to_text()


def test_what_the_settings_do_not_tell_apart_is_not_said() -> None:
    diagnosis = LogDiagnosis(make_forecast(logged(30), THEOREM, target=2.0, members=4))
    assert diagnosis.worst is None
    assert "there are 5 constants, and it has 3 settings" in " ".join(diagnosis.to_text().split())
    with pytest.raises(BoundkitError, match="rounds to a target"):
        LogDiagnosis(replace(diagnosis.forecast, target=None))
