import copy
import pickle

import sympy
from sympy import simplify, sqrt

from boundkit.algebra.dimension import ONE, STEP
from boundkit.algebra.domain import POSITIVE
from boundkit.algebra.notation import ALPHABET, L, T, eta, gap, sigma
from boundkit.algebra.quantity import Quantity
from tests.cases import each


def namesake(dimension: object = STEP) -> Quantity:
    return Quantity("eta", "e", "another meaning", POSITIVE, dimension, 3)  # type: ignore[arg-type]


@each("quantity", ALPHABET.values(), ids=str)
def test_quantity_keeps_all_it_knows_through_copies_and_pickles(quantity: Quantity) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(quantity, protocol))
        for other in (twin, copy.copy(quantity), copy.deepcopy(quantity)):
            assert other == quantity
            assert hash(other) == hash(quantity)
            assert type(other) is Quantity
            for attribute in ("name", "latex", "meaning", "domain", "dimension", "typical"):
                assert getattr(other, attribute) == getattr(quantity, attribute)


def test_namesake_with_another_dimension_is_another_symbol_even_in_sympys_caches() -> None:
    other = namesake(ONE)
    assert other != eta
    first = eta * L
    second = other * L
    assert first != second
    assert {q.dimension for q in second.free_symbols if q.name == "eta"} == {ONE}
    assert {q.dimension for q in first.free_symbols if q.name == "eta"} == {STEP}
    assert simplify(eta - other) != 0


def test_quantity_enters_calculus_as_a_symbol() -> None:
    assert (gap / eta + eta * L * sigma**2).diff(eta) == -gap / eta**2 + L * sigma**2
    assert sympy.solve(eta**2 * L - gap, eta) == [sqrt(gap) / sqrt(L)]
    assert sqrt(sigma**2) == sigma
    assert (gap / T).subs(T, sympy.oo) == 0
