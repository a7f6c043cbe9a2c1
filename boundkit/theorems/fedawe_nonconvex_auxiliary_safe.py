r"""FedAWE at the auxiliary sequence, with the noise term that the paper lost on the way.

The statement is that of fedawe_nonconvex_auxiliary, but the noise of old models costs 108/(tau eta_s^2) more.

Proof. As there, with the descent lemma's 9 eta_s eta^3 tau^2 L^2 sigma^2 E(rounds away)^2 kept. E(rounds
away)^2 is at most 2/availability^2; over eta_s eta tau, times 6, and with 1 <= 1/(1 - sqrt(mixing))^2.
"""

from boundkit.algebra import Reduction, Term, Theorem
from boundkit.algebra.notation import eta_s, tau
from boundkit.theorems.fedawe_nonconvex_auxiliary import THEOREM as PAPER
from boundkit.theorems.fedawe_nonconvex_safe import THEOREM as SAFE

_PAPER = PAPER.bound.terms
_EXTRA = 108 / (tau * eta_s**2)

THEOREM = Theorem(
    name="fedawe_nonconvex_auxiliary_safe",
    algorithm="fedawe",
    claim=PAPER.claim,
    assumptions=PAPER.assumptions,
    requires=PAPER.requires,
    step_size=PAPER.step_size,
    terms=(
        _PAPER["initial gap"],
        _PAPER["stochastic noise"],
        Term(
            "unavailability",
            (15 + _EXTRA) * _PAPER["noise of old models"].expr / 15,
            provenance="appendix",
            because="15 as printed, and 108/(tau eta_s^2) for the term that was lost, where 108 = 6 (9) (2)",
            label="noise of old models",
        ),
        _PAPER["unlike old models"],
    ),
    definitions=PAPER.definitions,
    reductions=(
        Reduction(
            to="fedawe_nonconvex_auxiliary",
            when={},
            factors={"noise of old models": (15 + _EXTRA) / 15},
            because="what was lost comes back",
        ),
    ),
    limits=PAPER.limits,
    remarks=SAFE.remarks,
    errata=PAPER.errata,
    source=PAPER.source,
    prose=__doc__,
)
