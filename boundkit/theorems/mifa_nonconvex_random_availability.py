r"""MIFA on smooth non-convex losses: clients that are available at random, noise and local steps.

As mifa_nonconvex_local_steps, with the mean number of rounds in which the update of a round is used in place
of its largest value: $(2 - q)/q$, $q$ the least availability.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.mifa_nonconvex_local_steps import THEOREM as BOUNDED

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
        BOUNDED.step_size[0],
        at_most(eta_s * eta, availability / (5 * L * tau * (2 - availability))),
    ),
    terms=(
        _TERMS["initial gap"],
        derived(
            "stochastic noise",
            Rational(81, 20) * eta_s * eta * L * sigma**2 / m * (1 / availability - Rational(59, 80)),
            "1.06 (2 - q)/q of new noise in each round that uses it, and 1.93 (1 - q)/q of noise in models "
            "that later rounds find",
        ),
        _TERMS["noise drift"],
        _TERMS["client drift"],
    ),
    becomes=(
        to(
            "mifa_nonconvex_local_steps",
            {availability: 1, staleness: 0},
            factors={"stochastic noise": Rational(63, 64)},
            because="all clients are available in every round",
        ),
    ),
    remarks=("Availability that depends on the noise is not covered.",),
    source=BOUNDED.source,
    prose=__doc__,
)
