"""Networks as problems: mini-batches, runs against plain loops, observables, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines.stochastic_gradients import Minibatches
from boundkit.simulation.problems import Network, problem_from_spec
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import make_run
from boundkit.simulation.run_file import run_from_spec
from boundkit.simulation.simulate import simulate
from tests.cases import each
from tests.simulation.problems.families import points

SIZES = (7, 4, 11)


def tiny(**settings: Any) -> Network:
    return Network([points(i, n) for i, n in enumerate(SIZES)], {"kind": "mlp", "hidden": [4]}, **settings)


def test_a_run_agrees_with_a_plain_loop() -> None:
    network = tiny(batch=2)
    run = make_run("fedavg", network, rounds=3, eta=0.2, local_steps=[3, 1, 2], seed=4)
    streams, w = Streams(4, 1), torch.as_tensor(run.x0)
    for t in range(run.rounds):
        batches = Minibatches(network, np.arange(network.m), int(run.steps(t).max()), network.m, streams)
        assert batches.index is not None
        mean = torch.zeros_like(w)
        for i in range(network.m):
            y = w.clone()
            for k in range(int(run.steps(t)[i])):
                X, labels = (
                    a[torch.as_tensor(batches.index[0, i, k])] for a in network.federation.tensors(y)
                )
                leaf = y.clone().requires_grad_()
                loss = network.architecture.point_losses(leaf[None], X[None], labels[None]).mean()
                y = y - 0.2 * torch.autograd.grad(loss, leaf)[0]
            mean += network.p[i] * y
        w = mean
    np.testing.assert_allclose(simulate(run).x[-1], w.numpy(), rtol=1e-11, atol=1e-13)


def test_epochs_as_local_steps() -> None:
    network = tiny(batch=4)
    run = make_run("fednova", network, rounds=2, eta=0.1, local_steps={"epochs": 3})
    assert run.steps(0).tolist() == [6, 3, 9]
    drawn_anew = make_run("fedavg", network, rounds=9, eta=0.1,
                          local_steps={"epochs": [2, 5], "rounds": 9, "seed": 1})  # fmt: skip
    passes = drawn_anew.local_steps / np.array([2, 1, 3])
    assert set(np.unique(passes)) == {2, 3, 4, 5}
    for wrong in ({"epochs": 0}, {"epochs": [3, 2]}, {"epochs": [1, 2, 3]}, {"passes": 1}, {"epochs": "two"}):
        with pytest.raises(BoundkitError, match=r"epochs|local_steps"):
            make_run("fedavg", network, rounds=1, eta=0.1, local_steps=wrong)


def test_a_run_file_contains_the_seed_of_the_initial_weights() -> None:
    run = make_run("fedavg", tiny(batch=2), rounds=2, eta=0.1, x0={"seed": 3})
    written = run.to_json()
    assert written["x0"] == {"seed": 3}
    again = run_from_spec("fedavg", written)
    np.testing.assert_array_equal(simulate(again).mean("loss"), simulate(run).mean("loss"))
    other = make_run("fedavg", tiny(), rounds=2, eta=0.1, x0=(run.x0 + 1).tolist()).to_json()
    assert other["x0"] == (run.x0 + 1).tolist()
    for wrong, said in (({"seed": -1}, "seed"), ({"sed": 1}, "did you mean 'seed'"), ([1.0], "x0")):
        with pytest.raises(BoundkitError, match=said):
            make_run("fedavg", tiny(), rounds=2, eta=0.1, x0=wrong)


def test_a_data_set_by_name() -> None:
    spec = {
        "kind": "network", "data": "digits", "model": "softmax", "batch": 10,
        "partition": {"kind": "dirichlet", "num_partitions": 20, "alpha": 0.3, "seed": 1},
    }  # fmt: skip
    network = problem_from_spec(spec)
    assert (network.m, network.d) == (20, 650)
    again = problem_from_spec(network.to_json())
    assert again.to_json() == network.to_json()
    seen = simulate("fedavg", network, rounds=4, eta=0.5, local_steps=5, every=2, dtype="float32")
    assert seen.rounds.tolist() == [0, 2, 4]
    assert seen.mean("test_accuracy")[-1] > seen.mean("test_accuracy")[0] + 0.2
    assert seen.to_dict()["observed_at"] == [0, 2, 4]


def test_a_run_may_end_at_a_target() -> None:
    from dataclasses import replace

    network = tiny().leaner()
    whole = simulate("fedavg", network, rounds=60, eta=0.5)
    level = float(whole.mean("loss")[20])
    run = make_run("fedavg", network, rounds=60, eta=0.5)
    assert len(simulate(replace(run, until=("loss", level))).x) == 21
    accuracy = replace(run, until=("accuracy", float(whole.mean("accuracy").max())))
    reached = int(np.argmax(whole.mean("accuracy") >= whole.mean("accuracy").max()))
    assert len(simulate(accuracy).x) == reached + 1
    with pytest.raises(BoundkitError, match="has no test accuracy to wait for"):
        simulate(replace(run, until=("test_accuracy", 0.5)))


def test_fairness_and_accuracy_are_those_of_the_clients() -> None:
    network = tiny(test=points(9, 20), weights=[0.2, 0.5, 0.3])
    w = network.initial_point({"seed": 1})[None]
    seen, losses = network.observe(w), network.losses(w)
    assert seen["loss_spread"][0] ** 2 == pytest.approx(network.p @ (losses[0] - seen["loss"][0]) ** 2)
    X, labels = points(9, 20)
    right = network.architecture.correct(w, X[None], labels[None])
    assert seen["test_accuracy"][0] == pytest.approx(float(right.mean()))
    assert 0 <= seen["worst_accuracy"][0] <= seen["accuracy"][0] <= 1


def test_invalid_networks_are_refused_in_one_sentence() -> None:
    X, y = points(0, 4)
    for clients, said in (
        ([], "at least one client"),
        ([(X, y[:3])], "4 points, but 3 labels"),
        ([(X, y), (X[:, :1], y)], "points of one shape"),
        ([(X, y), (X[:0], y[:0])], "client 1 has no point"),
        ([(X.astype(str), y)], "must be numbers"),
    ):
        with pytest.raises(BoundkitError, match=said):
            Network(clients, "softmax")
    for settings, said in (
        ({"batch": 0}, "batch"), ({"order": "shufled"}, "did you mean 'shuffled'"), ({"l2": -1.0}, "l2"),
        ({"batch": 2, "noise": 1.0}, "the noise of a network is that of its mini-batches"),
    ):  # fmt: skip
        with pytest.raises(BoundkitError, match=said):
            Network([(X, y)], "softmax", **settings)


def test_points_are_converted_to_the_input_of_the_model() -> None:
    X, y = points(0, 6)
    counted = Network([((10 * X).astype(int), y)], "softmax")
    assert np.isfinite(counted.losses(counted.initial_point(None))).all()
    with pytest.raises(BoundkitError, match="a recurrent model reads whole numbers"):
        Network([(X, y)], "recurrent")
    text = np.random.default_rng(0).integers(0, 5, size=(6, 7))
    spoken = Network([(text[:, :-1], np.minimum(text[:, 1:], 3))], {"kind": "recurrent", "hidden": 3})
    assert np.isfinite(spoken.losses(spoken.initial_point(None))).all()  # token 4 is no label, but read it is
    odd = torch.nn.Linear(3, 2)
    with pytest.raises(BoundkitError, match="the module"):
        Network([(X, y)], odd)


@each("model", ["softmax", {"kind": "mlp", "hidden": [3]}])
@each(
    ("labels", "settings", "said"),
    [
        ([-1, 0, 1, 1], {}, "those of the clients are int64 from -1 to 1"),
        ([0, 1, 2, 1], {"classes": 2}, "from 0 to 1, but those of the clients are int64 from 0 to 2"),
        ([0.0, 1.0, 1.0, 0.0], {}, "are float64 from 0 to 1"),
        ([0, 1, 1, 0], {"test": (np.zeros((2, 2)), np.array([0, 4]))}, "those of the test points are int64"),
        ([0, 1, 1, 0], {"test": (np.zeros((2, 3)), np.array([0, 1]))}, r"shape of the clients' \(2,\), not"),
    ],
)
def test_labels_and_test_points_that_do_not_fit_are_refused(
    model: Any, labels: list[float], settings: dict[str, Any], said: str
) -> None:
    points = np.arange(8.0).reshape(4, 2)
    with pytest.raises(BoundkitError, match=said):
        Network([(points, np.array(labels))], model, **settings)


def test_clients_may_be_torch_data_sets() -> None:
    from torch.utils.data import DataLoader, TensorDataset

    pairs = [points(i, 5) for i in range(2)]
    sets = [TensorDataset(torch.as_tensor(X), torch.as_tensor(y)) for X, y in pairs]
    plain = Network(pairs, "softmax")
    both: tuple[list[Any], ...] = (sets, [DataLoader(own, batch_size=2) for own in sets])
    for clients in both:
        np.testing.assert_array_equal(Network(clients, "softmax").federation.X, plain.federation.X)
    with pytest.raises(BoundkitError, match="client 1 is a int"):
        Network([pairs[0], 3], "softmax")


def test_a_module_is_called_on_every_label() -> None:
    pairs = [points(0, 6), (points(1, 4)[0], np.array([0, 1, 5, 2]))]
    with pytest.raises(BoundkitError, match=r"the loss cannot be called on every label: .*5"):
        Network(pairs, torch.nn.Linear(2, 3), loss=torch.nn.CrossEntropyLoss())
