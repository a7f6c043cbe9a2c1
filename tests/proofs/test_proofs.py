"""Each proof ends at the bound of its theorem, and every line of it has one dimension."""

import pytest
from sympy import Symbol

from boundkit.algebra import BoundkitError
from boundkit.algebra.dimension import dimension_of
from boundkit.algebra.quantity import Quantity
from boundkit.proofs import Proof, proof_of, proved
from boundkit.proofs.expectations import QUANTITIES
from boundkit.theorems import theorem
from tests.cases import each

PROOFS = [pytest.param(proof_of(theorem(name)), id=name) for name in proved()]


@each("proof", PROOFS)
def test_the_last_line_is_the_bound(proof: Proof) -> None:
    assert proof.missing == 0
    assert not set(QUANTITIES) & proof.end.free_symbols


@each("proof", PROOFS)
def test_both_sides_of_every_step_have_the_dimension_of_the_claim(proof: Proof) -> None:
    for step, line in zip(proof.steps, proof.lines, strict=False):
        used = {s for side in (*step.sides(line), *step.statement(line)) for s in side.free_symbols}
        units = {s: s.dimension for s in used if isinstance(s, Quantity)}
        assert set(units) == used
        left, right = (dimension_of(side, units) for side in step.sides(line))
        assert left == proof.start.dimension
        assert right in (left, None), step.name  # 0 has every dimension


@each("proof", PROOFS)
def test_every_step_has_a_name_of_its_own_a_cause_and_a_reason(proof: Proof) -> None:
    names = [step.name for step in proof.steps]
    assert len(set(names)) == len(names)
    assert {step.cause for step in proof.steps} == {term.cause for term in proof.theorem.terms}
    assert all(step.because and not step.because.endswith(".") for step in proof.steps)


@each("proof", PROOFS)
def test_every_step_finds_what_it_replaces(proof: Proof) -> None:
    for step, line in zip(proof.steps, proof.lines, strict=False):
        assert step.weight(line) != 0, step.name


def test_letters_have_names_of_their_own() -> None:
    assert len({letter.name for letter in QUANTITIES}) == len(QUANTITIES)
    assert all(isinstance(letter, Symbol) and letter.meaning for letter in QUANTITIES)


def test_a_theorem_without_a_proof_is_told_which_have_one() -> None:
    with pytest.raises(BoundkitError, match=r"sgd_nonconvex has no proof .* fednova_nonconvex_surrogate, "):
        proof_of(theorem("sgd_nonconvex"))


def test_a_step_that_is_not_there_is_refused_with_one_that_is_near() -> None:
    with pytest.raises(BoundkitError, match="smooth mean"):
        proof_of(theorem("fedavg_nonconvex")).changed("smoth mean")
