import keyword

import pytest

from boundkit.algebra.dimension import CURVATURE, GRADIENT, LENGTH, LOSS, ONE, STEP, Dimension
from boundkit.algebra.notation import ALPHABET, WHOLE, C, eta, gap, m, quantities_of, tau, units_of
from boundkit.algebra.quantity import Quantity
from tests.cases import each

UNITS = {
    "m": ONE,
    "C": ONE,
    "T": ONE,
    "tau": ONE,
    "eta": STEP,
    "eta_s": ONE,
    "L": CURVATURE,
    "mu": CURVATURE,
    "sigma": GRADIENT,
    "sigma_g": GRADIENT,
    "gap": LOSS,
    "distance": LENGTH,
}


@each(("name", "dimension"), UNITS.items())
def test_letter_has_the_unit_of_the_theory(name: str, dimension: Dimension) -> None:
    assert ALPHABET[name].dimension == dimension


@each("quantity", ALPHABET.values(), ids=str)
def test_letter_is_a_keyword_with_a_meaning_and_a_typical_value_it_may_take(quantity: Quantity) -> None:
    assert ALPHABET[quantity.name] is quantity
    assert quantity.name.isidentifier()
    assert not keyword.iskeyword(quantity.name)
    assert quantity.name.isascii()
    assert quantity.latex.strip()
    assert quantity.meaning.strip()
    assert quantity.domain.complaint(quantity.typical) is None


def test_no_two_letters_print_alike() -> None:
    assert len({q.latex for q in ALPHABET.values()}) == len(ALPHABET)


def test_typical_values_make_a_whole_number_of_clients() -> None:
    assert C * m in WHOLE
    assert float(C.typical * m.typical) == pytest.approx(10)


def test_quantities_come_in_the_order_of_the_alphabet_and_strangers_last() -> None:
    stranger = Quantity("aaa", "a", "unknown to the house", eta.domain, ONE, 1)
    assert quantities_of([stranger * gap / (eta * tau), C * m]) == (m, C, tau, eta, gap, stranger)
    assert units_of(gap / eta) == {eta: STEP, gap: LOSS}
