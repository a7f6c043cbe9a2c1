r"""The second variance factor of FedAdagrad's bound, as recalled: over adaptivity squared.

The factor multiplies gap over the server step size, which is a gradient. Over the square of the adaptivity, a
length, it is a loss; over the cube it is a gradient.
"""

from boundkit.algebra import Claim, Source, Term
from boundkit.algebra.dimension import GRADIENT
from boundkit.algebra.exhibit import Exhibit, Form
from boundkit.algebra.notation import G_inf, L, T, adaptivity, eta, eta_a, m, sigma, sigma_g, tau

_WEIGHT = 2 * eta * tau * G_inf**2 + adaptivity * eta_a * L
_WALK = 2 * eta**2 * tau * T / m * sigma**2 + 10 * eta**4 * tau**3 * L**2 * T * (
    sigma**2 + 6 * tau * sigma_g**2
)

EXHIBIT = Exhibit(
    name="fedadagrad_variance",
    algorithm="fedadagrad",
    claim=Claim(
        name="variance factor beside gap/eta",
        latex=r"\tilde\Psi_{\mathrm{var}}",
        plain="Psi_var",
        observable="none",
        summary="last",
        dimension=GRADIENT,
    ),
    kind="order",
    printed=Form(
        terms=(Term("stochastic noise", _WEIGHT * _WALK / adaptivity**2, "order", because="as remembered"),)
    ),
    repaired=Form(
        terms=(
            Term(
                "stochastic noise", _WEIGHT * _WALK / adaptivity**3, "order", because="the unit wants a cube"
            ),
        )
    ),
    lost="A power of the adaptivity was lost: over its cube the factor is a gradient, as gap/eta is.",
    doubt="The bound is quoted from memory: the slip may be that of memory, not of the paper.",
    source=Source(
        authors=("Reddi", "Charles", "Zaheer", "Garrett", "Rush", "Konecny", "Kumar", "McMahan"),
        year=2021,
        title="Adaptive Federated Optimization",
        venue="ICLR 2021",
        arxiv="2003.00295",
        where="Theorem 1, recalled",
        renamed={"eta_l": eta, "eta": eta_a, "K": tau, "tau": adaptivity, "G": G_inf, "sigma_l": sigma},
    ),
    prose=__doc__,
)
