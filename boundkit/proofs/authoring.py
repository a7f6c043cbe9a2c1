"""Everything that a certificate needs, for ``from boundkit.proofs.authoring import *``.

Lemmas, vectors and atoms of the library; ``step`` and ``Certificate``; charts of common settings.
"""

from __future__ import annotations

from typing import Any

from sympy import Rational as Rational
from sympy import Symbol

from boundkit.algebra.notation import C, L, eta, eta_s, m, tau
from boundkit.proofs.certificate import Certificate as Certificate
from boundkit.proofs.certificate import step as step
from boundkit.proofs.domain import Chart as Chart
from boundkit.proofs.domain import letter as letter
from boundkit.proofs.lemmas import *
from boundkit.proofs.linear_form import inner as inner
from boundkit.proofs.linear_form import square as square

_A, _c, _n, _j, _f = (Symbol(name) for name in ("A", "c", "n", "j", "f"))


def partial_chart(local: Any, server: Any) -> Chart:
    """Return the chart A = eta L tau <= local, c = eta_s eta L tau <= server, C m of m >= 2 clients."""
    return Chart(
        letters=(
            letter("A", eta * L * tau, 0, local, positive=True),
            letter("c", eta_s * eta * L * tau, 0, server, positive=True),
            letter("n", tau - 1),
            letter("j", m - 2),
            letter("f", (C * m - 1) / (m - 1), 0, 1),
        ),
        values={
            eta: _A / (L * (1 + _n)),
            eta_s: _c / _A,
            tau: 1 + _n,
            m: 2 + _j,
            C: (1 + (1 + _j) * _f) / (2 + _j),
        },
    )
