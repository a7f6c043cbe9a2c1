r"""Clipped gradient descent on relaxed-smooth losses: rounds until the gradient is small.

While the gradient is above the target, a round promises at least eta times its square, or clip times it,
whichever is less. So the target is met within the rounds that steps of the one kind would need, plus
those that steps of the other kind would need. The first count has the square of the target, the second
not: clipped rounds are few.

Proof. Let the gradient be above the target in the first R rounds. By clipped_gd_relaxed_smooth,
R min(eta target^2, clip target) is less than 5/2 of the gap, so R is at most the larger of
(5/2) gap/(eta target^2) and (5/2) gap/(clip target), and the larger is at most the sum.
"""

from sympy import Rational, oo

from boundkit.algebra import Limit, Term, Theorem
from boundkit.algebra.condition import at_most
from boundkit.algebra.notation import L0, L1, clip, eta, gap, target
from boundkit.algebra.vocabulary import ROUNDS_TO_TARGET
from boundkit.theorems.clipped_gd_relaxed_smooth import THEOREM as DECREASE_THEOREM

THEOREM = Theorem(
    name="clipped_gd_relaxed_smooth_rounds",
    algorithm="clipped_minibatch_sgd",
    claim=ROUNDS_TO_TARGET,
    assumptions=DECREASE_THEOREM.assumptions,
    step_size=(at_most(eta, 1 / (2 * L0)), at_most(clip, 1 / (2 * L1))),
    terms=(
        Term(
            "initial gap",
            Rational(5, 2) * gap / (eta * target**2),
            provenance="derived",
            because="5/2 of the gap, at eta target^2 a round at least",
        ),
        Term(
            "clipping",
            Rational(5, 2) * gap / (clip * target),
            provenance="derived",
            because="5/2 of the gap, at clip target a round at least",
        ),
    ),
    limits=(Limit(when={clip: oo}, removes=("clipping",)),),
    remarks=(
        "The larger of the two terms is enough; their sum is stated, so that each cause has a term.",
        "At the largest steps, eta = 1/(2 L0) and clip = 1/(2 L1), it is 5 gap (L0/target^2 + L1/target).",
    ),
    source=DECREASE_THEOREM.source,
    prose=__doc__,
)
