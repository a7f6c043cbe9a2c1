r"""Synthetic(alpha, beta): heterogeneous classification data, by FedProx's published generator.

Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith 2020 (arXiv 1812.06127), section 5.1 and the published code.
For every client k: a mean level B_k ~ N(0, beta^2) and means v_k ~ N(B_k, 1) of the features; features
x ~ N(v_k, Sigma) with the diagonal Sigma_jj = j^(-1.2); a model level u_k ~ N(0, alpha^2), weights and
intercepts W_k, b_k ~ N(u_k, 1); labels y = argmax softmax(W_k' x + b_k). Sizes are the integer part of a
lognormal(4, 2) number, plus 50. So alpha controls the heterogeneity of the clients' models, and beta that
of their data.

The paper writes N(0, alpha) and N(0, beta); the code draws with standard deviations alpha and beta, and so
does this implementation. For 0 and 1 they agree. The code reserves a tenth of each client's points for
testing; here all are used for training. Its streams are not seeded, so its draws cannot be reproduced.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.arrays import Array


@dataclass(frozen=True)
class Data:
    """A client's points: features with a last column of ones, (n, features + 1), and labels, (n,)."""

    X: Array
    y: NDArray[np.intp]


def synthetic_sizes(clients: int, seed: int) -> NDArray[np.intp]:
    """The number of points of each client: integer parts of lognormal(4, 2), plus 50."""
    return np.random.default_rng([seed, 0]).lognormal(4.0, 2.0, clients).astype(np.intp) + 50


def synthetic(
    alpha: float, beta: float, sizes: NDArray[np.intp], seed: int, features: int = 60, classes: int = 10
) -> list[Data]:
    """The data of every client. A client's data do not depend on the sizes of the others."""
    spread = np.arange(1, features + 1) ** -0.6
    made = []
    for k, n in enumerate(sizes):
        rng = np.random.default_rng([seed, 1, k])
        u, B = alpha * rng.standard_normal(), beta * rng.standard_normal()
        v = B + rng.standard_normal(features)
        W, b = u + rng.standard_normal((features, classes)), u + rng.standard_normal(classes)
        x = v + spread * rng.standard_normal((int(n), features))
        made.append(Data(np.hstack([x, np.ones((len(x), 1))]), np.argmax(x @ W + b, axis=1)))
    return made
