import math

from hypothesis import given, settings
from hypothesis import strategies as st

from boundkit.algebra.domain import COUNT, COUNT_FROM_ZERO, FRACTION, NONNEGATIVE, POSITIVE, Domain, is_whole
from tests.cases import each


@each(
    ("domain", "inside", "outside"),
    [
        (POSITIVE, [1e-300, 1.0, 1e300], [0.0, -1e-9]),
        (NONNEGATIVE, [0.0, 3.0], [-1e-9]),
        (FRACTION, [1e-9, 0.5, 1.0], [0.0, 1.0000001, -0.5]),
        (COUNT, [1.0, 2.0, 1e9, 0.1 * 30], [0.0, 0.5, 1.5, -1.0]),
        (COUNT_FROM_ZERO, [0.0, 7.0], [-1.0, 0.25]),
    ],
)
def test_domain_takes_what_is_inside_and_complains_of_the_rest(
    domain: Domain, inside: list[float], outside: list[float]
) -> None:
    for value in inside:
        assert domain.contains(value)
        assert domain.complaint(value) is None
    for value in outside:
        assert not domain.contains(value)
        assert domain.complaint(value) == f"it must be {domain}"


@each("value", [math.nan, math.inf, -math.inf])
@each("domain", [POSITIVE, NONNEGATIVE, FRACTION, COUNT])
def test_no_domain_takes_what_is_not_finite_and_the_complaint_says_so(domain: Domain, value: float) -> None:
    assert not domain.contains(value)
    assert "finite" in str(domain.complaint(value))


@each("value", [2**53 + 1, 10**23, -(2**53) - 1, 10**400])
def test_whole_numbers_that_double_precision_would_round_are_refused(value: int) -> None:
    assert not COUNT.contains(value)
    said = str(COUNT.complaint(value))
    assert ("exactly" in said) == (0 < value < 10**308)
    assert POSITIVE.contains(value) == (0 < value < 10**308)  # a real number is rounded, as 0.1 is


@settings(max_examples=30)
@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_a_fraction_of_clients_is_whole_despite_rounding(chosen: int, clients: int) -> None:
    assert is_whole(chosen / clients * clients)
