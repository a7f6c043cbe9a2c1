"""Relations between assumptions, as data: one group of assumptions on one topic in each module."""

from boundkit.algebra.notation import m, p_i
from boundkit.algebra.vocabulary import (
    ASYNCHRONOUS_CLOCK,
    CONSTANT_MOMENTUM,
    CONSTANT_SLOPE,
    EQUAL_WEIGHTS,
    HUBER_WITH_LINEAR_TERMS,
    INCREASING_MOMENTUM,
    ONE_PIECEWISE_CLIENT,
    ONE_STIFF_CLIENT,
    OPPOSITE_CURVATURES,
    OVERLAPPED_CLOCK,
    RARE_JUMPS,
    SHARED_CURVATURE,
    SYNCHRONOUS_CLOCK,
    WEIGHTED_OBJECTIVE,
)
from boundkit.analysis.assumptions.dissimilarity import DISSIMILARITY
from boundkit.analysis.assumptions.losses import CONVEXITY, SMOOTHNESS
from boundkit.analysis.assumptions.noise import NOISE
from boundkit.analysis.assumptions.participation import LOCAL_WORK, PARTICIPATION
from boundkit.analysis.assumptions.relation import NATURES, Conflict, Implication, Nature, Refutation, Subject

__all__ = ["NATURES", "SUBJECTS", "Conflict", "Implication", "Nature", "Refutation", "Subject"]

_OBJECTIVE = Subject(
    "objective",
    choices=(EQUAL_WEIGHTS, WEIGHTED_OBJECTIVE),
    exclusive=(EQUAL_WEIGHTS, WEIGHTED_OBJECTIVE),
    implications=(Implication((EQUAL_WEIGHTS,), WEIGHTED_OBJECTIVE, "every weight is 1/m", {p_i: 1 / m}),),
)
_INSTANCES = (
    OPPOSITE_CURVATURES,
    ONE_STIFF_CLIENT,
    ONE_PIECEWISE_CLIENT,
    RARE_JUMPS,
    CONSTANT_SLOPE,
    HUBER_WITH_LINEAR_TERMS,
    SHARED_CURVATURE,
)
_CLOCKS = (SYNCHRONOUS_CLOCK, OVERLAPPED_CLOCK, ASYNCHRONOUS_CLOCK)

_MOMENTA = (CONSTANT_MOMENTUM, INCREASING_MOMENTUM)

SUBJECTS: dict[str, Subject] = {
    subject.name: subject
    for subject in (
        SMOOTHNESS,
        CONVEXITY,
        NOISE,
        DISSIMILARITY,
        _OBJECTIVE,
        PARTICIPATION,
        LOCAL_WORK,
        Subject("momentum", choices=_MOMENTA, exclusive=_MOMENTA),
        Subject("instance", suppositions=_INSTANCES),
        Subject("clock", choices=_CLOCKS, exclusive=_CLOCKS),
    )
}
"""Each subject by its name, in the order in which a theorem lists its assumptions."""
