"""Li, Sahu, Zaheer, Sanjabi, Talwalkar and Smith (2020): FedProx."""

from boundkit.algebra.authoring import *
from boundkit.algebra.erratum import Erratum

ERRATA = (
    Erratum(
        name="fedprox_copies",
        source=LI_2020_FEDPROX.at("Theorem 4, in copies"),
        text="notes",
        basis="proof",
        printed="2 mu_prox^2 in a denominator, and beta (1 + sqrt(2) inexactness).",
        reason="The proof divides by the strong convexity of the proximal problem, mu_prox - L_minus, and "
        "the root multiplies the whole parenthesis.",
        corrected="2 (mu_prox - L_minus)^2, and sqrt(2) beta (1 + inexactness).",
        consequence="Both copies give a bound that is too small.",
        theorems=("fedprox_nonconvex",),
    ),
)
