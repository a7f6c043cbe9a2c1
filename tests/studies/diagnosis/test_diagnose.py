from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import Network
from boundkit.simulation.run import Run, make_run
from boundkit.simulation.trajectory import Trajectory
from boundkit.studies.diagnosis import Diagnosis, diagnose_run, fitting_theorem, read_own
from boundkit.studies.diagnosis.study import ERROR_SOURCES, rounds_difference
from boundkit.theorems import theorem

BY_NAME = {t.name: t for t in ERROR_SOURCES}


def sorted_clients(m: int = 6, each: int = 12) -> list[tuple[np.ndarray, np.ndarray]]:
    """Three classes around the corners of a triangle; every client has one of them only."""
    rng, corners = np.random.default_rng(3), np.array([[0.0, 0.0], [1.5, 0.0], [0.0, 1.5]])
    return [(corners[i % 3] + rng.normal(size=(each, 2)), np.full(each, i % 3)) for i in range(m)]


def a_run(**settings: Any) -> Run:
    given: dict[str, Any] = {
        "rounds": 6, "eta": 0.3, "local_steps": 8, "participation": {"kind": "uniform", "C": 1 / 3},
    }  # fmt: skip
    return make_run("fedavg", Network(sorted_clients(), "softmax", batch=4), **given | settings)


@pytest.fixture(scope="module")
def found() -> Diagnosis:
    run = a_run()
    name, others = fitting_theorem(run)
    return diagnose_run(run, theorem(name), {k: theorem(v) for k, v in others.items()}, replicas=12)


def test_sorted_labels_are_found_out(found: Diagnosis) -> None:
    by_source = {c.source: c for c in found.costs}
    assert by_source["data heterogeneity"].verdict == "costs"
    assert by_source["partial participation"].verdict == "costs"  # two clients know two classes at most
    assert found.worst is max(found.costs, key=lambda c: c.loss.value if c.loss else -1)
    assert set(by_source) == {
        "data heterogeneity",
        "partial participation",
        "mini-batch noise",
        "local steps",
    }


def test_costs_are_differences_of_runs_on_the_same_draws(found: Diagnosis) -> None:
    run = a_run()
    whole = bk.simulate(run, replicas=12)
    for name, trouble in BY_NAME.items():
        twin = trouble.without(run)
        if twin is None:
            continue
        apart = whole.observed["loss"][:, -1] - bk.simulate(twin, replicas=12).observed["loss"][:, -1]
        cost = next(c for c in found.costs if c.source == name)
        assert cost.loss is not None
        assert cost.loss.value == pytest.approx(apart.mean(), rel=1e-9, abs=1e-12)
        assert cost.loss.low < cost.loss.value < cost.loss.high


def trajectory_of(loss: np.ndarray) -> Trajectory:
    return Trajectory("fedavg", "step", np.zeros((loss.shape[1], 1)), {"loss": loss}, random=False)


def test_twins_change_one_thing() -> None:
    run = a_run()
    iid = BY_NAME["data heterogeneity"].without(run)
    assert iid is not None
    assert isinstance(iid.problem, Network)
    assert isinstance(run.problem, Network)
    assert iid.problem.federation.sizes.tolist() == run.problem.federation.sizes.tolist()
    assert sorted(map(tuple, iid.problem.federation.X.tolist())) == sorted(
        map(tuple, run.problem.federation.X.tolist())
    )
    labels = [set(iid.problem.federation.y[12 * i : 12 * i + 12].tolist()) for i in range(6)]
    assert all(len(own) > 1 for own in labels)
    one = BY_NAME["local steps"].without(run)
    assert one is not None
    assert (one.eta, one.tau) == (0.3 * 8, 1)
    quiet = BY_NAME["mini-batch noise"].without(run)
    assert quiet is not None
    assert not quiet.problem.stochastic
    assert run.problem.stochastic


def test_runs_without_a_trouble_are_not_run_again() -> None:
    plain = make_run("fedavg", bk.Network(sorted_clients(), "softmax"), rounds=2, eta=0.1)
    names = {t.name for t in ERROR_SOURCES if t.without(plain) is not None}
    assert names == {"data heterogeneity"}
    uneven = make_run("fedavg", bk.Network(sorted_clients(), "softmax"), rounds=2, eta=0.1,
                      local_steps=[1, 2, 3, 4, 5, 6])  # fmt: skip
    equal = BY_NAME["unequal work"].without(uneven)
    assert equal is not None
    assert equal.tau == 4
    assert fitting_theorem(uneven)[0] == "fedavg_nonconvex_unequal_steps"


def test_terms_changes_and_rivals_are_there(found: Diagnosis) -> None:
    assert set(found.estimates) == {"sigma", "sigma_g"}
    assert set(found.known) == {"L", "gap"}  # of a softmax regression both have a formula
    assert found.measured.low < found.measured.value
    bound = float(found.prediction.total)
    assert found.ratio == pytest.approx(found.measured.value / bound)
    half = next(c for c in found.changes if c.what.startswith("tau = 4 "))
    asked = {**found.parameters, "tau": 4}
    assert half.total == pytest.approx(float(bk.predict("fedavg_nonconvex_partial", **asked).total))
    assert [c.total for c in found.changes] == sorted(c.total for c in found.changes)
    assert {r.algorithm for r in found.rivals} == {"fedvarp", "scaffold", "fedexp"}
    best = next(c for c in found.changes if c.what.endswith("(the best inside the condition)"))
    assert best.holds


def test_costs_in_rounds_are_differences_of_first_passages() -> None:
    """Losses 8, 4, 2 and 8, 2, 1: the first is at 2 in round 2, the second in round 1."""
    slow, fast = np.array([[8.0, 4.0, 2.0]]), np.array([[8.0, 2.0, 1.0]])
    between = np.array([[8.0, 3.0, 3.0]])
    for one, other, difference in (
        (slow, fast, 1), (fast, slow, -1), (slow, slow, 0), (slow, between, 0.5),
    ):  # fmt: skip
        estimate = rounds_difference(trajectory_of(one), trajectory_of(other))
        assert estimate is not None
        assert estimate.value == pytest.approx(difference)
    assert rounds_difference(trajectory_of(slow[:, ::-1]), trajectory_of(slow)) is None  # it ascends


OWN = """
import numpy as np
rng = np.random.default_rng(0)
model = "softmax"
clients = [(rng.normal(size=(9, 2)), rng.integers(0, 2, 9)) for _ in range(4)]
settings = {"rounds": 3, "local_steps": 2, "batch": 3, "participation": {"kind": "uniform", "C": 0.5}}
"""


def test_a_python_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(OWN)
    run = read_own(path, "fedavg", seed=5)
    assert (run.problem.m, run.rounds, run.tau, run.seed, run.eta) == (4, 3, 2, 5, 0.1)
    assert bk.diagnose(run, replicas=2, rivals=()).rivals == ()
    for text, said in (
        ("model = 'softmax'", "must define clients"),
        ("model = ", "line 1 is no Python"),
        ("1/0", "line 1: ZeroDivisionError"),
        ("raise SystemExit", "leaves Python instead of defining model and clients"),
        (OWN + "settings['etta'] = 1", "did you mean 'eta'"),
        (OWN + "settings = 3", "must be a dict"),
    ):
        path.write_text(text)
        with pytest.raises(BoundkitError, match=said):
            read_own(path, "fedavg")
    with pytest.raises(BoundkitError, match="cannot be read"):
        read_own(tmp_path / "none.py", "fedavg")


def test_a_run_that_blows_up_without_a_trouble_has_no_cost() -> None:
    x = np.linspace(0, 3, 12)[:, None]
    clients = [(x, (i + 1) * x) for i in range(3)]
    module = torch.nn.Linear(1, 1)
    found = bk.diagnose(module, torch.nn.MSELoss(), clients, rounds=20, eta=0.08, local_steps=8, batch=4,
                        replicas=2, rivals=[])  # fmt: skip
    cost = next(c for c in found.costs if c.source == "local steps")  # one step of 0.64 is longer than 2/L
    assert cost.loss is None
    assert cost.verdict == "the run without it diverges"
    assert found.known["gap"].trust == "estimated"
    assert "the loss is never below 0" in found.known["gap"].how
    assert found.run["x0"] == "the module's own"


def unlike_sizes(weights: Any) -> Run:
    """One step of exact gradients by all clients: nothing but the start is in the way."""
    rng = np.random.default_rng(0)
    sizes = (60, 5, 5, 5)
    clients = [(rng.normal(size=(n, 2)) + 2 * (i > 0), np.arange(n) % 5 // (4 - 3 * (i > 0)))
               for i, n in enumerate(sizes)]  # fmt: skip
    network = Network([(X, np.minimum(y, 1)) for X, y in clients], "softmax", batch=None, weights=weights)
    return make_run("fedavg", network, rounds=30, eta=0.2)


def test_points_are_not_dealt_anew_where_that_would_change_the_objective() -> None:
    run = unlike_sizes("uniform")
    assert BY_NAME["data heterogeneity"].without(run) is None
    found = diagnose_run(run, theorem("fedavg_nonconvex_partial"), replicas=2, rivals=())
    assert found.costs == ()
    assert "data heterogeneity, for p_i is not n_i/n" in found.to_text()
    assert len(found.to_dict()["left_out"]) == 1
