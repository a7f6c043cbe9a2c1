r"""FedAWE on smooth non-convex losses with steps chosen by the number of rounds.

With eta = 1/(sqrt(T) tau L) and eta_s = sqrt(tau availability m) the start and the noise fall as
1/sqrt(tau m T): clients and local steps speed the run up although they come and go. The price of absence is
a power of availability in front, and a last part that grows with tau m and falls as 1/T.

Proof. Put the steps into fedawe_nonconvex: eta_s eta tau L = sqrt(tau availability m/T). Its conditions
become conditions on T by squaring, and eta_s >= 1 becomes tau availability m >= 1.
"""

from dataclasses import replace

from sympy import Rational, sqrt

from boundkit.algebra import Term, Theorem
from boundkit.algebra.condition import at_least
from boundkit.algebra.notation import (
    L,
    T,
    availability,
    availability_max,
    beta,
    eta,
    eta_s,
    gap,
    kappa,
    m,
    mixing,
    sigma,
    tau,
)
from boundkit.theorems.fedawe_nonconvex import THEOREM as PAPER

_SPREAD = tau * m / (T * availability * (1 - sqrt(mixing)) ** 2)

THEOREM = Theorem(
    name="fedawe_nonconvex_tuned",
    algorithm="fedawe",
    claim=PAPER.claim,
    assumptions=PAPER.assumptions,
    requires=PAPER.requires,
    step_size=(
        at_least(
            T, 6400 * tau * m * beta**2 * (1 + sqrt(mixing)) ** 2 / (availability * (1 - sqrt(mixing)) ** 2)
        ),
        at_least(T, 40000 * beta**2 / availability**2),
        at_least(tau * availability * m, 1),
    ),
    rules={eta: 1 / (sqrt(T) * tau * L), eta_s: sqrt(tau * availability * m)},
    terms=(
        Term(
            "initial gap",
            12 * L * gap / sqrt(tau * availability * m * T),
            provenance="derived",
            because="12 by fedawe_nonconvex, at eta_s eta tau L = sqrt(tau availability m/T)",
        ),
        Term(
            "stochastic noise",
            48 * availability_max * sigma**2 / (availability ** Rational(3, 2) * sqrt(tau * m * T)),
            provenance="derived",
            because="48 by fedawe_nonconvex; eta_s holds sqrt(availability), so of its 2 powers 3/2 are left",
        ),
        Term(
            "unavailability",
            31 * sigma**2 * _SPREAD,
            provenance="derived",
            because="31 by fedawe_nonconvex; 31 + 216/(tau^2 availability m) by fedawe_nonconvex_safe",
            label="noise of old models",
        ),
        Term(
            "unavailability",
            5600 * kappa**2 * _SPREAD,
            provenance="derived",
            because="5600 by fedawe_nonconvex",
            label="unlike old models",
        ),
    ),
    definitions=PAPER.definitions,
    limits=PAPER.limits[:2],
    remarks=(
        "Where everybody comes with chance k/m, k clients in the mean, the rate is 1/sqrt(tau k T).",
        "The last two terms grow with tau m; they are below the others once T is of the order (tau m)^3.",
        "It leans on fedawe_nonconvex and shares its open step and its lost term; see the errata there.",
        *PAPER.remarks[:2],
    ),
    errata=(
        "The paper states the rate up to a constant, and none of the conditions on T.",
        "As first submitted, the last term carried a bare L; the published form is free of it.",
    ),
    source=replace(
        PAPER.source,
        where="Corollary 1",
        note="The rate is stated up to a constant; the constants follow by putting the steps in.",
    ),
    prose=__doc__,
)
