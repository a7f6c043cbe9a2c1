from typing import Any

import pytest
from sympy import Integer, nan, oo, zoo

from boundkit.algebra.errors import BoundkitError
from boundkit.algebra.notation import C, gap, sigma_g
from boundkit.algebra.term import Term
from tests.cases import each


def test_zero_is_a_term_and_becomes_a_sympy_number() -> None:
    term = Term("client drift", 0, "derived", "nobody moves")
    assert term.expr == Integer(0)
    assert term.expr.free_symbols == set()


@each(
    ("changed", "words"),
    [
        ({"cause": "clint drift"}, "unknown cause 'clint drift'; did you mean 'client drift'"),
        ({"provenance": "proved"}, "unknown provenance 'proved'"),
        ({"because": "  "}, "needs a reason"),
        ({"expr": "eta*L"}, "'eta*L' was given"),
        ({"expr": None}, "None was given"),
        ({"expr": [gap]}, "needs a sympy expression"),
        ({"expr": True}, "needs a sympy expression"),
        ({"expr": gap / (C - C)}, "infinite or undefined"),
        ({"expr": oo}, "infinite or undefined"),
        ({"expr": zoo * gap}, "infinite or undefined"),
        ({"expr": nan}, "infinite or undefined"),
    ],
)
def test_malformed_term_is_refused_by_a_sentence(changed: dict[str, Any], words: str) -> None:
    good: dict[str, Any] = {
        "cause": "client drift",
        "expr": sigma_g**2,
        "provenance": "stated",
        "because": "x",
    }
    with pytest.raises(BoundkitError) as error:
        Term(**{**good, **changed})
    assert words in str(error.value)
