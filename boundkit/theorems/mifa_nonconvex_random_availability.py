r"""MIFA on smooth non-convex losses: clients that are available at random, noise and local steps.

The terms are those of mifa_nonconvex_local_steps, with moments of the age of an update in place of its
largest value: twice the inverse of the least availability, and its square.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.mifa_nonconvex_local_steps import THEOREM as BOUNDED

_round = eta_s * eta * tau
_TERMS = BOUNDED.bound.terms

THEOREM = upper(
    "mifa_nonconvex_random_availability",
    title="MIFA, non-convex, random availability",
    algorithm="mifa",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX_NOISY,
        BOUNDED_DISSIMILARITY,
        EQUAL_WEIGHTS,
        CHANGING_AVAILABILITY,
        INITIAL_UPDATES,
        COMMON_STEPS,
    ),
    steps=(
        *BOUNDED.step_size[:2],
        at_most(4 * _round * L * sqrt(1 - availability), 1 - sqrt(1 - availability)),
    ),
    terms=(
        _TERMS["initial gap"],
        derived(
            "stochastic noise",
            Rational(57, 50)
            * eta_s
            * eta
            * L
            * sigma**2
            * (2 - availability)
            / (availability * m)
            * (1 + 6 * _round * L * (1 - availability) / availability),
            "(8/7)/2 times 399/200: each noise is used until the next update of its client; and less for "
            "stored noise and the models that it moved",
        ),
        _TERMS["noise drift"],
        _TERMS["client drift"],
    ),
    becomes=(
        to(
            "mifa_nonconvex_local_steps",
            {availability: 1, staleness: 0},
            because="all clients are available in every round",
        ),
    ),
    remarks=("Availability that depends on the noise is not covered.",),
    source=BOUNDED.source,
    prose=__doc__,
)
