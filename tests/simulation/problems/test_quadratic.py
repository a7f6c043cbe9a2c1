"""Constants and observables of quadratics against brute force."""

import numpy as np
import pytest

from boundkit.simulation.engines import ExactEngine, StepEngine
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import OBSERVABLES
from boundkit.simulation.run import make_run
from boundkit.verification.constants import measure_constants
from tests.cases import each
from tests.simulation.hessians import CURVATURES, hessian, matrices


def random_problem(seed: int, curvature: str) -> Quadratic:
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(2, 7)), int(rng.integers(1, 5))
    H = [hessian(rng, d, curvature, i) for i in range(m)]
    return Quadratic(H, rng.normal(size=(m, d)), rng.dirichlet(np.ones(m)), noise=0.3)


@each("curvature", CURVATURES)
@each("seed", range(2))
def test_observables_are_their_definitions(seed: int, curvature: str) -> None:
    q = random_problem(seed, curvature)
    H, p, e = matrices(list(q.H), q.d), q.p, q.e
    x = 3 * np.random.default_rng(seed).normal(size=(20, q.d))
    gradients = np.stack([(x - c) @ h for h, c in zip(H, e, strict=True)])  # (m, 20, d)
    mean = np.tensordot(p, gradients, 1)
    loss = sum(w / 2 * np.einsum("ni,ij,nj->n", x - c, h, x - c) for w, h, c in zip(p, H, e, strict=True))
    best = np.linalg.solve(sum(w * h for w, h in zip(p, H, strict=True)),
                           sum(w * h @ c for w, h, c in zip(p, H, e, strict=True)))  # fmt: skip
    least = sum(w / 2 * (best - c) @ h @ (best - c) for w, h, c in zip(p, H, e, strict=True))
    expected = {
        "loss": loss,
        "loss_gap": loss - least,
        "gradient_norm_squared": (mean**2).sum(1),
        "distance_squared": ((x - best) ** 2).sum(1),
        "dissimilarity": np.tensordot(p, ((gradients - mean) ** 2).sum(2), 1),
    }
    assert set(expected) == set(OBSERVABLES)
    observed = q.observe(x)
    for name, values in expected.items():
        np.testing.assert_allclose(observed[name], values, rtol=1e-10, atol=1e-11, err_msg=name)


@each("curvature", CURVATURES)
@each("seed", range(2))
def test_constants_are_the_suprema(seed: int, curvature: str) -> None:
    q = random_problem(seed, curvature)
    x0 = np.full(q.d, 2.0)
    found = q.constants(x0)
    spectrum = np.concatenate([np.linalg.eigvalsh(h) for h in matrices(list(q.H), q.d)])
    assert found["L"].value == pytest.approx(np.abs(spectrum).max(), rel=1e-12)
    assert found["mu"].value == pytest.approx(spectrum.min(), rel=1e-10)
    start = q.observe(x0)
    assert found["gap"].value == pytest.approx(float(start["loss_gap"]))
    assert found["distance"].value ** 2 == pytest.approx(float(start["distance_squared"]))
    assert found["sigma"].value == 0.3
    assert all(c.trust == "exact" for c in found.values())
    assert "sigma_g" not in found  # different Hessians: no constant holds everywhere


@each("scale", [1.0, 1e-9, 1e9])
@each("dense", [False, True])
def test_shared_hessians_have_a_constant_dissimilarity_at_any_scale(dense: bool, scale: float) -> None:
    q = Quadratic.random(5, 3, seed=1, dense=dense, shared=True)
    q = Quadratic(list(scale * q.H), q.e)
    h = matrices(list(q.H), 3)[0]
    expected = (((q.e - q.e.mean(0)) @ h) ** 2).sum(1).mean()
    assert q.constants(np.zeros(3))["sigma_g"].value ** 2 == pytest.approx(expected, rel=1e-12)
    for x in np.random.default_rng(0).normal(size=(5, 3)) * 1e6:
        assert float(q.observe(x)["dissimilarity"]) == pytest.approx(expected, rel=1e-9)


def test_local_dissimilarity_is_the_largest_at_the_iterates_of_the_proof() -> None:
    """Everything is deterministic: sup over x_0, ..., x_(T-1) of the definition, x_T left out."""
    q = random_problem(5, "dense")
    run = make_run("fedavg", q, rounds=6, eta=0.3, local_steps=4, x0=np.full(q.d, -4.0))
    run.problem.noise = 0.0
    for engine in (ExactEngine, StepEngine):
        seen = engine(run).trajectory()
        H = matrices(list(q.H), q.d)
        along = []
        for x in seen.x:
            g = np.stack([h @ (x - c) for h, c in zip(H, q.e, strict=True)])
            along.append(q.p @ ((g - q.p @ g) ** 2).sum(1))
        found = measure_constants(run, seen)["sigma_g"]
        assert found.trust == "local"
        assert found.value**2 == pytest.approx(max(along[:-1]), rel=1e-10)


def test_flat_directions_have_a_gap_but_no_optimum() -> None:
    flat = Quadratic([[1.0, 0.0], [2.0, 0.0]], [[1.0, 5.0], [1.0, -5.0]])
    found = flat.constants(np.array([3.0, 7.0]))
    assert "distance" not in found
    assert "mu" not in found
    assert found["gap"].value == pytest.approx(3.0)
    assert flat.convexity() == (True, "")


@pytest.mark.parametrize("scale", [1e-9, 1.0])
def test_different_hessians_are_distinguished_from_shared_ones_at_any_scale(scale: float) -> None:
    q = Quadratic([scale, 3 * scale], [[0.0], [1.0]])
    assert "sigma_g" not in q.constants(np.zeros(1))
