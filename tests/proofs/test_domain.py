"""Polynomials in the coordinates of a chart: division by a factor, and what the chart puts in."""

import random

from sympy import QQ, ring
from sympy.polys.rings import PolyElement

from boundkit.proofs.domain import _quotient, _substituted

R, x, y, z = ring("x,y,z", QQ)


def some(rng: random.Random) -> PolyElement:
    terms = [x ** rng.randrange(4) * y ** rng.randrange(4) * z ** rng.randrange(3) for _ in range(6)]
    return sum((QQ(rng.randrange(-5, 6), 3) * term for term in terms), R.zero)


def test_the_quotient_is_that_of_long_division() -> None:
    rng = random.Random(0)
    for _ in range(30):
        poly = some(rng)
        for divisor in (x, 2 * x + 3, 1 - y, z - QQ(1, 3), x * y, x + y, x**2 + 1):
            assert _quotient(poly * divisor, divisor) == poly
            quotient, remainder = divmod(poly, divisor)
            assert _quotient(poly, divisor) == (None if remainder else quotient)


def test_powers_of_letters_are_replaced_in_every_term() -> None:
    rng = random.Random(0)
    for _ in range(30):
        poly, first, second = some(rng), y + z, 1 - x * z
        table = {0: [first**k for k in range(4)], 1: [second**k for k in range(4)]}
        assert _substituted(R, poly.terms(), [0, 1], table) == poly.compose([(x, first), (y, second)])
