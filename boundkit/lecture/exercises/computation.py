"""Exercises on unequal numbers of local steps."""

import numpy as np
from sympy import Rational

from boundkit.analysis.predict import predict
from boundkit.lecture.worked_examples import Values, choose
from boundkit.theorems import theorem


def surrogate(rng: np.random.Generator) -> Values:
    """The surrogate objective of three clients with unequal local steps."""
    weights = [[0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0.25, 0.25, 0.5]][int(rng.integers(3))]
    steps, e = _local_steps(rng), [int(e) for e in rng.choice(np.arange(-9, 10), size=3, replace=False)]
    p = [Rational(str(x)) for x in weights]
    total = sum(x * k for x, k in zip(p, steps, strict=True))
    w = [x * k / total for x, k in zip(p, steps, strict=True)]
    limit = sum(x * y for x, y in zip(w, e, strict=True))
    return {
        "p": weights, "tau": steps, "e": e, "total": total, "w": w, "surrogate_optimum": limit,
        "optimum": sum(x * y for x, y in zip(p, e, strict=True)), "limit": float(limit),
    }  # fmt: skip


def inconsistency(rng: np.random.Generator) -> Values:
    """The bound on the squared gradient at the surrogate's optimum."""
    steps = _local_steps(rng)
    w = [Rational(k, sum(steps)) for k in steps]
    return {
        "tau": steps, "w": w, "summands": [(Rational(1, 3) - x) ** 2 / x for x in w],
        "chi2": float(predict(theorem("fedavg_surrogate_optimum"), tau_i=steps, kappa=1).total),
        "kappa": choose(rng, 0.5, 2, 3),
    }  # fmt: skip


def finite_step(rng: np.random.Generator) -> Values:
    """FedAvg's limit for two clients at a step size that is not small."""
    steps, eta = _local_steps(rng, 2), choose(rng, 0.05, 0.1, 0.2, 0.3)
    e = int(choose(rng, 10, 20, 100))
    K = [1 - (1 - eta) ** k for k in steps]
    return {"tau": steps, "eta": eta, "e": e, "K": K, "limit": e * K[1] / sum(K)}


def normalised_noise(rng: np.random.Generator) -> Values:
    """The noise factor of FedNova relative to plain averaging."""
    steps = _local_steps(rng)
    derived = predict(theorem("fednova_nonconvex_surrogate"), tau_i=steps, eta=0.001, L=1).derived
    return {
        "tau": steps, "mean": Rational(sum(steps), 3), "mean_inverse": sum(Rational(1, k) for k in steps) / 3,
        "A": float(derived["A_noise"]),
    }  # fmt: skip


def momentum_weight(rng: np.random.Generator) -> Values:
    """The weight of a client in the surrogate objective under local momentum."""
    rho = Rational(int(choose(rng, 5, 8, 9)), 10)
    steps = [int(choose(rng, 2, 3, 4)), int(choose(rng, 5, 6, 8))]
    norms = [sum((1 - rho ** (k - s)) / (1 - rho) for s in range(k)) for k in steps]
    return {
        "tau": steps, "rho": float(rho), "a": [float(norm) for norm in norms],
        "weight": float(norms[1] / sum(norms)),
    }  # fmt: skip


def _local_steps(rng: np.random.Generator, clients: int = 3) -> list[int]:
    return sorted(int(k) for k in rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12], size=clients, replace=False))
