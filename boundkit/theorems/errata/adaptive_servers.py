"""Reddi et al. (2021), FedAdagrad; Wang and Joshi (2018), AdaComm."""

from boundkit.algebra.authoring import *
from boundkit.algebra.claim import Claim
from boundkit.algebra.dimension import GRADIENT
from boundkit.algebra.erratum import Erratum, Form

_VARIANCE = Claim(
    name="variance factor beside gap/eta",
    latex=r"\tilde\Psi_{\mathrm{var}}",
    plain="Psi_var",
    observable="none",
    summary="last",
    dimension=GRADIENT,
)
_WEIGHT = 2 * eta * tau * G_inf**2 + adaptivity * eta_a * L
_WALK = 2 * eta**2 * tau * T / m * sigma**2 + 10 * eta**4 * tau**3 * L**2 * T * (
    sigma**2 + 6 * tau * sigma_g**2
)

ERRATA = (
    Erratum(
        name="fedadagrad_variance",
        source=REDDI_2021.at("Theorem 1, second form of the variance"),
        text="recalled",
        basis="units",
        printed=Form(
            _VARIANCE,
            (order("stochastic noise", _WEIGHT * _WALK / adaptivity**2, "as recalled"),),
            kind="order",
        ),
        reason="The factor multiplies gap over the server step size, which is a gradient, but over the "
        "square of the adaptivity it is a loss.",
        corrected=Form(
            _VARIANCE,
            (order("stochastic noise", _WEIGHT * _WALK / adaptivity**3, "the power that has the unit"),),
            kind="order",
        ),
        consequence="fedadagrad_nonconvex leaves this form out. It is quoted from memory: the error may be "
        "in the recollection.",
    ),
    Erratum(
        name="adacomm_loss_ratio",
        source=WANG_2018_ADACOMM.at("the rule for the number of local steps"),
        text="paper",
        basis="definition",
        printed="The number of local steps falls with sqrt(F_l/F_0).",
        reason="The ratio supposes F_inf = 0: it changes when a constant is added to the loss, and stays "
        "near 1 where the infimum is far from 0.",
        corrected="The excess over the infimum stands in its place, sqrt((F_l - F_inf)/(F_0 - F_inf)).",
        consequence="For losses with infimum 0 the two agree; the rule here has the excess.",
        theorems=("adacomm_nonconvex",),
    ),
)
