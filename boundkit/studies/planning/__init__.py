"""Plans of training with local steps: time to a target against tau, and the outer optimiser."""

from boundkit.studies.planning.plan import CURVATURES, OuterChoice, Plan, make_plan
from boundkit.studies.planning.rounds import ETA_S, FittedRounds, RoundsModel, TheoremRounds

__all__ = [
    "CURVATURES",
    "ETA_S",
    "FittedRounds",
    "OuterChoice",
    "Plan",
    "RoundsModel",
    "TheoremRounds",
    "make_plan",
]
