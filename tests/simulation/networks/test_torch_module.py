"""A user's module agrees with torch.nn for any reduction of its loss; unsupported modules are refused."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from boundkit.algebra import BoundkitError
from boundkit.simulation.networks import TorchModule
from tests.cases import each
from tests.simulation.networks.twins import CLASSES, TWINS, Reader, Twin

K, B = 2, 3


class Scaled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale


@pytest.fixture(params=[name for name, twin in TWINS.items() if not twin.architecture.tokens], name="twin")
def of_numbers(request: pytest.FixtureRequest) -> Twin:
    return TWINS[request.param]


def small() -> nn.Sequential:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, CLASSES))


def batches(dtype: torch.dtype = torch.float64) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Weights of ``small``, points, labels."""
    network = TorchModule(small())
    w = torch.as_tensor(np.stack([network.start(seed) for seed in range(K)])).to(dtype)
    return (w, *TWINS["mlp"].points(K, B, dtype))


def test_it_agrees_with_the_closed_form_network(twin: Twin) -> None:
    module, share = TorchModule(twin.module()), torch.rand(K, B, dtype=torch.float64)
    starts = torch.as_tensor(np.stack([twin.architecture.start(seed) for seed in range(K)]))
    flat = torch.stack([_of_module(twin.loaded(w)) for w in starts])
    X, labels = twin.points(K, B, torch.float64)
    for ask in ("point_losses", "correct"):
        mine, known = (
            getattr(n, ask)(w, X, labels) for n, w in ((module, flat), (twin.architecture, starts))
        )
        torch.testing.assert_close(mine, known, rtol=1e-12, atol=0)
    found = module.gradients(flat, X, labels, share)
    known = twin.architecture.gradients(starts, X, labels, share)
    named = [dict(zip(module.named_shapes, module.blocks(row[None]), strict=True)) for row in found]
    turned = torch.stack([twin.flat({n: block[0] for n, block in row.items()}) for row in named])
    assert (turned - known).abs().max() <= 1e-10 * known.norm(dim=1).min()


def _of_module(module: nn.Module) -> torch.Tensor:
    return torch.cat([p.detach().reshape(-1) for p in module.parameters()])


@pytest.mark.parametrize("cell", [nn.RNN, nn.GRU])
def test_layers_without_a_vmap_rule_are_evaluated_one_by_one(cell: Any) -> None:
    twin = TWINS["recurrent" if cell is nn.GRU else "recurrent, tanh"]
    w = torch.as_tensor(np.stack([twin.architecture.start(seed) for seed in range(K)]))
    X, labels = twin.points(K, B, torch.float64)
    module = TorchModule(Reader(3, 4, cell))
    flat = torch.stack([_of_module(twin.loaded(own)) for own in w])
    losses = module.point_losses(flat, X, labels)
    torch.testing.assert_close(losses, twin.architecture.point_losses(w, X, labels), rtol=1e-12, atol=0)
    correct = module.correct(flat, X, labels)
    torch.testing.assert_close(correct, twin.architecture.correct(w, X, labels), rtol=1e-12, atol=0)


def test_any_reduction_of_a_loss_gives_the_same() -> None:
    w, X, labels = batches()
    expected = TorchModule(small()).point_losses(w, X, labels)
    for reduction in ("mean", "sum", "none"):
        own = TorchModule(small(), nn.CrossEntropyLoss(reduction=reduction))
        torch.testing.assert_close(own.point_losses(w, X, labels), expected, rtol=1e-12, atol=0)


def test_a_regression_loss_has_no_accuracy() -> None:
    w, X, _ = batches()
    values = torch.rand(K, B, CLASSES, dtype=torch.float64)
    network = TorchModule(small(), nn.functional.mse_loss)
    wanted = torch.stack(
        [(torch.func.functional_call(small(), _named(own), (x,)) - v).square().mean(-1)
         for own, x, v in zip(w, X, values, strict=True)]
    )  # fmt: skip
    torch.testing.assert_close(network.point_losses(w, X, values), wanted, rtol=1e-12, atol=0)
    assert network.correct(w, X, values).isnan().all()


def _named(w: torch.Tensor) -> dict[str, torch.Tensor]:
    network = TorchModule(small())
    return {n: b[0] for n, b in zip(network.named_shapes, network.blocks(w[None]), strict=True)}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_parameters_and_buffers_take_the_precision_of_the_weights(dtype: torch.dtype) -> None:
    module = nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.Linear(4, CLASSES)).eval()
    network = TorchModule(module)
    X, labels = TWINS["mlp"].points(K, B, dtype)
    w = torch.as_tensor(network.start()).to(dtype).expand(K, -1)
    assert network.point_losses(w, X, labels).dtype == dtype
    assert network.gradients(w, X, labels, torch.ones(K, B, dtype=dtype)).dtype == dtype
    same = copy.deepcopy(module).to(dtype)
    wanted = nn.functional.cross_entropy(same(X[1]), labels[1], reduction="none")
    torch.testing.assert_close(network.point_losses(w, X, labels)[1], wanted.detach(), rtol=1e-6, atol=0)


def test_frozen_and_shared_parameters() -> None:
    """What requires no gradient is no weight; a matrix that two layers share is one block."""
    first, second = nn.Linear(4, 4).double(), nn.Linear(4, 4).double()
    second.weight = first.weight
    first.bias.requires_grad_(False)
    module = nn.Sequential(first, second)
    network = TorchModule(module)
    assert network.named_shapes == {"0.weight": (4, 4), "1.bias": (4,)}
    X, labels = torch.rand(1, B, 4, dtype=torch.float64), torch.randint(4, (1, B))
    w = torch.as_tensor(network.start())[None]
    loss = nn.functional.cross_entropy(module(X[0]), labels[0])
    wanted = torch.autograd.grad(loss, [first.weight, second.bias])
    found = network.gradients(w, X, labels, torch.full((1, B), 1 / B, dtype=torch.float64))
    torch.testing.assert_close(found[0], torch.cat([g.reshape(-1) for g in wanted]), rtol=1e-12, atol=1e-15)


def test_initial_weights_are_its_own_or_those_of_a_seed() -> None:
    module = small()
    before, state = _of_module(module).double().numpy(), torch.random.get_rng_state()
    network = TorchModule(module)
    assert np.array_equal(network.start(), before)
    drawn = network.start(5)
    assert np.array_equal(drawn, network.start(5))
    assert not np.array_equal(drawn, network.start(6))
    assert not np.array_equal(drawn, before)
    assert abs(drawn).max() <= 4**-0.5
    assert np.array_equal(_of_module(module).double().numpy(), before)  # the module itself is left alone
    assert torch.equal(torch.random.get_rng_state(), state)
    torch.manual_seed(5)
    for layer in (module[2], module[0]):
        layer.reset_parameters()  # type: ignore[operator]
    torch.random.set_rng_state(state)
    assert np.array_equal(_of_module(module).double().numpy(), drawn)


def test_a_module_takes_numpy_arrays() -> None:
    w, X, labels = batches()
    network, share = TorchModule(small()), torch.full((1, 1), 1 / B, dtype=torch.float64).expand(K, B)
    arrays = [t.numpy() for t in (w, X, labels, share)]
    for method, count in ((network.point_losses, 3), (network.correct, 3), (network.gradients, 4)):
        found = method(*arrays[:count])
        assert isinstance(found, np.ndarray)
        np.testing.assert_array_equal(found, method(*(w, X, labels, share)[:count]))


def batch_norm() -> nn.Module:
    return nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4))


@each(
    ("make", "says"),
    [
        (batch_norm, r"the layer '1' \(BatchNorm1d\) takes statistics of the batch .* eval\(\)"),
        (lambda: nn.BatchNorm1d(6), r"the module \(BatchNorm1d\) takes statistics"),
        (lambda: nn.BatchNorm1d(6, track_running_stats=False).eval(), "no statistics but those of a batch"),
        (lambda: nn.Sequential(small(), nn.Dropout(0.1)), r"the layer '1' \(Dropout\) draws at random"),
        (lambda: nn.GRU(2, 3, 2, dropout=0.5), r"the module \(GRU\) draws at random"),
        (lambda: nn.MultiheadAttention(4, 2, dropout=0.5), r"\(MultiheadAttention\) draws at random"),
        (lambda: nn.RReLU(), "draws at random"),
        (lambda: nn.ReLU(), "no parameter that requires a gradient"),
        (lambda: nn.LazyLinear(3), "'weight' has no shape yet"),
        (lambda: nn.Linear(2, 3, dtype=torch.complex64), r"'weight' is of torch\.complex64"),
        (lambda: nn.functional.relu, "must be a torch.nn.Module, but it is a "),
    ],
)
@pytest.mark.filterwarnings("ignore:Lazy modules are a new feature:UserWarning")  # refused, not used
def test_unsupported_modules(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(BoundkitError, match=says):
        TorchModule(make())


class Odd(nn.Module):
    """Does ``what`` with the scores."""

    def __init__(self, what: Callable[[torch.Tensor], Any]) -> None:
        super().__init__()
        self.inner, self.what = small(), what
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> Any:
        return self.what(self.inner(x))


class Counting(Odd):
    seen: torch.Tensor

    def forward(self, x: torch.Tensor) -> Any:
        self.seen += 1
        return self.inner(x)


@each(
    ("module", "loss", "says"),
    [
        (Odd(lambda z: z + torch.rand(())), None, "gives other outputs, or has other buffers"),
        (Counting(lambda z: z), None, "gives other outputs, or has other buffers"),
        (Odd(lambda z: (z, z)), None, "the module must give one tensor, but it gives a tuple"),
        (nn.Linear(7, 3), None, r"the module cannot be called on one point, \(1, 6\) of float64: "),
        (Odd(lambda z: z[:, 0]), None, r"a point has the output \(1,\) of float64 .* give a loss"),
        (Odd(lambda z: z[:, :1]), None, "two classes or more"),
        (Odd(lambda z: z), lambda z, y: z, r"loss must give one number for one point .* gives \(1, 5\)"),
        (Odd(lambda z: z), lambda z, y: 0.0, "the loss must give one tensor, but it gives a float"),
        (small(), lambda z, y: nn.functional.cross_entropy(z, y[:, None]), r"the loss cannot be called .*: "),
    ],
)
def test_inconsistent_points_and_losses(module: nn.Module, loss: Any, says: str) -> None:
    _, X, labels = batches()
    network = TorchModule(module, loss)
    w = torch.as_tensor(network.start()).expand(K, -1)
    with pytest.raises(BoundkitError, match=says):
        network.point_losses(w, X, labels)
    with pytest.raises(BoundkitError, match=says):  # not only the first time
        network.correct(w, X, labels)


def test_a_seed_needs_reset_parameters() -> None:
    network = TorchModule(nn.Sequential(Scaled(), small()))
    assert network.start()[:6].tolist() == [1.0] * 6
    with pytest.raises(BoundkitError, match=r"^the layer '0' \(Scaled\) has weights but no reset_parameters"):
        network.start(0)


def test_deterministic_layers_are_allowed() -> None:
    TorchModule(batch_norm().eval())
    TorchModule(nn.Sequential(small(), nn.Dropout(0.0)))
    TorchModule(nn.Sequential(small(), nn.Dropout(0.5)).eval())
    TorchModule(nn.GRU(2, 3, 2, dropout=0.5).eval())
    TorchModule(nn.InstanceNorm1d(3, affine=True))
