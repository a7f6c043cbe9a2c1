"""FedAWE, FedAU and FedAvg under unequal availability: by enumeration, and by runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from boundkit.algebra.notation import chi2, mixing
from boundkit.analysis.client_values import homogeneous_form, substitute_clients
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.predict import predict
from boundkit.simulation.arrays import Array
from boundkit.theorems import theorem
from tests.cases import each, thinned

# --- FedAWE --------------------------------------------------------------------------------------------

FEDAWE = (
    "fedawe_nonconvex",
    "fedawe_nonconvex_auxiliary",
    "fedawe_consensus",
)


def gossip(chances: Array) -> float:
    """The second eigenvalue of the mean of the matrices that average those who come."""
    mean = np.zeros((chances.size, chances.size))
    for come, chance in rounds_of(chances):
        W = np.eye(chances.size)
        if come.any():
            W[np.ix_(come, come)] = 1 / come.sum()
        mean += chance * W
    return float(np.linalg.eigvalsh(mean)[-2])


def rounds_of(chances: Array) -> Iterator[tuple[NDArray[np.bool_], float]]:
    """All sets of those who come, with their chances."""
    for bits in product((False, True), repeat=chances.size):
        come = np.array(bits)
        yield come, float(np.prod(np.where(come, chances, 1 - chances)))


def mixing_of(clients: int, chance: float) -> float:
    given = {"m": clients, "availability": chance}
    return float(evaluate(homogeneous_form(theorem("fedawe_nonconvex")).definitions[mixing], given))


@each("clients", range(2, 9))
@each("chance", [0.1, 0.3, 0.75, 1.0])
def test_mixing_of_like_clients_by_enumeration(clients: int, chance: float) -> None:
    assert mixing_of(clients, chance) == pytest.approx(gossip(np.full(clients, chance)), abs=1e-14)


@dataclass(frozen=True)
class Wander:
    """FedAWE on (x - e_i)^2/2, in many runs at once."""

    e: Array
    chances: Array  # (period, m)
    tau: int
    eta: float
    eta_s: float
    noise: float
    rounds: int
    runs: int = 100

    def series(self, x0: float, seed: int) -> dict[str, float]:
        rng = np.random.default_rng(seed)
        clients = self.e.size
        x = np.full((self.runs, clients), x0)
        away = np.ones((self.runs, clients))
        keep = (1 - self.eta) ** self.tau
        noise = self.eta * self.noise * sqrt(sum((1 - self.eta) ** (2 * k) for k in range(self.tau)))
        sums = dict.fromkeys(("mean", "auxiliary", "spread"), 0.0)
        for t in range(self.rounds):
            z = x - self.eta * self.eta_s * self.tau * (away - 1) * (x - self.e)
            centre = self.e.mean()
            sums["mean"] += float(((x.mean(axis=1) - centre) ** 2).mean())
            sums["auxiliary"] += float(((z.mean(axis=1) - centre) ** 2).mean())
            sums["spread"] += float(x.var(axis=1).mean())
            come = rng.random((self.runs, clients)) < self.chances[t % len(self.chances)]
            update = (1 - keep) * (x - self.e) + noise * rng.normal(size=x.shape)
            moved = x - self.eta_s * away * update
            count = come.sum(axis=1, keepdims=True)
            mean = (moved * come).sum(axis=1, keepdims=True) / np.maximum(count, 1)
            x = np.where(come, mean, x)
            away = np.where(come, 1, away + 1)
        return {key: value / self.rounds for key, value in sums.items()}


@each("seed", thinned(range(6), 2))
def test_runs_of_fedawe_stay_below_all_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    clients, steps = int(rng.integers(3, 6)), int(rng.integers(1, 4))
    base = rng.uniform(0.4, 1, clients)
    dynamics = [1.0] if seed % 2 else [1.0, 0.8, 0.6, 0.8]  # unchanging, or rising and falling
    chances = np.outer(dynamics, base)
    rho, delta = max(gossip(row) for row in chances), float(chances.min())
    server = 1 + seed % 3
    client = min((1 - sqrt(rho)) / (1 + sqrt(rho)) * delta / (80 * steps * server), delta / (200 * steps))
    e = rng.normal(0, 1, clients)
    x0 = e.mean() + float(rng.choice([0.1, 3]))
    run = Wander(e, chances, steps, client, server, float(rng.choice([0, 1])), 2000)
    measured = run.series(x0, seed)
    values = {
        "m": clients, "T": run.rounds, "tau": steps, "eta": client, "eta_s": server, "L": 1, "beta": 1,
        "sigma": run.noise, "gap": (x0 - e.mean()) ** 2 / 2, "kappa": e.std(), "availability": delta,
        "availability_max": chances.max(), "mixing": rho,
    }  # fmt: skip
    auxiliary = {name: "auxiliary" for name in FEDAWE if "auxiliary" in name}
    for name, key in {**dict.fromkeys(FEDAWE, "mean"), **auxiliary, "fedawe_consensus": "spread"}.items():
        statement = theorem(name)
        assert all(bool(satisfied(c, values)) for c in (*statement.step_size, *statement.requires))
        ratio = measured[key] / float(evaluate(statement.bound.total, values))
        assert ratio <= 1
        if key != "spread":
            assert ratio > 0.001


# --- weights, known and unknown ------------------------------------------------------------------------


def direct(q: Array, omega: Array) -> dict[str, float]:
    w = omega * q / (omega * q).sum()
    return {
        "pull": float((omega * q).mean()),
        "share_noise": float((w**2 / q).sum()),
        "absence": float((w * (1 - q) / q).max()),
    }


@each("seed", range(5))
def test_what_fedau_derives_from_its_clients_by_direct_sums(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, omega = rng.uniform(0.05, 1, 7), rng.uniform(0.2, 9, 7)
    statement, _ = substitute_clients(
        theorem("fedau_nonconvex"), {"q_i": q.tolist(), "omega_i": omega.tolist()}
    )
    found = {letter.name: float(expr) for letter, expr in statement.definitions.items()}
    assert found == pytest.approx(direct(q, omega), rel=1e-12)
    right = direct(q, 1 / q)
    assert right == pytest.approx(
        {"pull": 1, "share_noise": (1 / q).mean() / 7, "absence": ((1 - q) / q).max() / 7}
    )
    ones = {"q_i": q.tolist()}
    weighted = predict(theorem("fedau_nonconvex"), **ones, omega_i=[1] * 7, eta=1e-3, sigma_g=2.0, tau=3)
    over_all = predict(theorem("fedavg_nonconvex_all"), **ones, eta=1e-3, sigma_g=2.0, tau=3)
    assert over_all.terms == pytest.approx(weighted.terms, rel=1e-12)


# --- where it settles ----------------------------------------------------------------------------------


def rest(q: Array, H: Array, e: Array, weigh: str) -> Array:
    """Where the mean of one gradient step a round is 0, over all sets of those who come; step and T gone."""
    A, b = np.zeros_like(H[0]), np.zeros(e.shape[1])
    for come, chance in rounds_of(q):
        shares = {"all": come / q.size, "active": come / max(come.sum(), 1), "known": come / q / q.size}[
            weigh
        ]
        A += chance * np.einsum("i,iab->ab", shares, H)
        b += chance * np.einsum("i,iab,ib->a", shares, H, e)
    return np.linalg.solve(A, b)


def clients_in_the_plane(seed: int, count: int) -> tuple[Array, Array, Array, Array]:
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(count, 2, 3))
    return (
        rng.uniform(0.05, 1, count),
        roots @ roots.transpose(0, 2, 1),
        rng.normal(0, 3, (count, 2)),
        rng.dirichlet(np.ones(count)),
    )


@each("seed", range(8))
@each("weigh", ["all", "active"])
def test_true_gradient_where_a_run_settles_is_within_the_bias(seed: int, weigh: str) -> None:
    q, H, e, p = clients_in_the_plane(seed, 2 + seed % 4)
    x = rest(q, H, e, weigh)
    gradients = np.einsum("iab,ib->ia", H, x - e)
    statement, _ = substitute_clients(theorem(f"fedavg_{weigh}_bias"), {"q_i": q.tolist(), "p_i": p.tolist()})
    w = q / q.sum()
    if weigh == "active":
        shares = sum(chance * come / max(come.sum(), 1) for come, chance in rounds_of(q))
        w = shares / shares.sum()
    assert np.abs(w @ gradients).max() < 1e-10 * np.abs(gradients).max()
    distance = float(statement.definitions[chi2])
    assert distance == pytest.approx(((p - w) ** 2 / w).sum(), rel=1e-12)
    kappa2 = float(w @ (gradients**2).sum(axis=1))
    assert float(((p @ gradients) ** 2).sum()) <= distance * kappa2 * (1 + 1e-12)


@each("weigh", ["all", "active"])
def test_the_bias_is_attained(weigh: str) -> None:
    """Minima at minus (p_i - w_i)/w_i, one Hessian: the clients pull as their weights are wrong."""
    q, p = np.array([0.9, 0.5, 0.2]), np.array([0.2, 0.5, 0.3])
    w = q / q.sum()
    if weigh == "active":
        shares = sum(chance * come / max(come.sum(), 1) for come, chance in rounds_of(q))
        w = shares / shares.sum()
    e = -((p - w) / w)[:, None]
    x = rest(q, np.ones((3, 1, 1)), e, weigh)
    gradients = (x - e)[:, 0]
    bound = predict(
        theorem(f"fedavg_{weigh}_bias"),
        q_i=q.tolist(),
        p_i=p.tolist(),
        kappa=float(np.sqrt(w @ gradients**2)),
    )
    assert bound.total == pytest.approx((p @ gradients) ** 2, rel=1e-12)


@each("cut", [1, 2, 7, 50])
def test_bias_of_the_cut_off_by_direct_sums(cut: int) -> None:
    q = np.array([0.9, 0.3, 0.02, 0.61])
    within = 1 - (1 - q) ** cut
    w = within / within.sum()
    wanted = ((0.25 - w) ** 2 / w).sum()
    found = predict(theorem("fedau_cutoff_bias"), q_i=q.tolist(), cutoff=cut, kappa=1.0).total
    assert found == pytest.approx(wanted, rel=1e-11)
    if cut == 1:
        assert found == pytest.approx(predict(theorem("fedavg_all_bias"), q_i=q.tolist(), kappa=1.0).total)


# --- orders, and MIFA ----------------------------------------------------------------------------------
