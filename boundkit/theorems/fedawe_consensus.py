r"""FedAWE on smooth non-convex losses: the consensus error of the clients' models.

The mean squared distance of the models from their mean, times $L^2$ so that it has the unit of a squared
gradient. Everything in it falls with the square of the step $s = eta_s eta tau$: models differ by what has
not been mixed yet and by what absent clients missed, $(s L)^2 P$ times the clients' squared directions, with
P of fedawe_nonconvex_sharp. These are the dissimilarity, the bias of local steps, and $beta^2$ times the
squared gradient, for which its own bound stands, initial gap and stochastic noise. The noise of single rounds
is in the models of absent clients only, and falls with the number of clients.

Proof. With $z_i$, $u_i$ and $a_i$ of fedawe_nonconvex_sharp, $z$ the mean of the $z_i$ and $v_i = z_i - z$, a
stored model is $x_i = z + u_i + v_i$. So the consensus error X is at most $2 L^2$ times the mean of
$||v_i||^2 + ||u_i||^2$, by (ii) there at most $2 (s L)^2 P$ times that of $||a_i||^2$, and noise, $16/7 (s
L)^2 sigma^2/tau$ times $R/(m (1 - r))$. For $a_i = (g_i - c_i) - b_i$ Young's inequality with $1/6$ and $1/5$
gives $||a_i||^2 <= 7/5 ||g_i||^2 + 7 ||c_i||^2 + 7 ||b_i||^2$, where the mean of $||c_i||^2$ is at most X.
Add $15/2 beta^2 (s L)^2 P/s$ times the descent of (iii), which pays for the squared gradient in $||g_i||^2$.
As $(s L beta)^2 P <= 1/100$, at most $3/13$ of X returns, so that $13/5$ stands for 2.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedawe_nonconvex_sharp import SPREAD
from boundkit.theorems.fedawe_nonconvex_sharp import THEOREM as MEAN_MODEL

_round = eta_s * eta * tau
_MOVED = (_round * L) ** 2 * SPREAD

THEOREM = upper(
    "fedawe_consensus",
    title="FedAWE, consensus error",
    algorithm="fedawe",
    bounds=CONSENSUS,
    assumes=MEAN_MODEL.assumptions,
    requires=MEAN_MODEL.requires,
    steps=MEAN_MODEL.step_size,
    terms=(
        derived(
            "initial gap",
            Rational(15, 2) * beta**2 * _MOVED * gap / (_round * T),
            "13/5 times 7/6 and 6/5, and what the bias of local steps adds, over what is left of 21/40",
        ),
        derived(
            "stochastic noise",
            Rational(13, 3)
            * beta**2
            * _MOVED
            * eta_s
            * eta
            * L
            * sigma**2
            * (2 - availability)
            / (availability * m),
            "15/2 times 8/7 over 2: the noise of the descent",
        ),
        derived(
            "unavailability",
            3
            * (_round * L) ** 2
            * sigma**2
            * (1 - availability)
            * (2 - availability)
            / (availability**2 * (1 - sqrt(mixing)) * m * tau),
            "8/7 times 13/5: noise that is in some of the models only",
            label="stale-model noise",
        ),
        derived(
            "unavailability",
            4 * kappa**2 * _MOVED,
            "13/5 times 7/6 and 6/5, and what the bias of local steps adds",
            label="stale-model dissimilarity",
        ),
        derived(
            "noise drift",
            18 * beta**2 * _MOVED * eta**2 * L**2 * sigma**2 * (tau - 1),
            "28 times 5/8: the bias of local steps in the directions and in the descent",
        ),
    ),
    definitions=MEAN_MODEL.definitions,
    remarks=MEAN_MODEL.remarks,
    source=XIANG_2024.at(
        "Corollary 3",
        note="The method is the paper's; the conditions, the statement and its proof are ours. The paper's "
        "initial gap and noise do not fall with the squared step, and its dissimilarity has 283 for 4.",
    ),
    prose=__doc__,
)
