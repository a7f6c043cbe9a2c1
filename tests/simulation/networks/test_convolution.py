"""A convolution with its pooling against torch's, down to the gradient of the images, where equals meet."""

import torch
from torch import nn

from boundkit.simulation.networks.cnn import Convolution
from tests.cases import each

K, B = 2, 3


@each("even", [True, False])
@each(
    ("channels", "height", "width", "filters", "kernel"), [(1, 8, 8, 4, 3), (2, 5, 7, 3, 5), (3, 2, 2, 2, 1)]
)
def test_maps_and_gradients(
    even: bool, channels: int, height: int, width: int, filters: int, kernel: int
) -> None:
    """An even surface is a tie in every window: the first counts, and the image's gradient shows which."""
    draw = torch.Generator().manual_seed(2)

    def drawn(*shape: int) -> torch.Tensor:
        return torch.rand(shape, generator=draw, dtype=torch.float64)

    one = Convolution(channels, height, width, filters, kernel)
    weights = drawn(K, filters, channels, kernel, kernel) - 0.3
    bias = drawn(K, filters) - 0.3
    if even:
        weights = (8 * weights).round()  # whole numbers add up alike in any order, so that equals are equal
    shape = (K, channels, height, width, B)
    images = torch.ones(shape, dtype=torch.float64) if even else drawn(*shape)
    seen = one.forward(weights, bias, images)
    delta = drawn(*seen.maps.shape)
    found = [torch.empty_like(weights), torch.empty_like(bias)]
    of_outputs = one.backward(seen, delta, found)
    of_images = one.to_images(weights, of_outputs)
    given = [t.clone().requires_grad_() for t in (weights, bias, images)]
    maps = one.maps(*given)
    torch.testing.assert_close(maps, seen.maps, rtol=1e-13, atol=1e-15)
    by_graph = torch.autograd.grad((maps * delta).sum(), given)
    for k in range(K):
        own, its, seen_by = (t[k].clone().requires_grad_() for t in (weights, bias, images))
        z = nn.functional.conv2d(seen_by.movedim(-1, 0), own, its, padding="same")
        wanted = nn.functional.max_pool2d(z.relu(), 2).movedim(0, -1)
        torch.testing.assert_close(maps[k], wanted, rtol=1e-12, atol=1e-15)
        gradients = torch.autograd.grad((wanted * delta[k]).sum(), [own, its, seen_by])
        for mine, graph, theirs in zip((*found, of_images), by_graph, gradients, strict=True):
            torch.testing.assert_close(mine[k], theirs, rtol=1e-12, atol=1e-13)
            torch.testing.assert_close(graph[k], theirs, rtol=1e-12, atol=1e-13)
