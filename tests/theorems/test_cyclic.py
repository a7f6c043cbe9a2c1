"""Cyclic participation: the theory's formulas written a second time, and exact moments on quadratics.

With a shared diagonal Hessian h a group maps each coordinate to (1 - r) x + r (mean of its e_k), with r =
1 - (1 - eta h)^tau; C m of the n clients of a group without replacement add the share f = (n - C m)/(C m
(n - 1)) of the group's variance, times r^2, and noise adds its own. Means and variances are then exact,
and so is E F at the end of every cycle.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from sympy import Expr, Rational, exp, log, simplify

from boundkit.algebra.notation import (
    C,
    L,
    T,
    c_1,
    c_2,
    c_3,
    c_4,
    c_5,
    eta,
    gap,
    groups,
    m,
    mu_pl,
    sigma,
    sigma_between,
    sigma_g,
    sigma_within,
    tau,
)
from boundkit.analysis.check.context import admissible
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.rate import rate
from boundkit.simulation.arrays import Array
from boundkit.theorems import theorem
from tests.cases import each

# The formulas of the theory, in the paper's letters: M clients, N come, K cycles of Kb groups of n clients

N, n, Kb, K = C * m, m / groups, groups, T / groups
CAUGHT = sigma_within**2 * (n - N) / (N * (n - 1))  # gamma_N^2 without gradient noise


def explicit(order: Expr, sampled: Expr, noise: Expr) -> dict[str, Expr]:
    terms = {
        "initial gap": (1 - Rational(4, 5) * eta * mu_pl * Kb) ** K * gap,
        "stochastic noise": noise * eta * L * (sigma**2 / N) / mu_pl,
        "partial participation": sampled * eta * L * CAUGHT / mu_pl,
        "cyclic order": order * eta**2 * L**2 * (Kb - 1) ** 2 * sigma_between**2 / mu_pl,
    }
    return {label: expr for label, expr in terms.items() if expr != 0}


LOG = log(m * K**2)
KAPPA = L / mu_pl
FORMULAS = {
    "cyclic_pl": explicit(Rational(3), Rational(2), Rational(2)),
    "cyclic_pl_first": explicit(Rational(33, 10), Rational(5, 2), Rational(0)),
    "cyclic_pl_local": {
        "initial gap": (1 - Rational(4, 5) * eta * mu_pl * tau * Kb) ** K * gap,
        "client drift": 3 * eta**2 * L**2 / mu_pl * (tau - 1) ** 2 * sigma_within**2,
        "cyclic order": 3 * eta**2 * L**2 / mu_pl * (tau * Kb - 1) ** 2 * sigma_between**2,
    },
    "cyclic_pl_tuned": {
        "initial gap": gap / (m * K**2),
        "stochastic noise": Rational(5, 2) * KAPPA / (mu_pl * T) * LOG * sigma**2 / N,
        "partial participation": Rational(5, 2) * KAPPA / (mu_pl * T) * LOG * CAUGHT,
        "cyclic order": Rational(75, 16)
        * KAPPA**2
        * (Kb - 1) ** 2
        * sigma_between**2
        * LOG**2
        / (mu_pl * T**2),
    },
    "cyclic_pl_gd_rate": {
        "initial gap": c_1 * Kb**2 * gap / (m * T**2),
        "partial participation": c_3
        * (Kb * KAPPA / (mu_pl * N * T))
        * sigma_within**2
        * (n - N)
        / (n - 1)
        * LOG,
        "cyclic order": c_2 * KAPPA**2 * (Kb - 1) ** 2 * sigma_between**2 / (mu_pl * T**2) * LOG**2,
    },
}
# Local steps add noise, shared by N clients with tau gradients each, and a drift
FORMULAS["cyclic_pl_local_sgd_rate"] = FORMULAS["cyclic_pl_gd_rate"] | {
    "stochastic noise": c_4 * KAPPA * sigma**2 / (mu_pl * tau * N * T) * LOG,
    "client drift": c_5 * KAPPA**2 * (tau - 1) * sigma_g**2 / (tau * mu_pl * T**2) * LOG**2,
}
# Shuffling makes the noise a sum of differences within an epoch, of the order 1/T^2
FORMULAS["cyclic_pl_shuffled_rate"] = FORMULAS["cyclic_pl_local_sgd_rate"] | {
    "stochastic noise": c_4 * KAPPA**2 * sigma**2 / (mu_pl * T**2) * LOG**2,
}


@each("name", FORMULAS)
def test_terms_are_those_of_the_theory(name: str) -> None:
    terms = theorem(name).bound.terms
    assert set(terms) == set(FORMULAS[name])
    for label, expr in FORMULAS[name].items():
        assert simplify(terms[label].expr - expr) == 0, label


@each(("name", "limit"), [("cyclic_pl", Rational(1, 5)), ("cyclic_pl_first", Rational(1, 6))])
def test_largest_steps(name: str, limit: Rational) -> None:
    (condition,) = theorem(name).step_size
    assert (condition.lhs, condition.rhs) == (eta * L * groups, limit)


def test_largest_step_of_local_work() -> None:
    (condition,) = theorem("cyclic_pl_local").step_size
    assert (condition.lhs, condition.rhs) == (eta * L * tau * groups, Rational(1, 5))


def test_tuned_bound_is_the_fixed_one_at_its_step() -> None:
    step = Rational(5, 4) * LOG / (mu_pl * T)
    fixed, tuned = theorem("cyclic_pl").bound.terms, theorem("cyclic_pl_tuned").bound.terms
    for label in ("stochastic noise", "partial participation", "cyclic order"):
        assert simplify(fixed[label].expr.subs(eta, step) - tuned[label].expr) == 0
    assert simplify(exp(-Rational(4, 5) * step * mu_pl * T) * gap - tuned["initial gap"].expr) == 0
    (allowed,) = theorem("cyclic_pl").step_size
    (needed,) = theorem("cyclic_pl_tuned").step_size
    assert simplify(needed.rhs / T - (allowed.lhs / allowed.rhs).subs(eta, step)) == 0


@each("seed", range(4))
def test_tuned_start_is_at_most_what_it_stands_for(seed: int) -> None:
    """1 - z <= exp(-z), at points at which the tuned theorem applies."""
    values = {q.name: float(v) for q, v in admissible(theorem("cyclic_pl_tuned"), seed).items()}
    step = float(evaluate(Rational(5, 4) * LOG / (mu_pl * T), values))
    assert satisfied(theorem("cyclic_pl").step_size[0], values | {"eta": step})
    exact = evaluate(theorem("cyclic_pl").bound.total, values | {"eta": step})
    assert exact <= evaluate(theorem("cyclic_pl_tuned").bound.total, values)


def test_the_sources_extra_factor_is_the_number_of_groups() -> None:
    ours = theorem("cyclic_pl_tuned").bound.terms["partial participation"].expr
    theirs = theorem("cyclic_pl_gd_rate").bound.terms["partial participation"].expr
    assert simplify(theirs / ours / (c_3 / Rational(5, 2))) == groups


def test_the_repaired_factor_of_the_slide() -> None:
    third = theorem("cyclic_pl_gd_rate").bound.terms["partial participation"].expr
    slide = c_3 * Kb * KAPPA * sigma_within**2 / (mu_pl * C * T) * (1 / Kb - C) / (m / Kb - 1) * LOG
    assert simplify(third - slide) == 0
    assert third.subs(C, 1 / groups) == 0
    one = third.subs(groups, 1) / (L * sigma_within**2 * log(m * T**2) * c_3 / (mu_pl**2 * T))
    assert simplify(one - (1 - C) / (C * (m - 1))) == 0


def test_rates_of_the_source_in_the_rounds() -> None:
    """Orders in T once the logarithm is set aside: 1/T^2 all through where groups are alike inside."""
    for name, noise in {"cyclic_pl_local_sgd_rate": -1, "cyclic_pl_shuffled_rate": -2}.items():
        for label, term in theorem(name).bound.terms.items():
            bare = term.expr.subs(log(m * T**2 / groups**2), 1)
            power = simplify(T * bare.diff(T) / bare)
            assert power == {"stochastic noise": noise, "partial participation": -1}.get(label, -2)
    drift = theorem("cyclic_pl_local_sgd_rate").bound.terms["client drift"].expr
    assert drift.has(sigma_g)
    assert drift.subs(tau, 1) == 0
    noise = theorem("cyclic_pl_local_sgd_rate").bound.terms["stochastic noise"].expr
    assert simplify(noise / (c_4 * KAPPA * sigma**2 * log(m * T**2 / groups**2) / (mu_pl * N * tau * T))) == 1


def test_rate_command_reads_the_contraction_as_exponential() -> None:
    assert rate(theorem("cyclic_pl")).terms["initial gap"].powers["T"] == "exponential"


# Exact runs


@dataclass(frozen=True)
class Setting:
    """``e`` is (groups, clients of a group, coordinates)."""

    h: Array
    e: Array
    x0: Array
    chosen: int
    tau: int
    noise: float

    @property
    def centre(self) -> Array:
        return np.asarray(self.e.mean(axis=(0, 1)))

    @property
    def values(self) -> dict[str, float]:
        Kb_, n_, _ = self.e.shape
        between = self.h * (self.e.mean(axis=1) - self.centre)
        within = (self.h * (self.e - self.e.mean(axis=1, keepdims=True))) ** 2
        return {
            "m": Kb_ * n_,
            "groups": Kb_,
            "C": self.chosen / (Kb_ * n_),
            "tau": self.tau,
            "L": self.h.max(),
            "mu_pl": self.h.min(),
            "sigma": self.noise,
            "sigma_between": np.sqrt((between**2).sum(axis=1).max()),
            "sigma_within": np.sqrt(within.sum(axis=2).mean(axis=1).max()),
            "gap": float(self.h @ (self.x0 - self.centre) ** 2) / 2,
        }

    def gaps(self, step: float, cycles: int) -> Array:
        """E F - F* at the ends of cycles 1, ..., cycles."""
        n_ = self.e.shape[1]
        r = 1 - (1 - step * self.h) ** self.tau
        share = (n_ - self.chosen) / (self.chosen * (n_ - 1))
        noise = step**2 * self.noise**2 / (self.chosen * len(self.h))
        mean, variance, found = self.x0.copy(), np.zeros_like(self.x0), []
        for _ in range(cycles):
            for group in self.e:
                mean = (1 - r) * mean + r * group.mean(axis=0)
                variance = (1 - r) ** 2 * variance + r**2 * share * group.var(axis=0) + noise
            found.append(self.h @ ((mean - self.centre) ** 2 + variance) / 2)
        return np.array(found)


def draw(seed: int, local: bool) -> Setting:
    rng = np.random.default_rng(seed)
    Kb_, n_, d = int(rng.integers(1, 7)), int(rng.integers(2, 6)), int(rng.integers(1, 4))
    spread = np.exp(rng.normal(0, 1, 2))
    inside = rng.normal(0, spread[0], (Kb_, n_, d))
    return Setting(
        h=np.exp(rng.normal(0, 0.7, d)),
        e=inside + rng.normal(0, spread[1], (Kb_, 1, d)),
        x0=rng.normal(0, np.exp(rng.normal(0, 2)), d),
        chosen=n_ if local else int(rng.integers(1, n_ + 1)),
        tau=int(rng.integers(1, 6)) if local else 1,
        noise=0.0 if local else float(rng.choice([0, 1])),
    )


def ratios(name: str, s: Setting, cycles: int = 60) -> Array:
    """Measured over bound at the end of every cycle, at the largest step."""
    values = s.values
    limit = 6 if name == "cyclic_pl_first" else 5
    step = 1 / (limit * values["L"] * s.tau * values["groups"])
    at: dict[str, Array | float] = {
        **values, "eta": step, "T": values["groups"] * np.arange(1.0, cycles + 1)
    }  # fmt: skip
    assert all(np.all(satisfied(c, at)) for c in theorem(name).step_size)
    return s.gaps(step, cycles) / evaluate(theorem(name).bound.total, at)


@each("name", ["cyclic_pl", "cyclic_pl_first", "cyclic_pl_local"])
def test_bound_holds_on_quadratics_and_is_not_vacuous(name: str) -> None:
    settings = [draw(seed, name == "cyclic_pl_local") for seed in range(60)]
    if name == "cyclic_pl_first":
        settings = [Setting(s.h, s.e, s.x0, s.chosen, s.tau, 0.0) for s in settings]
    top = max(float(ratios(name, s).max()) for s in settings)
    assert 0.8 < top <= 1


def test_floor_of_the_sampling_error_does_not_feel_the_number_of_groups() -> None:
    """At a fixed step, number of participants and variance inside a group, with like groups."""
    group = np.array([-1.0, 0.0, 1.0, 2.0])[:, None]
    floors = [
        Setting(np.ones(1), np.stack([group] * count), np.zeros(1), 2, 1, 0.0).gaps(0.01, 4000 // count)[-1]
        for count in (1, 2, 4, 8, 16)
    ]
    assert np.ptp(floors) < 1e-9 * floors[0]


def test_moments_agree_with_every_choice_followed() -> None:
    s = draw(3, False)
    s = Setting(s.h[:1], s.e[:2, :2, :1], s.x0[:1], 1, 1, 0.0)
    step, x = 0.05, s.x0[None, :]
    for group in s.e:
        x = np.concatenate([x - step * s.h * (x - e) for e in group])
    assert s.gaps(step, 1)[0] == pytest.approx(float(((x - s.centre) ** 2 @ s.h).mean()) / 2, rel=1e-12)


def test_local_work_with_unlike_hessians_and_dissimilarity_measured_at_the_starts_of_cycles() -> None:
    """The proof needs sigma_b and sigma_w at x_k alone; on these problems no constant would do everywhere."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        Kb_, n_, local = 3, 2, 3
        h, e = rng.uniform(0.5, 3, (Kb_, n_)), rng.normal(0, 1, (Kb_, n_))
        step = 1 / (5 * h.max() * local * Kb_)
        mean_h = h.mean()
        optimum = (h * e).mean() / mean_h
        x, between, within, gaps = float(rng.normal(0, 5)), 0.0, 0.0, []
        start = mean_h / 2 * (x - optimum) ** 2
        for _ in range(40):
            gradients = h * (x - e)
            between = max(between, float(np.abs(gradients.mean(axis=1) - gradients.mean()).max()))
            within = max(within, float(np.sqrt(gradients.var(axis=1).max())))
            for hg, eg in zip(h, e, strict=True):
                x = float((eg + (1 - step * hg) ** local * (x - eg)).mean())
            gaps.append(mean_h / 2 * (x - optimum) ** 2)
        values: dict[str, Array | float] = {
            "eta": step,
            "L": h.max(),
            "mu_pl": mean_h,
            "tau": local,
            "groups": Kb_,
            "gap": start,
            "sigma_between": between,
            "sigma_within": within,
            "T": Kb_ * np.arange(1.0, 41),
        }
        assert np.all(np.array(gaps) <= evaluate(theorem("cyclic_pl_local").bound.total, values))
