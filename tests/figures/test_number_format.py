import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundkit.algebra.notation import ALPHABET
from boundkit.figures.number_format import formula, number, ratio, symbol
from boundkit.theorems import catalogue

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def read(text: str) -> float:
    """The number that a reader sees."""
    mantissa, times, power = text.partition("×10")
    if times:
        return float(mantissa) * 10.0 ** int(power.translate(SUPERSCRIPTS))
    if text.startswith("10") and text[2:].translate(SUPERSCRIPTS) != text[2:]:
        return 10.0 ** int(text[2:].translate(SUPERSCRIPTS))
    return float(text)


@given(st.floats(1e-200, 1e200))
def test_a_number_is_read_as_what_it_is_to_its_digits(value: float) -> None:
    assert read(number(value)) == pytest.approx(value, rel=0.051)
    assert read(number(value, 3)) == pytest.approx(value, rel=0.0051)
    assert len(number(value)) <= 10


@given(st.floats(1e-9, 1e6))
def test_a_ratio_is_read_on_the_right_side_of_one(value: float) -> None:
    seen = read(ratio(value))
    assert seen == pytest.approx(value, rel=0.051)
    if abs(value - 1) > 0.0006:
        assert (seen > 1) == (value > 1)


def test_every_claim_and_letter_of_the_house_can_be_set() -> None:
    for theorem in catalogue().values():
        assert formula(theorem.claim.latex) is not None
    for name in ALPHABET:
        assert formula(symbol(name)[1:-1]) is not None


def test_what_is_not_finite_is_a_sign() -> None:
    assert [number(float(value)) for value in ("inf", "-inf", "nan")] == ["∞", "-∞", "nan"]
    assert ratio(float("inf")) == "∞"
