from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.analysis.outer_optimisers import OuterOptimiser
from boundkit.figures.plan import columns
from boundkit.studies.planning import FittedRounds, Plan, make_plan
from boundkit.studies.planning.report import ADVISED

LOG = Path(__file__).parents[3] / "examples" / "training_log.csv"
CLOCK: dict[str, Any] = {"step_time": "1s", "replicas": 8, "payload": "2GB", "bandwidth": "2Gbit/s"}
CONSTANTS: dict[str, Any] = {"L": (0.5, 2.0), "sigma": (1.0, 3.0), "sigma_g": 0.3, "gap": 2.0}
TAUS = [1, 5, 10, 20, 27, 40, 100, 1000]


@pytest.fixture(scope="module")
def plan() -> Plan:
    return bk.plan(**CLOCK, target=0.05, constants=CONSTANTS, tau=TAUS, price=20.0)


def fewest_rounds(tau: int, L: float, sigma: float, sigma_g: float = 0.3, gap: float = 2.0) -> float:
    """The least T of the bound, written out, over random steps."""
    random = np.random.default_rng(tau)
    eta = np.exp(random.uniform(np.log(1e-6), np.log(1 / (8 * L * tau)), 400_000))
    eta_s = np.append(np.exp(random.uniform(np.log(0.1), np.log(10), len(eta) - 1)), 10.0)
    allowed = eta_s * eta * tau * L <= 1
    rest = (
        4 / 3 * eta_s * eta * L * sigma**2 / 8 + 2 / 3 * eta**2 * L**2 * (tau - 1) * sigma**2
        + eta**2 * L**2 * tau * (tau - 1) * sigma_g**2 / 3
    )  # fmt: skip
    left = 0.05 - rest
    rounds = 32 / 15 * gap / (eta_s * eta * tau * np.where(left > 0, left, np.nan))
    return float(np.nanmin(np.where(allowed, rounds, np.nan)))


def test_rounds_are_the_fewest_of_the_bound(plan: Plan) -> None:
    for place, tau in enumerate(TAUS):
        if tau not in (1, 27, 1000):
            continue
        for value, constants in zip(
            (plan.rounds[place].low, plan.rounds[place].high), ((0.5, 1.0), (2.0, 3.0)), strict=True
        ):
            searched = fewest_rounds(tau, *constants)
            assert 0.97 * searched <= value <= np.ceil(searched)


def test_time_is_rounds_times_the_clock_and_is_spent_on_four_parts(plan: Plan) -> None:
    exchange = 2 * 7 / 8 * 2e9 / 0.25e9
    np.testing.assert_allclose(plan.round_seconds, np.array(plan.taus) + exchange)
    for seconds, rounds, round_seconds in zip(plan.seconds, plan.rounds, plan.round_seconds, strict=True):
        assert seconds.value == pytest.approx(rounds.value * round_seconds)
        cost = plan.cost(seconds)
        assert cost is not None
        assert cost.high == pytest.approx(seconds.high / 3600 * 8 * 20)
    np.testing.assert_allclose(sum(plan.shares.values()), 1.0)
    assert [limit for k, limit in enumerate(plan.limits) if k == 0 or plan.limits[k - 1] != limit] == [
        "communication", "noise", "drift",
    ]  # fmt: skip
    assert plan.parallel is not None
    assert plan.parallel.value == pytest.approx(plan.rounds[0].value * (1 + exchange))
    assert plan.speedups[0].value == pytest.approx(1)


def test_the_best_tau_is_that_of_every_whole_number() -> None:
    at = {name: np.mean(value) for name, value in CONSTANTS.items()}
    every = bk.plan(**CLOCK, target=0.05, constants=at, tau=range(15, 60))
    best = min(each.value for each in every.seconds)
    usual = bk.plan(**CLOCK, target=0.05, constants=at)
    assert 15 < usual.tau < 59
    assert min(each.value for each in usual.seconds) <= 1.005 * best
    # eta L of the theorem is the largest eta lambda of the outer optimiser
    assert usual.model is not None
    steps = usual.model.steps_at(usual.tau)
    assert usual.curvatures[1] == pytest.approx(steps["eta"][1] * at["L"])
    # by the theorem accumulating gradients is no slower
    assert usual.accumulated is not None
    assert usual.accumulated[1].value <= 1.03 * best


def test_without_a_target_the_clock_answers() -> None:
    clock = bk.plan(**CLOCK, tau=[1, 14, 266])
    assert clock.model is None
    assert [each.value for each in clock.speedups] == pytest.approx([1, 15 / 2, 15 * 266 / 280])
    assert clock.tau == 266
    assert "at most 14.2 times as fast" in clock.to_text()
    assert clock.to_dict()["seconds"] is None


def test_a_log_gives_fitted_rounds() -> None:
    fitted = bk.plan(LOG, target=0.4, step_time="20ms", replicas=20, payload="40MB", bandwidth="1Gbit/s",
                     tau=[1, 3, 6, 100])  # fmt: skip
    assert fitted.taus.tolist() == [1, 3, 6]
    assert "tau = 100 is more than 2 times beyond" in fitted.left_out
    assert fitted.tau == 6
    assert fitted.parallel_is_known
    assert fitted.seconds[-1].low < fitted.seconds[-1].value < fitted.seconds[-1].high
    assert fitted.seconds[-1].value == pytest.approx(fitted.rounds[-1].value * fitted.round_seconds[-1])
    assert 2 < fitted.speedups[-1].value < 6  # at most 6
    assert fitted.schedule.participants == 5
    assert "5 of 20 (C = 0.25)" in fitted.to_text()

    # where a run reached the target its rounds are used; where nothing does, the clock answers
    assert isinstance(fitted.model, FittedRounds)
    forecast = fitted.model.forecast
    near, far = (FittedRounds(replace(forecast, target=target), 20) for target in (0.75, 0.01))
    assert [near.is_measured(tau) for tau in (2, 6)] == [False, True]
    (reached,) = [run.rounds[run.values <= 0.75][0] for run in forecast.runs if run.settings["tau"] == 6]
    rounds = near.rounds(np.array([6]))
    assert reached - 1 < rounds.min() == rounds.max() <= reached
    none = make_plan(fitted.schedule, far, taus=[1, 3, 6])
    assert none.to_text().startswith("No tau in this plan reaches loss 0.01. By the clock: at tau = 6")
    assert [each.value for each in none.speedups] == pytest.approx(none.schedule.most_speedup(none.taus))
    assert np.isfinite(columns(none)["seconds"]).all()


def test_late_outer_steps_contract_as_simulated() -> None:
    for outer, q in ((OuterOptimiser(0.2, 0.9, 1.0), 0.9), (OuterOptimiser(0.05, 0.9, 0.0), 0.5)):
        x, v, before, size = [1.0, 1.0], 0.0, q, []
        for _ in range(900):
            u = q * x[-1]
            v = outer.beta * v + before
            k = 1 - outer.nesterov * (1 - outer.beta)
            x.append(x[-1] - outer.eta_s * (outer.nesterov * before + k * v))
            before = u
            size.append(max(abs(e) for e in x[-60:]))
        rate = (size[-1] / size[-601]) ** (1 / 600)
        assert rate == pytest.approx(float(outer.contraction_late(q)), abs=2e-3)
        edge = outer.largest_late / q
        for share, stable in ((0.999, True), (1.001, False)):
            at = OuterOptimiser(share * edge, outer.beta, outer.nesterov)
            assert (float(at.contraction_late(q)) < 1) is stable
    q_most = bk.plan(**CLOCK, tau=[100]).outer
    advised = next(each for each in q_most if each.name == ADVISED)
    assert advised.optimiser.eta_s <= 0.8001 * advised.largest
    assert advised.contraction < next(e for e in q_most if e.name == "nesterov, 0.7 and 0.9").contraction
    late = bk.plan(**CLOCK, late=266, tau=[266])
    assert late.is_late
    assert {each.name: each.contraction >= 1 for each in late.outer}["nesterov, 0.7 and 0.9"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"step_time": "-1s"}, "above 0"),
        ({"bandwidth": "10Gbit"}, "per second"),
        ({"payload": None}, "payload of an exchange"),
        ({"parameters": "7B"}, "either parameters"),
        ({"replicas": 1}, "whole number, at least 2"),
        ({"target": 0.1}, "needs logs of training runs, or constants"),
        ({"constants": {"L": 1.0}}, "serve a target"),
        ({"target": 0.1, "constants": {"L": 1.0}}, "gap, sigma and sigma_g are missing"),
        ({"target": 0.1, "constants": {"L": (2.0, 1.0)}}, "a range such as 0.5:2"),
        ({"target": 0.1, "constants": {**CONSTANTS, "Lip": 1.0}}, "Lip"),
        ({"curvature": (0.1, 3.0)}, "below 2"),
        ({"fragments": 0}, "fragments must be a whole number"),
        ({"overlap": 2.0}, "share of a step"),
        ({"topology": "star"}, "ring"),
        ({"tau": [0, 10]}, "whole numbers from 1 on, but 0 was given"),
        ({"tau": [-5]}, "but -5 was given"),
        ({"theorem": "fedavgm_convex_homogeneous"}, "serves a target"),
        ({"logs": LOG, "target": 0.4}, "the logs are of 20 replicas"),
    ],
)
def test_a_request_that_is_none_is_refused_in_a_sentence(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(BoundkitError, match=said) as error:
        bk.plan(**{**CLOCK, **changed})
    assert "\n" not in str(error.value)
