"""Certificates with one error share most of their inequalities, each of which is decided once."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from boundkit.proofs import checker, domain
from boundkit.proofs.scalar_inequalities import MOST_BOXES, Decision, prove, quick_sign


@pytest.fixture(autouse=True, scope="session")
def each_inequality_once() -> Iterator[None]:
    known: dict[Any, Decision] = {}
    signs: dict[Any, int] = {}

    def once(
        expr: Any, box: Any, constraints: Sequence[Any] = (), strict: bool = False, most: int = MOST_BOXES
    ) -> Decision:
        key = expr, frozenset(box.items()), tuple(constraints), strict, most
        if key not in known:
            known[key] = prove(expr, box, constraints, strict, most)
        return known[key]

    def sign_once(poly: Any, box: Any) -> int:
        key = poly, frozenset(box.items())
        if key not in signs:
            signs[key] = quick_sign(poly, box)
        return signs[key]

    with pytest.MonkeyPatch.context() as patched:
        for module in (checker, domain):
            patched.setattr(module, "prove", once)
        patched.setattr(domain, "quick_sign", sign_once)
        yield
