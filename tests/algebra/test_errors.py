import pickle

from boundkit.algebra.errors import (
    LONGEST,
    BoundkitError,
    DimensionError,
    shorten,
    unknown,
)
from tests.cases import each


def test_unknown_names_what_is_near() -> None:
    message = str(unknown("theorem", "fedavg_noncnvex", ["fedavg_nonconvex", "sgd_nonconvex"]))
    assert message.startswith("unknown theorem 'fedavg_noncnvex'; did you mean 'fedavg_nonconvex'")


def test_unknown_sees_past_upper_and_lower_case() -> None:
    assert str(unknown("parameter", "Sigma_G", ["sigma", "sigma_g"])).endswith("did you mean 'sigma_g'?")
    assert str(unknown("parameter", "c", ["C", "T"])).endswith("did you mean 'C'?")


def test_unknown_lists_all_where_nothing_is_near() -> None:
    assert str(unknown("parameter", "qqq", ["b", "a", "b"])) == "unknown parameter 'qqq'; known are a, b."
    assert str(unknown("parameter", "qqq", [])) == "unknown parameter 'qqq'; there are none."
    assert str(unknown("parameter", "", ["m"])) == "unknown parameter ''; known are m."


def test_errors_are_bad_values_for_whoever_catches_those() -> None:
    assert issubclass(DimensionError, BoundkitError)
    assert issubclass(BoundkitError, ValueError)


@each("length", [LONGEST - 1, LONGEST, LONGEST + 1, 5000])
def test_a_long_text_keeps_its_ends(length: int) -> None:
    text = "".join(chr(ord("a") + k % 26) for k in range(length))
    short = shorten(text)
    assert len(short) == min(length, LONGEST)
    assert (short == text) == (length <= LONGEST)
    assert text.startswith(short[:20])
    assert text.endswith(short[-20:])


@each("given", ["a" * 5000, "a b " * 1250, "it's " * 1000, '"it\'s" ' * 800, "\\" * 5000, "'" * 5000])
def test_a_message_quotes_little_of_a_long_text_and_keeps_its_own_words(given: str) -> None:
    message = str(BoundkitError(f"the field {given!r} is no field; known are 'alpha' and 'beta'."))
    assert message.startswith("the field ")
    assert message.endswith(" is no field; known are 'alpha' and 'beta'.")
    assert len(message) < 140


def test_an_error_survives_pickling() -> None:
    error = DimensionError("x" * 5000)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert isinstance(pickle.loads(pickle.dumps(error)), DimensionError)
