import pickle

from boundkit.algebra.errors import LONGEST, BoundkitError, DimensionError, shorten, unknown
from tests.cases import each


def test_unknown_names_what_is_near() -> None:
    message = str(unknown("theorem", "fedavg_noncnvex", ["fedavg_nonconvex", "sgd_nonconvex"]))
    assert message.startswith("unknown theorem 'fedavg_noncnvex'; did you mean 'fedavg_nonconvex'")


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
