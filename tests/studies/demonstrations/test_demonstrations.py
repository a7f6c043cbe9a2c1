"""What the demonstrations show, in numbers."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.run import make_run
from boundkit.simulation.selection import Strategy, published_instance
from boundkit.simulation.simulate import simulate
from boundkit.studies.demonstrations import clipping as shown
from boundkit.studies.demonstrations.cyclic_groups import cyclic_groups, twelve_clients
from boundkit.studies.demonstrations.echo_weights import echo_weights
from boundkit.studies.demonstrations.fedexp_step import SPREAD, FedExPStep, few_directions
from boundkit.studies.demonstrations.power_of_choice import RANDOM, FastThenBiased, mean_gaps, power_of_choice
from boundkit.studies.demonstrations.relaxed_smoothness import MODELS, measure_pairs, measures
from tests.cases import each
from tests.studies.demonstrations import quickly


@pytest.fixture(scope="module")
def published() -> FastThenBiased:
    return power_of_choice()


def test_the_gaps_of_the_published_clients(published: FastThenBiased) -> None:
    """The loss gaps of a run of the authors' script after 500, 1500, 5000 and 15000 rounds."""
    recorded = {
        RANDOM: (2.0e5, 1.4e5, 4.5e4, 1.6e3),
        "6 candidates": (1.9e5, 1.2e5, 2.3e4, 5.9e2),
        "30 candidates": (1.7e5, 9.0e4, 1.2e4, 4.4e3),
    }
    for name, gaps in recorded.items():
        assert published.gaps[name] == pytest.approx(gaps, rel=0.05), name


def test_the_quick_rounds_are_those_of_the_algorithm() -> None:
    problem, start = published_instance()
    run = make_run(
        "fedavg", problem, rounds=40, eta=2e-3, local_steps=2, x0=start, options={"aggregation": "mean"},
        participation={"kind": "power_of_choice", "count": 3, "d": 30},
    )  # fmt: skip
    found = mean_gaps(problem, start, eta=2e-3, tau=2, count=3, candidates=30, rounds=(1, 10, 40))
    assert found == pytest.approx(trajectory(run, "step").mean("loss_gap")[[1, 10, 40]], rel=1e-10)


@each("candidates", [None, 3])
def test_the_quick_draws_have_the_shares_of_the_strategy(candidates: int | None) -> None:
    """From far away a round of one client goes to where that client pulls: the mean tells the shares."""
    problem = Quadratic([1.0] * 4, [[-3.0], [-1.0], [1.0], [3.0]], [0.4, 0.3, 0.2, 0.1])
    strategy = Strategy(1, replacement=True) if candidates is None else Strategy(1, candidates)
    order = np.argsort(-problem.losses(np.array([[9.0]])), axis=1)
    shares = strategy.shares(problem.p, order)[0]
    far, R = 9.0, 20_000
    gaps = mean_gaps(problem, np.array([far]), eta=1.0, tau=1, count=1, candidates=candidates, rounds=(1,),
                     replicas=R)  # fmt: skip
    each = problem.observe(problem.e)["loss_gap"]
    spread = float(shares @ each**2 - (shares @ each) ** 2) ** 0.5
    assert abs(gaps[0] - shares @ each) < 5 * spread / R**0.5 + 1e-12


def test_turns_by_formula() -> None:
    """r f V_w/(2 - r), f = (n - N)/(N (n - 1)), and (m - N)/(N (m - 1)) (V_w + V_b) for draws from all."""
    r, e = 0.1, twelve_clients().e.reshape(3, 4)
    within, between = float(e.var(axis=1).mean()), float(e.mean(axis=1).var())
    found = cyclic_groups((r,))
    assert found.spread[0] == pytest.approx(r / (2 - r) * (2 / 6) * within, rel=1e-9)
    assert found.drawn[0] == pytest.approx(r / (2 - r) * (10 / 22) * (within + between), rel=1e-9)
    w = r * (1 - r) ** np.array([2, 1, 0]) / (1 - (1 - r) ** 3)
    assert found.bias_squared[0] == pytest.approx(float(w @ e.mean(axis=1) - e.mean()) ** 2, rel=1e-9)


ROWS = {(row.chance, row.cap): row for row in echo_weights()}


def test_sampled_weights_agree_with_the_formulas() -> None:
    for key, row in ROWS.items():
        assert row.seen_weight == pytest.approx(row.weight, rel=0.02), key
        assert row.seen_second == pytest.approx(row.second, rel=0.05), key


def test_a_cap_bounds_them_and_loses_the_rare() -> None:
    for p in (0.01, 0.0001):
        capped = [ROWS[p, cap] for cap in (10, 100, 1000, 10000)]
        assert all(row.largest <= (row.cap or 0) for row in capped)
        assert [row.weight for row in capped] == sorted(row.weight for row in capped)
    assert ROWS[0.0001, 50].weight == pytest.approx(0.005, rel=0.01)
    assert ROWS[0.0001, 50].minimum == pytest.approx(0.005, rel=0.01)
    assert ROWS[0.01, 50].weight == pytest.approx(0.395, abs=0.001)
    assert ROWS[0.01, 1000].weight == pytest.approx(1, abs=1e-4)
    assert ROWS[0.0001, 10000].weight == pytest.approx(0.632, abs=0.001)


@pytest.fixture(scope="module")
def found() -> FedExPStep:
    result: FedExPStep = quickly.run("fedexp_step")[0]
    return result


@each("name", SPREAD)
def test_the_first_step_is_the_formula(found: FedExPStep, name: str) -> None:
    problem = few_directions(SPREAD[name])
    unit = np.eye(problem.d)
    updates = np.array([
        (np.linalg.matrix_power(unit - found.eta * H, found.tau) - unit) @ e
        for H, e in zip(problem.H, problem.e, strict=True)
    ])  # fmt: skip
    mean = updates.mean(axis=0)
    step = (updates**2).sum(axis=1).mean() / (2 * (mean @ mean + found.epsilon))
    assert found.step[name][0] == pytest.approx(step, rel=1e-10)
    x = -step * mean
    assert found.fedexp[name][0] == pytest.approx(problem.observe(x)["loss_gap"], rel=1e-9)
    assert found.fedavg[name][0] == pytest.approx(problem.observe(-mean)["loss_gap"], rel=1e-9)


def test_where_minima_differ_the_last_iterate_comes_to_a_cycle_of_two_rounds(found: FedExPStep) -> None:
    last = found.fedexp["differ"]
    assert last[-2:] == pytest.approx(last[-4:-2], rel=1e-4)
    assert last[-1] > 3 * last[-2]
    far = few_directions(SPREAD["differ"])
    # A start that is no rounding away is on its way to the same cycle: no rounding decides it.
    run = simulate(
        "fedexp", far, rounds=len(found.rounds), eta=found.eta, local_steps=found.tau,
        options={"epsilon": found.epsilon}, x0=np.full(far.d, 1e-6),
    )  # fmt: skip
    assert run.mean("loss_gap")[1:] == pytest.approx(last, rel=1e-4)


@pytest.fixture(scope="module")
def small() -> shown.ClippingDemonstration:
    return shown.clipping(
        largest=(8.0, 16.0, 32.0),
        steps=(0.3, 0.9999, 2.0),
        thresholds=(0.5, 1.0, 3.0),
        replicas=20,
        gap=400.0,
    )


@each("stepper", [shown.clipped_minibatch, shown.episodepp])
@each("name", ["wrong_majority", "valley", "ramp"])
def test_its_rounds_are_those_of_the_algorithm(stepper: shown.Stepper, name: str) -> None:
    problem = ClippingProblem(name, 3, 1.0, 1.0, grad_max=4.0, target=1.0, gap=30.0)
    came = np.random.default_rng(1).integers(3, size=(25, 1))
    eta, clip = np.array([0.4, 0.05]), np.array([0.7, 0.5])
    seen = stepper(problem.instance, eta, clip, came, 25)
    for k in range(2):
        run = make_run(stepper.__name__.replace("clipped_minibatch", "clipped_minibatch_sgd"), problem,
                       rounds=25, eta=float(eta[k]), x0=problem.start, schedule=came.tolist(),
                       options={"gamma": float(clip[k])})  # fmt: skip
        exact = trajectory(run, "step").observed["gradient_norm_squared"][0] ** 0.5
        assert seen[:, k] == pytest.approx(exact, rel=1e-9, abs=1e-12)


def test_no_pair_of_the_grid_beats_the_lower_bound_and_the_best_nearly_meets_it(
    small: shown.ClippingDemonstration,
) -> None:
    assert (small.best >= small.bound).all()
    assert (small.best <= 1.05 * small.bound).all()


def test_the_best_step_needs_rounds_that_grow_with_the_largest_gradient_up_to_the_logarithm(
    small: shown.ClippingDemonstration,
) -> None:
    M = small.grad_max
    slope = np.polyfit(np.log(M), np.log(small.best * np.arcsinh(M * shown.L1 / shown.L0)), 1)[0]
    assert abs(slope - 1) < 0.05


def test_pairs_on_a_line_give_the_line() -> None:
    steep = np.array([[1.0, 2.0, 5.0], [2.0, 3.0, 4.0], [0.5, 6.0, 1.0]])
    bent = 1 + 2 * steep
    found = measures(steep, bent)
    assert (found["L0"], found["L1"], found["slope"]) == pytest.approx((1, 2, 2))
    assert found["line over constant"] == pytest.approx(bent.mean() / bent.max())
    assert 0.9 < found["path"] <= 1
    assert 0.9 < found["clients"] <= 1


def test_curvature_that_rises_as_the_gradient_falls_leaves_a_level_line() -> None:
    steep = np.array([[3.0, 6.0], [2.0, 5.0], [1.0, 4.0]])
    found = measures(steep, 10 - steep)
    assert (found["L0"], found["L1"], found["line over constant"]) == pytest.approx((9, 0, 1))
    assert found["slope"] == pytest.approx(-1)
    assert found["path"] < -0.9


def test_softmax_regression_stays_below_its_bound_and_others_have_none() -> None:
    (steep, bent), L = measure_pairs("softmax", 0, (0, 4))
    assert steep.shape == bent.shape == (2, 8)
    assert L is not None
    assert (bent < L).all()
    deeper = MODELS["mlp"][0].problem(0)
    assert "L" not in deeper.constants(deeper.initial_point({"seed": 0}))
