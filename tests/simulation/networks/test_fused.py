"""The fused kernel against steps with the hand-written gradients: in Triton's interpreter, and on a GPU."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest
import torch

from boundkit.simulation.networks import MLP, SoftmaxRegression, fused

R, N, MOST = 2, 3, 3
CASES = [((5, 6, 3), 3, False, 0.0), ((8, 40, 4), 1, True, 0.1), ((4, 64, 10), 4, True, 0.0)]
LARGER = [((64, 128, 10), 10, False, 0.0), ((60, 200, 16), 16, True, 0.1), ((33, 20, 2), 5, True, 0.0)]


def compare(widths: tuple[int, int, int], b: int, varied: bool, l2: float, device: str) -> None:
    """Assert that the kernel's updates are those of single steps in float64."""
    generator = torch.Generator().manual_seed(b)
    inputs, hidden, classes = widths
    network = MLP.from_fields({"hidden": [hidden]}, (inputs,), classes)
    x = torch.randn(R, network.d, generator=generator) / 2
    X, labels = (
        torch.randn(20, inputs, generator=generator),
        torch.randint(classes, (20,), generator=generator),
    )
    index = torch.randint(20, (R, N, MOST, b), generator=generator)
    weights = torch.rand(index.shape, generator=generator) if varied else None
    steps = torch.tensor([[1, 3, 2], [3, 2, 0]]) if varied else None
    rates = torch.tensor([0.3, 0.2, 0.1])
    on_device = None if weights is None else weights.to(device), None if steps is None else steps.to(device)
    data = X.to(device), labels.to(device)
    given = fused.local_updates(
        network, x.to(device), data, index.to(device), *on_device, rates.to(device), l2
    )

    y = x.double()[:, None].expand(R, N, -1).reshape(R * N, -1)
    share = torch.full(index.shape, 1 / b) if weights is None else weights
    for k in range(MOST):
        at = index[:, :, k].reshape(R * N, b)
        g = network.gradients(y, X.double()[at], labels[at], share[:, :, k].reshape(R * N, b).double())
        taken = torch.ones(R * N, 1) if steps is None else (steps > k).reshape(R * N, 1)
        y = y - taken * rates[k].double() * (g + l2 * y)
    expected = x.double()[:, None] - y.reshape(R, N, -1)
    error = (given.cpu().double() - expected).norm() / expected.norm()
    assert float(error) < 1e-5


def test_updates_in_the_interpreter() -> None:
    if find_spec("triton") is None:
        pytest.skip("Triton is not installed; torch brings it along with CUDA")
    code = "from tests.simulation.networks.test_fused import *\nfor case in CASES: compare(*case, 'cpu')"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"TRITON_INTERPRET": "1"},  # read when Triton is imported
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.gpu
@pytest.mark.parametrize("case", [*CASES, *LARGER])
def test_updates_on_a_gpu(case: tuple[tuple[int, int, int], int, bool, float]) -> None:
    compare(*case, "cuda")


def test_shapes_beyond_registers_are_not_served() -> None:
    assert fused.serves(MLP((64, 128, 10)), 10)
    for network, points in (
        (MLP((784, 128, 10)), 10),
        (MLP((64, 128, 10)), 32),
        (SoftmaxRegression((64, 10)), 4),
    ):
        assert not fused.serves(network, points)
    assert not fused.serves(MLP((64, 32, 32, 10)), 10)
