import torch

from boundkit.simulation.networks import MLP, Architecture, SoftmaxRegression

NETWORKS = [SoftmaxRegression((5, 3)), MLP((5, 7, 3)), MLP((5, 7, 6, 3)), MLP((600, 480, 3))]


def _same(a: torch.Tensor, b: torch.Tensor) -> None:
    torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-14)


def _points(network: Architecture, inputs: int, b: int) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(b)
    w = 0.3 * torch.randn(4, network.d, dtype=torch.float64, generator=generator)
    X = torch.randn(4, b, inputs, dtype=torch.float64, generator=generator)
    labels = torch.randint(0, 3, (4, b), generator=generator)
    return w, X, labels, torch.rand(4, b, dtype=torch.float64, generator=generator)


def test_a_tape_follows_changing_weights_and_batch_sizes() -> None:
    network = NETWORKS[1]
    w, *points = _points(network, 5, 4)
    gradient = network.gradient_at(w)
    for b in (4, 2, 4):
        w.mul_(0.5)
        some = [part[:, :b] for part in points]
        _same(gradient(*some), network.gradients(w, *some))
