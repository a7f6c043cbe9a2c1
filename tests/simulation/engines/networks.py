"""A small network on the data of six heterogeneous clients, and algorithms that keep unlike things."""

from typing import Any

import numpy as np

from boundkit.simulation.problems import Network

SIZES = (3, 9, 4, 14, 1, 6)
EQUAL, UNEQUAL = 3, [1, 4, 2, 5, 3, 3]
CASES: list[tuple[str, dict[str, Any]]] = [
    ("fedavg", {}),
    ("fedavg", {"momentum": 0.5, "server_momentum": 0.5}),
    ("fedprox", {"mu": 0.1}),
    ("scaffold", {}),
    ("scaffold", {"variant": "I"}),
    ("fednova", {"momentum": 0.5, "variance_reduction": True}),
    ("mifa", {"wait": False}),
    ("fedau", {}),
    ("celgc", {"gamma": 0.05}),
]


def network(order: str = "independent", batch: int | None = 4, l2: float = 0.0, **more: Any) -> Network:
    generator = np.random.default_rng(0)
    clients = [
        (generator.normal(size=(n, 5)) + i / 3, generator.integers(0, 3, n)) for i, n in enumerate(SIZES)
    ]
    model = {"kind": "mlp", "hidden": [6]}
    return Network(clients, model, batch=batch, order=order, l2=l2, classes=3, **more)
