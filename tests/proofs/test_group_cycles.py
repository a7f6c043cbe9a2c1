"""Cyclic participation: lemmas on random cycles of quadratics, certificates, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra import Assumption, BoundkitError, Theorem, vocabulary
from boundkit.algebra.notation import C, L, eta, groups, m, sigma, sigma_between, sigma_within, tau
from boundkit.proofs.certificates.cyclic_pl import PROOF as NOISY
from boundkit.proofs.certificates.cyclic_pl_local import PROOF as LOCAL
from boundkit.proofs.certificates.cyclic_pl_local_sgd import PROOF as LOCAL_NOISE
from boundkit.proofs.certificates.cyclic_pl_local_sgd_sampled import PROOF as SAMPLED
from boundkit.proofs.checker import check
from boundkit.proofs.group_cycles import CYCLE_DESCENT, CYCLE_DRIFT, D
from boundkit.proofs.lemmas import DESCENT, LOSS_AFTER, Lemma
from boundkit.proofs.linear_form import Atom, LinearForm, data, inner, square
from boundkit.proofs.proof_check import END
from boundkit.proofs.rounds import decrease, g, round_of
from tests.proofs.changes import assuming, less, names_of, scaled, violations
from tests.proofs.rounds import RandomRound

QUIET = assuming(NOISY.theorem, vocabulary.NO_NOISE, but="bounded-noise")
EXACT = NOISY.of(
    replace(QUIET, terms=tuple(each for each in QUIET.terms if each.cause != "stochastic noise"), limits=())
)
"""The certificate of cyclic_pl, for clients without noise."""
PROOFS = (NOISY, EXACT, LOCAL, LOCAL_NOISE, SAMPLED)
H = Rational(1, 5)
ARGUMENTS: dict[str, dict[str, Any]] = {
    CYCLE_DESCENT.name: {"h": H, "s": Rational(7, 10)},
    CYCLE_DRIFT.name: {"h": H, "k": Rational(1)},
}


@cache
def random_cycle(seed: int, number: int) -> RandomRound:
    """A random cycle, by all outcomes of its sampling and of noise of two values."""
    theorem, rng = PROOFS[number].theorem, np.random.default_rng(seed)
    whole, steps = theorem.assumes("whole-groups"), 1
    count, size, dimension = int(rng.integers(1, 4)), int(rng.integers(2, 4)), int(rng.integers(1, 3))
    if whole:
        count, steps = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    chosen = size if whole else int(rng.integers(1, size + 1))
    noise = 0.0 if theorem.assumes("no-noise") else float(rng.choice([0.0, 0.5, 3.0]))
    if whole and noise:
        size, (count, steps) = 2, ((2, 2), (1, 4), (4, 1), (1, 3), (3, 1))[rng.integers(5)]
        chosen = size
    if theorem == SAMPLED.theorem:
        size, (count, steps) = 2, ((2, 1), (2, 2), (1, 3), (2, 3), (1, 5))[rng.integers(5)]
        chosen = int(rng.integers(1, 3)) if steps == 1 else 1
    basis = np.linalg.qr(rng.normal(size=(count, size, dimension, dimension)))[0]
    values = rng.choice([-1.0, 0.3, 1.0], size=(count, size, 1, dimension))
    hessians, centres = (
        (basis * values) @ np.swapaxes(basis, -1, -2),
        rng.normal(size=(count, size, dimension)),
    )
    step = float(rng.choice([0.2, 1.0])) / 5 / (count * steps)
    x = rng.normal(size=dimension) * rng.choice([0.1, 3.0])
    alone = rng.choice(["", "", "gradient", "groups", "clients", "noise"])
    if alone:  # nearly the largest changes of the gradients, by one cause
        hessians, centres = np.tile(np.eye(dimension), (count, size, 1, 1)), np.zeros_like(centres)
        hessians[:, 1::2] *= -1.0 if alone == "clients" else 1.0
        centres[: count // 2, :, 0] = float(alone == "groups")
        x = centres.mean(axis=(0, 1)) + float(alone in ("gradient", "clients"))
        noise = noise if alone == "noise" else 0.0

    def gradient(group: int, client: int, at: np.ndarray) -> np.ndarray:
        return np.asarray(hessians[group, client] @ (at - centres[group, client]))

    def loss(at: np.ndarray) -> float:
        away = at - centres
        return float(np.mean(np.einsum("gia,giab,gib->gi", away, hessians, away))) / 2

    everyone = np.array([[gradient(k, i, x) for i in range(size)] for k in range(count)])
    own, within = (
        everyone.mean(axis=1),
        [float(np.mean(np.sum((each - each.mean(0)) ** 2, 1))) for each in everyone],
    )
    paths = [(1.0, x, np.zeros(dimension))]
    for k in range(count):
        new = []
        for chance, y, change in paths:
            at = np.array([gradient(k, i, y) for i in range(size)])
            within.append(float(np.mean(np.sum((at - at.mean(axis=0)) ** 2, axis=1))))
            if whole:
                outcomes = list(product((-1, 1) if noise else (0,), repeat=size * steps))
                models = np.repeat(y[None], size, axis=0)
                for _ in range(steps):  # of linear gradients, so that the mean has no noise
                    at = np.array([gradient(k, i, z) for i, z in enumerate(models)])
                    change, models = change + (at - everyone[k]).mean(axis=0), models - step * at
                for signs in outcomes:
                    models = np.repeat(y[None], size, axis=0)
                    for drawn in np.reshape(signs, (steps, size, 1)):
                        at = np.array([gradient(k, i, z) for i, z in enumerate(models)])
                        models = models - step * (at + drawn * noise * np.eye(dimension)[0])
                    new.append((chance / len(outcomes), models.mean(axis=0), change))
                continue
            subsets = list(combinations(range(size), chosen))
            if steps > 1:
                models = np.repeat(y[None], size, axis=0)
                for _ in range(steps):
                    middle = np.array([gradient(k, i, models.mean(axis=0)) for i in range(size)])
                    within.append(float(np.mean(np.sum((middle - middle.mean(axis=0)) ** 2, axis=1))))
                    at = np.array([gradient(k, i, z) for i, z in enumerate(models)])
                    change, models = change + (at - everyone[k]).mean(axis=0), models - step * at
                outcomes = list(product(range(size), *[(-1, 1) if noise else (0,)] * steps))
                for client, *noises in outcomes:
                    model = y
                    for sign in noises:
                        model = model - step * (
                            gradient(k, client, model) + sign * noise * np.eye(dimension)[0]
                        )
                    new.append((chance / len(outcomes), model, change))
                continue
            axis = np.eye(dimension)[0] * noise / np.sqrt(chosen)
            for subset in subsets:
                for sign in (-1, 1) if noise else (0,):
                    moved = y - step * (at[list(subset)].mean(axis=0) + sign * axis)
                    share = chance / len(subsets) / (2 if noise else 1)
                    new.append((share, moved, change + at.mean(axis=0) - own[k]))
        paths = new
    mean = own.mean(axis=0)
    chances = np.array([chance for chance, _, _ in paths])
    changes = np.array([change for _, _, change in paths])
    atoms = {
        decrease: loss(x) - float(sum(chance * loss(y) for chance, y, _ in paths)),
        data(sigma**2): noise**2,
        data(sigma_within**2): max(within),
        data(sigma_between**2): float(np.max(np.sum((own - mean) ** 2, axis=1))),
    }
    for form, value in (
        (square(g.mean), mean @ mean),
        (inner(g.mean, D), chances @ changes @ mean),
        (square(D), chances @ np.sum(changes**2, axis=1)),
    ):
        (atom,) = form.coefficients
        atoms[atom] = float(value)
    quantities = {C: chosen / (count * size), L: 1.0, eta: step, groups: count, m: count * size, tau: steps}
    return RandomRound(quantities, atoms)


def violated(lemma: Lemma, by: LinearForm, number: int) -> int:
    """The number of random cycles on which a conclusion, less a form, does not hold."""
    conclusion = less(lemma, by)(round_of(PROOFS[number].theorem), **ARGUMENTS[lemma.name])
    return violations(conclusion, (random_cycle(seed, number) for seed in range(60)), zero=1e-20)


@pytest.mark.parametrize("number", range(len(PROOFS)))
def test_lemmas_hold_on_random_cycles(number: int) -> None:
    assert violated(CYCLE_DESCENT, LinearForm(), number) == 0
    assert violated(CYCLE_DRIFT, LinearForm(), number) == 0


def parts(lemma: Lemma, number: int, atom: Atom, share: Rational) -> LinearForm:
    """A share of a summand of a lemma's conclusion."""
    form = lemma.conclude(round_of(PROOFS[number].theorem), **ARGUMENTS[lemma.name]).form
    return LinearForm({atom: share * form[atom]})


GRADIENT, CHANGE = (next(iter(square(v).coefficients)) for v in (g.mean, D))


def without(lemma: Lemma, number: int, atom: Atom, share: Rational) -> int:
    """The number of random cycles on which a lemma without a share of a summand does not hold."""
    return violated(lemma, parts(lemma, number, atom, share), number)


FALSE: dict[str, Callable[[], int]] = {
    "descent by a decrease twice as large": lambda: violated(CYCLE_DESCENT, LinearForm({decrease: 1}), 1),
    "descent with a tenth of the noise": lambda: without(CYCLE_DESCENT, 0, data(sigma**2), Rational(9, 10)),
    "descent with a tenth of the noise of local steps": lambda: without(
        CYCLE_DESCENT, 3, data(sigma**2), Rational(9, 10)
    ),
    "drift by a tenth of the gradient": lambda: without(CYCLE_DRIFT, 1, GRADIENT, Rational(9, 10)),
    "drift by a tenth of the groups": lambda: without(
        CYCLE_DRIFT, 1, data(sigma_between**2), Rational(9, 10)
    ),
    "drift by a tenth of the clients": lambda: without(
        CYCLE_DRIFT, 2, data(sigma_within**2), Rational(9, 10)
    ),
    "drift by a twentieth of the noise": lambda: without(CYCLE_DRIFT, 3, data(sigma**2), Rational(19, 20)),
    "descent with a twentieth of the sampling of local steps": lambda: without(
        CYCLE_DESCENT, 4, data(sigma_within**2), Rational(19, 20)
    ),
    "descent with a tenth of the noise of sampled local steps": lambda: without(
        CYCLE_DESCENT, 4, data(sigma**2), Rational(9, 10)
    ),
    "drift twice as large": lambda: violated(CYCLE_DRIFT, LinearForm({CHANGE: 20}), 1),
}


def at_a_kink(steps: int) -> RandomRound:
    """One client with the gradient |y|, from 0, by all outcomes of noise of two values."""
    step, change = 0.1 / steps, 0.0
    models = np.zeros(1)
    for _ in range(steps):
        change += float(np.abs(models).mean())
        models = (models - step * np.abs(models))[:, None] + step * np.array([-1.0, 1.0])
        models = models.ravel()
    atoms = dict.fromkeys((GRADIENT, data(sigma_between**2), data(sigma_within**2)), 0.0)
    return RandomRound(
        {L: 1.0, eta: step, groups: 1, m: 1, tau: steps}, {**atoms, CHANGE: change**2, data(sigma**2): 1.0}
    )


@pytest.mark.parametrize(("kept", "holds"), [(1, True), (Rational(1, 3), False)])
def test_own_noise_at_a_kink(kept: Rational, holds: bool) -> None:
    """The noise of a client's own steps changes the mean of gradients that are not linear."""
    this, k = round_of(LOCAL_NOISE.theorem), Rational(1)
    noise = CYCLE_DRIFT.conclude(this, h=H, k=k).form[data(sigma**2)]
    dropped = LinearForm({data(sigma**2): (1 - kept) * noise})
    conclusion = less(CYCLE_DRIFT, dropped)(this, h=H, k=k)
    assert (violations(conclusion, map(at_a_kink, (2, 4, 8, 16)), zero=1e-20) == 0) == holds


@pytest.mark.parametrize("name", FALSE)
def test_a_false_lemma_fails_on_random_cycles(name: str) -> None:
    assert FALSE[name]() > 0


def test_constants_below_the_limit_are_refused() -> None:
    for proof, factors in (
        (NOISY, {"cyclic order": 0.97, "stochastic noise": 0.98, "partial participation": 0.98}),
        (LOCAL, {"cyclic order": 0.99, "client drift": 0.98}),
        (LOCAL_NOISE, {"cyclic order": 0.98, "stochastic noise": 0.97}),
        (SAMPLED, {"stochastic noise": 0.96, "partial participation": 0.95}),
    ):
        result = check(scaled(proof, factors))
        assert names_of(result) == [END]
        assert len(result.failed[0].failed) == len(factors)
    closest = {"cyclic order": 0.98, "stochastic noise": 0.997, "partial participation": 0.997}
    assert check(scaled(NOISY, closest)).proved


@pytest.mark.parametrize(
    "step", ["gradient against its change", "change of the gradients", "Polyak-Lojasiewicz"]
)
def test_a_step_that_is_left_out_is_missed(step: str) -> None:
    assert names_of(check(NOISY.without(step)))[-1] == END


def test_lemmas_on_rounds_are_refused_for_cycles_and_the_other_way_round() -> None:
    assert DESCENT.missing(NOISY.theorem)
    assert not LOSS_AFTER.missing(NOISY.theorem)
    result = check(NOISY.changed("change of the gradients", {"h": Rational(1, 6)}))
    assert names_of(result) == ["change of the gradients"]


@pytest.mark.parametrize(
    ("theorem", "added", "said"),
    [
        (NOISY.theorem, vocabulary.FULL_PARTICIPATION, "assumes full-participation"),
        (NOISY.theorem, vocabulary.NO_NOISE, "in one way"),
        (EXACT.theorem, vocabulary.COMMON_STEPS, "in one way"),
    ],
)
def test_other_cycles_are_refused(theorem: Theorem, added: Assumption, said: str) -> None:
    with pytest.raises(BoundkitError, match=said):
        round_of(assuming(theorem, added))
