r"""Scaffnew on smooth strongly convex losses: exchanges as the root of $L/mu$.

Local steps reach the optimum of the mean loss, at the rate of gradient descent, as long as the square of
$exchange$ is at least $eta mu (2 - eta mu)$. With $exchange = 2 sqrt(mu L)/(L + mu)$ at the largest step
both are equal, and the exchanges to a given accuracy grow as $sqrt(L/mu)/2$ times its logarithm.

Proof. Stack the models $x_i$ and controls $h_i$ of the clients; $J$ averages over clients, $p$ is
$exchange$, and $h* = (grad F_i(x*))$. Let $w_i = x_i - eta g_i(x_i)$, so that a step gives $y_i = w_i + eta
h_i$, and $x* = w* + eta h*$. Take $V = ||x - x*||^2 + (eta/p)^2 ||h - h*||^2$ and $u = y - x*$, $v =
(eta/p) (h - h*)$, with $J v = 0$.

(i) With an exchange $x = J y$ and $(eta/p) h$ becomes $(eta/p) h - (1 - J) y$, so $V$ becomes $||J u||^2
+ ||(1 - J) u - v||^2 = ||u||^2 - 2 <u, v> + ||v||^2$; without one it becomes $||u||^2 + ||v||^2$. In the
mean over the coin it is $||u||^2 - 2 p <u, v> + ||v||^2$, and with $u = (w - w*) + p v$ this is exactly
$||w - w*||^2 + (1 - p^2) ||v||^2$.

(ii) A gradient step on a mu-strongly convex, $L$-smooth loss shrinks distances by $1 - eta mu$ for $eta <=
2/(L + mu)$, and the noise of $m$ clients adds $m eta^2 sigma^2$. So $V$ shrinks by $Q = max((1 - eta
mu)^2, 1 - p^2)$ in the mean, up to $m eta^2 sigma^2$; sum the geometric series and divide by $m$.

(iii) The squared distance of the mean of the models is at most the mean of their squared distances.
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
        "the linear rate of Scaffnew", note="Recalled; with the rate of the proof above, which is larger."
    ),
    prose=__doc__,
)
