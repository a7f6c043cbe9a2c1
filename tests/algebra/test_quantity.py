import copy
import os
import pickle
import subprocess
import sys

import sympy
from sympy import latex, pretty, simplify, sqrt, sstr

from boundkit.algebra.dimension import ONE, STEP
from boundkit.algebra.domain import POSITIVE
from boundkit.algebra.notation import ALPHABET, L, T, distance, eta, eta_s, gap, quantities_of, sigma, sigma_g
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


def test_quantity_pickled_here_is_itself_in_another_process_with_other_hashes() -> None:
    expression = sqrt(eta * L) * (1 - eta_s) ** T + sigma_g
    script = (
        "import pickle, sys\n"
        "from boundkit.algebra.notation import L, T, eta, eta_s, sigma_g\n"
        "from sympy import sqrt\n"
        "there = pickle.loads(sys.stdin.buffer.read())\n"
        "assert there == sqrt(eta * L) * (1 - eta_s) ** T + sigma_g\n"
        "assert there.subs(eta_s, 1) == sigma_g\n"
        "sys.stdout.buffer.write(pickle.dumps(there))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=pickle.dumps(expression),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONHASHSEED": "7"},
        check=True,
    )
    back = pickle.loads(done.stdout)
    assert back == expression
    assert {q.dimension for q in quantities_of([back])} == {q.dimension for q in (eta, L, T, eta_s, sigma_g)}


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


def test_quantity_prints_its_letter_everywhere() -> None:
    expr = 2 * eta_s**2 * sigma_g / distance
    assert latex(expr) == r"\frac{2 \eta_s^{2} \sigma_g}{D}"
    assert sstr(expr) == "2*eta_s**2*sigma_g/distance"
    assert sstr(expr, abbrev=True) == "2*eta_s**2*sigma_g/distance"
    assert pretty(gap / T, use_unicode=False) == "gap\n---\n T "
    assert str(eta) == repr(eta) == "eta"
