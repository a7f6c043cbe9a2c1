"""Relaxed conditions on the offset that hold from the second round on: true ones, and no others."""

from dataclasses import replace

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra.notation import offset, tau
from boundkit.attack.mutation import Mutant, first_round, generate_mutants
from boundkit.attack.mutation.first_round import holds_from_second_round
from boundkit.theorems import theorem

SHARP = "biased_selection_strongly_convex_decaying_sharp"


def mutant(name: str, what: str) -> Mutant:
    return next(each for each in generate_mutants(theorem(name)) if each.what == f"condition: {what}")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        (SHARP, "offset >= tau/2 for offset >= tau"),
        (SHARP, "offset >= tau/10 for offset >= tau"),
        *(
            (f"fedavg_strongly_convex_decaying_{kind}", "offset >= tau/10 - 1/10 for offset >= tau - 1")
            for kind in ("replacement", "uniform")
        ),
    ],
)
def test_fewer_offsets_than_local_steps_are_proved(name: str, what: str) -> None:
    assert holds_from_second_round(mutant(name, what))


def test_other_conditions_and_terms_are_not() -> None:
    names = (SHARP, "biased_selection_strongly_convex_decaying", "fedavg_strongly_convex_decaying_one_step")
    for each in (each for name in names for each in generate_mutants(theorem(name))):
        assert holds_from_second_round(each) == (
            each.what.startswith("condition: offset >= tau/") and each.original.name == SHARP
        )


def test_every_hypothesis_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The smaller drift 6 (4/5) = 4.8 is below 2 (11/5)^2/2 = 4.84 however many local steps there are."""
    true = mutant(SHARP, "offset >= tau/2 for offset >= tau")
    monkeypatch.setattr(first_round, "is_proved_by_induction", lambda _: True)
    assert holds_from_second_round(true)
    own = true.original

    def scaled(by: Rational) -> Mutant:
        terms = (replace(t, expr=by * t.expr) if t.label == "client drift" else t for t in own.terms)
        return replace(true, original=replace(own, terms=tuple(terms)))

    assert holds_from_second_round(scaled(Rational(19, 20)))
    assert not holds_from_second_round(scaled(Rational(4, 5)))
    for changed in (
        replace(own, step_size=(own.step_size[0], offset >= tau**2, own.step_size[2])),
        replace(own, step_size=(own.step_size[0].func(offset, own.step_size[0].rhs / 2), *own.step_size[1:])),
        replace(own, assumptions=tuple(a for a in own.assumptions if a.name != "bounded-gradients")),
        replace(own, requires=own.requires[1:]),
    ):
        assert not holds_from_second_round(replace(true, original=changed))


def test_the_theorem_as_it_is_must_be_proved() -> None:
    true = mutant(SHARP, "offset >= tau/2 for offset >= tau")
    title = replace(true.original, name="another")
    assert not holds_from_second_round(replace(true, original=title))


def test_local_models_stay_near_the_start_of_a_round() -> None:
    """E||y - x_0||^2 <= (6 G/(5 mu))^2 with noise, and half of (G/mu)^2 is too little."""
    largest = 0.0
    for eta, noise, gradient in np.random.default_rng(0).uniform((0, 0, 0), (0.25, 1, 1), (300, 3)):
        mean, variance, second = 0.0, 0.0, 0.0  # of y for the loss y^2/2 + gradient y
        squares = [gradient**2 + noise**2]
        for _ in range(200):
            mean, variance = (1 - eta) * mean - eta * gradient, (1 - eta) ** 2 * variance + (eta * noise) ** 2
            second = max(second, mean**2 + variance)
            squares.append((mean + gradient) ** 2 + variance + noise**2)
        largest = max(largest, second / max(squares))
    assert 0.5 < largest <= 1.44
