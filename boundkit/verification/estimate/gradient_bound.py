"""G: how long stochastic gradients are."""

from __future__ import annotations

import numpy as np

from boundkit.verification.estimate.context import Scene
from boundkit.verification.estimate.measurement import Measured, exactly
from boundkit.verification.estimate.noise import variances_at


def _second_moment(scene: Scene) -> Measured:
    """The root of the largest E||g_i||^2 = ||grad F_i||^2 + sigma_i^2 of any client."""
    noise, _ = variances_at(scene)
    squares = np.array(
        [(scene.problem.client_gradients(scene.points[k][None])[0] ** 2).sum(axis=1) for k in scene.few]
    )
    how = "root of the largest E||g||^2 of any client, at the server's models only; exact at these points"
    return exactly(float((squares + noise).max()) ** 0.5, scene.at(scene.few), how)


ESTIMATES = {"G": _second_moment}
