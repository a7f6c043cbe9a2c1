"""Contract of all architectures: losses and gradients are those of the layers of torch.nn."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from boundkit.simulation.networks import architecture
from tests.cases import each
from tests.simulation.networks.twins import CLASSES, TWINS, Twin

K, B = 3, 4


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)  # small products: threads would only synchronise
    yield
    torch.set_num_threads(before)


@pytest.fixture(params=TWINS, name="twin")
def of_every_kind(request: pytest.FixtureRequest) -> Twin:
    return TWINS[request.param]


def weights(twin: Twin, count: int = K) -> torch.Tensor:
    return torch.as_tensor(np.stack([twin.architecture.start(seed) for seed in range(count)]))


def by_torch(twin: Twin, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor, share: Any) -> torch.Tensor:
    """The gradients of the modules, one after the other."""
    rows = []
    for own, x, label, part in zip(w, X, labels, share, strict=True):
        module = twin.loaded(own)
        loss = (part * twin.losses(module, x, label)).sum()
        found = torch.autograd.grad(loss, list(module.parameters()))
        names = [name for name, _ in module.named_parameters()]
        rows.append(twin.flat(dict(zip(names, found, strict=True))))
    return torch.stack(rows)


def test_losses_and_accuracies_are_those_of_torch(twin: Twin) -> None:
    assert twin.architecture.d == sum(p.numel() for p in twin.module().parameters())
    w, (X, labels) = weights(twin), twin.points(K, B, torch.float64)
    losses = twin.architecture.point_losses(w, X, labels)
    correct = twin.architecture.correct(w, X, labels)
    for k in range(K):
        module = twin.loaded(w[k])
        torch.testing.assert_close(losses[k], twin.losses(module, X[k], labels[k]), rtol=1e-13, atol=0)
        right = (module(X[k]).argmax(-1) == labels[k]).double().reshape(B, -1).mean(1)
        torch.testing.assert_close(correct[k], right, rtol=1e-15, atol=0)
    assert 0 < correct.mean() < 1


@each(("dtype", "largest"), [(torch.float64, 1e-10), (torch.float32, 1e-5)])
def test_gradients_are_those_of_torch(twin: Twin, dtype: torch.dtype, largest: float) -> None:
    for count, b in ((K, B), (1, B), (K, 1), (1, 1)):
        w, (X, labels) = weights(twin, count).to(dtype), twin.points(count, b, dtype)
        share = torch.rand(count, b, generator=torch.Generator().manual_seed(1)).to(dtype)
        found = twin.architecture.gradients(w, X, labels, share)
        expected = by_torch(twin, w, X, labels, share)
        assert found.dtype == dtype
        assert (found - expected).abs().max() <= largest * expected.norm(dim=1).min(), (count, b)


@each(("dtype", "largest"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_numpy_and_torch_agree(twin: Twin, dtype: torch.dtype, largest: float) -> None:
    network, w, (X, labels) = twin.architecture, weights(twin).to(dtype), twin.points(K, B, dtype)
    share = torch.rand(K, B, generator=torch.Generator().manual_seed(1)).to(dtype)
    arrays = [t.numpy() for t in (w, X, labels, share)]
    for method in (network.point_losses, network.correct, network.outcomes):
        expected = method(w, X, labels)
        found = method(*arrays[:3])
        assert found.dtype == arrays[0].dtype
        np.testing.assert_allclose(found, expected, rtol=largest)
    expected = network.gradients(w, X, labels, share)
    bound = largest * float(expected.norm(dim=1).min())
    for found in (network.gradients(*arrays), network.gradient_at(arrays[0])(*arrays[1:])):
        assert found.dtype == arrays[0].dtype
        assert abs(found - expected.numpy()).max() <= bound


def test_batches_are_independent(twin: Twin) -> None:
    w, (X, labels) = weights(twin), twin.points(K, B, torch.float64)
    share = torch.rand(K, B, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    share[:, 2:] = 0
    both = twin.architecture.gradients(w, X, labels, share)
    alone = twin.architecture.gradients(w, X[:, :2], labels[:, :2], share[:, :2])
    torch.testing.assert_close(both, alone, rtol=1e-12, atol=1e-15)
    together = twin.architecture.gradients(w, X, labels, share)
    for k in range(K):
        one = slice(k, k + 1)
        alone = twin.architecture.gradients(w[one], X[one], labels[one], share[one])
        torch.testing.assert_close(together[one], alone, rtol=1e-12, atol=1e-15)


def test_hessian_vector_product_is_the_derivative_of_the_gradient(twin: Twin) -> None:
    w, (X, labels) = weights(twin, 2), twin.points(2, B, torch.float64)
    v = torch.randn(w.shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    share = torch.full((2, B), 0.25, dtype=torch.float64)
    leaf = w.clone().requires_grad_()
    loss = (share * twin.architecture.point_losses(leaf, X, labels)).sum()
    (first,) = torch.autograd.grad(loss, leaf, create_graph=True)
    (found,) = torch.autograd.grad((first * v).sum(), leaf)
    step = 1e-6  # so small that no ReLU and no pooling switches in between
    ahead, behind = (twin.architecture.gradients(w + s * v, X, labels, share) for s in (step, -step))
    slope = (ahead - behind) / (2 * step)
    assert found.norm() > 1e-3
    assert (found - slope).norm() <= 1e-7 * found.norm()


def test_initial_weights_depend_on_the_seed_and_have_the_scale_of_torch(twin: Twin) -> None:
    """Of each block, the mean square over many starts, and the largest, against the module's own start."""
    starts = np.stack([twin.architecture.start(seed) for seed in range(200)])
    assert starts.shape == (200, twin.architecture.d)
    assert np.array_equal(starts[3], twin.architecture.start(3))
    assert not np.array_equal(starts[3], starts[4])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        ours = torch.stack([twin.flat(dict(twin.module().named_parameters())).detach() for _ in range(200)])
    blocks = (twin.architecture.blocks(t) for t in (torch.as_tensor(starts), ours.double()))
    for mine, theirs in zip(*blocks, strict=True):
        a, b = mine.numpy(), theirs.numpy()
        assert abs(a.mean()) <= 4 * b.std() / b.size**0.5
        assert np.square(a).mean() == pytest.approx(np.square(b).mean(), rel=0.15)
        assert abs(a).max() == pytest.approx(abs(b).max(), rel=0.3)


def test_json_round_trip(twin: Twin) -> None:
    made = architecture(twin.architecture.to_json(), twin.point, CLASSES)
    assert type(made) is type(twin.architecture)
    assert made.shapes == twin.architecture.shapes
    assert made.to_json() == twin.architecture.to_json()
