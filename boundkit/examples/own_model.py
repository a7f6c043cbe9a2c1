"""A model of one's own for ``boundkit diagnose examples/own_model.py``: a torch module, a loss, clients' data."""

import torch

generator = torch.Generator().manual_seed(0)
torch.manual_seed(0)


def client(i: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Thirty points of a line with a slope of the client's own; the later the client, the farther it looks."""
    x = torch.rand(30, 1, generator=generator) + 0.3 * i
    return x, (1 + 0.4 * i) * x + 0.1 * torch.randn(30, 1, generator=generator)


model = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
loss = torch.nn.MSELoss()
clients = [client(i) for i in range(6)]
settings = {
    "rounds": 30,
    "eta": 0.05,
    "local_steps": 8,
    "batch": 5,
    "participation": {"kind": "uniform", "C": 0.5},
}
