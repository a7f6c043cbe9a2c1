r"""FedVARP on smooth non-convex losses, for any number of clients: F + s w A falls.

A is the error of the stored updates. With 1/(m - 1) <= 2/m the descent weighs 2/s, and E||v||^2 (4/3) c. With
other numbers the same steps lead to smaller constants, without a term for the first direction, and hold for
local steps three times as long, and server steps twice as long. Where C of the start-up is charged to the
first direction, 1 - C of the published term for stored updates is left.
"""

from typing import Any

from boundkit.algebra.notation import C, L, m
from boundkit.proofs.authoring import *
from boundkit.theorems.fedvarp_nonconvex import THEOREM

s = round_of(THEOREM).length
c = s * L
h = Rational(1, 10)
share = 2 * (1 - C) / (C * m)


def _chart(local: Any, server: Any, times: int) -> CoordinateChart:
    return any_clients_chart(local, server, limits=((C * m) ** 3 - (times * c * m) ** 2,))


PROOF = Certificate(
    THEOREM,
    charts=(_chart(h, Rational(1, 4), 8),),
    steps=(
        step("descent", DESCENT, weight=2 / s),
        step("stored updates", STORED_ERROR, w=C / 2, weight=4 * c * share / C),
        step("telescoping of stored updates", TELESCOPING_STORED_ERROR, removes=next_stored_error),
        step("weight of the direction", NONNEGATIVE, of=direction, removes=direction, leaving=4 * c / 3),
        step("participation", PARTICIPATION_BOUND, removes=direction),
        dispersion_of_directions(Rational(1, 3), stored=y),
        step("mean of the stored updates", SQUARE, of=(g - y).mean, removes=inner(g.mean, y.mean)),
        step("stored updates fall", SQUARE, of=g - y, removes=inner(g, y)),
        error_against_gradient(Rational(1, 4)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step(
            "weight of the variance",
            NONNEGATIVE,
            of=client_variance,
            removes=client_variance,
            leaving=12 * c / (C * m),
        ),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        step("weight of the errors", SQUARE, of=e, removes=square(e), leaving=Rational(8)),
        error_of_a_client(h, Rational(3, 40), Rational(577, 2000), Rational(2707, 5000)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)

_longer = Rational(8, 25)
_descent = Rational(239, 200) + Rational(69, 100) * c
_direction = Rational(5, 8) * _descent * c
VARIANTS = (
    PROOF.changed("descent", weight=_descent / s)
    .changed("stored updates", arguments={"w": C / 4}, weight=_descent * c * share / C)
    .changed("weight of the direction", leaving=_direction)
    .changed("dispersion of the directions", arguments={"y": Rational(1, 5)})
    .changed("error against gradient", arguments={"w": Rational(3, 20)})
    .changed("weight of the variance", leaving=Rational(21, 8) * _descent * c / (C * m))
    .changed("weight of the errors", leaving=Rational(15, 4)),
    PROOF.changed("stored updates", {"w": C / 4}, weight=5 * c * share / (2 * C))
    .replaced(
        "telescoping of stored updates",
        step("from the first direction", FIRST_DIRECTION, k=Rational(1, 2), sampling=share / 2, weight=5 * c),
        PROOF.step("telescoping of stored updates"),
    )
    .changed("dispersion of the directions", {"y": Rational(1, 4)})
    .changed("weight of the variance", leaving=10 * c / (C * m))
    .changed("weight of the errors", leaving=Rational(20)),
    PROOF.of(THEOREM, charts=(_chart(_longer, Rational(1, 2), 8),))
    .changed("descent", weight=3 / s)
    .changed("stored updates", weight=6 * c * share / C)
    .changed("weight of the direction", leaving=2 * c)
    .changed("weight of the variance", leaving=18 * c / (C * m))
    .changed("variance of a client", {"h": _longer})
    .changed("weight of the errors", leaving=Rational(9))
    .replaced("error of a client", error_of_a_client(_longer, Rational(1, 5), Rational(9, 20), 1)),
    PROOF.of(THEOREM, charts=(_chart(h, Rational(1, 4), 4),))
    .changed("stored updates", weight=Rational(43, 5) * c * share / C)
    .changed("weight of the direction", leaving=16 * c / 5)
    .changed("error against gradient", {"w": Rational(1, 8)})
    .changed("weight of the variance", leaving=30 * c / (C * m))
    .changed("weight of the errors", leaving=Rational(30)),
)
