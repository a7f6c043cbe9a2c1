"""Scaffnew on smooth strongly convex losses: exchanges as the root of $L/mu$.

Local steps reach the optimum of the mean loss, at the rate of gradient descent, as long as the square of
$exchange$ is at least $eta mu (2 - eta mu)$. With $exchange = 2 sqrt(mu L)/(L + mu)$ at the largest step
both are equal, and the exchanges to a given accuracy grow as $sqrt(L/mu)/2$ times its logarithm.
"""

from boundkit.algebra.authoring import *

_shrinkage = Min(eta * mu * (2 - eta * mu), exchange**2)
_kept = (1 - _shrinkage) ** T

THEOREM = upper(
    "scaffnew_strongly_convex",
    title="Scaffnew, strongly convex",
    algorithm="scaffnew",
    bounds=LAST_SQUARED_DISTANCE,
    assumes=(*STRONGLY_CONVEX_NOISY, EQUAL_WEIGHTS, COMMON_EXCHANGE),
    requires=(at_most(mu, L),),
    steps=(at_most(eta, 2 / (L + mu)),),
    terms=(
        derived("initial gap", _kept * distance**2, "every step shrinks the Lyapunov function"),
        derived(
            "start-up",
            _kept * eta**2 * control_error_star**2 / exchange**2,
            "the Lyapunov function weighs the error of the controls by (eta/exchange)^2",
        ),
        derived(
            "stochastic noise",
            eta**2 * sigma**2 * (1 - _kept) / _shrinkage,
            "the noise of each client's own steps, summed geometrically",
        ),
    ),
    remarks=(
        "T counts local steps here; the clients exchange their models in a fraction exchange of them.",
        "The proof bounds the mean over the clients of ||x_i - x*||^2, which is larger than the squared "
        "distance of their mean. The noise is not divided by m, as a client has its own until an exchange.",
        "The square of control_error_star is the mean of ||h_i - grad F_i(x*)||^2 over the first controls: "
        "sigma_star^2 if they are 0.",
        "The paper has the rate 1 - min(eta mu, exchange^2) for eta <= 1/L.",
        "Attained on homogeneous clients of curvature mu, by the start and by the noise of one client.",
    ),
    source=MISHCHENKO_2022.at(
        "the linear rate of Scaffnew", note="Recalled; with the rate of the proof here, which is larger."
    ),
    prose=__doc__,
)
