r"""EF21: compressed gradients with error feedback, smooth non-convex losses, full gradients.

Compression costs the step size only: the bound is that of gradient descent with a step smaller by $1 -
sqrt(1 - comp_keep)$, and there is no error floor, however heterogeneous the clients are.

Proof. Let $a = comp_keep$, $r = sqrt(1 - a)$, $V_t$ the mean of $||v_i - grad F_i(x_t)||^2$ after the
clients have sent, and $z = x_{t+1} - x_t = -eta v$, with $v$ the mean of the $v_i$.

(i) A contractive compressor leaves $1 - a$ of a squared norm. So $V_0 <= (1 - a) E_0^2$, with $E_0$ the
root mean square of the first $v_i - grad F_i(x_0)$, and by Young's inequality $V_{t+1} <= r V_t + r^2 L^2
||z||^2/(1 - r)$.

(ii) Smoothness gives $F(x+) <= F(x) - (eta/2) ||grad F(x)||^2 - (1/(2 eta) - L/2) ||z||^2 + (eta/2) V$.

(iii) So $F + eta V/(2 (1 - r))$ falls by $(eta/2) ||grad F(x)||^2$ as long as $1/eta - L - eta r^2 L^2/(1 -
r)^2 >= 0$; at $eta L = 1 - r$ that is $1 - (1 - r) - r^2 = r (1 - r) >= 0$, divided by $eta$. Sum over the
rounds.
"""

from boundkit.algebra.authoring import *

_kept = sqrt(1 - comp_keep)

THEOREM = upper(
    "ef21_nonconvex",
    title="EF21, compressed gradients, non-convex",
    algorithm="ef21",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX, NO_NOISE, CONTRACTIVE_COMPRESSION, EQUAL_WEIGHTS, FULL_PARTICIPATION, ONE_LOCAL_STEP,
        SERVER_STEP_ONE,
    ),
    steps=(at_most(eta, (1 - _kept) / L),),
    terms=(
        derived("initial gap", 2 * gap / (eta * T), "half of the squared gradient survives each round"),
        derived(
            "start-up",
            (1 - comp_keep) * control_error**2 / ((1 - _kept) * T),
            "the error of the first messages, summed geometrically",
        ),
    ),
    remarks=(
        "The letter control_error is the root mean square of ||grad F_i(x_0)||, as the first v_i are 0.",
        "With the k largest of d coordinates comp_keep is k/d; with all it is gradient descent.",
    ),
    source=RICHTARIK_2021.at(
        "Theorem 1", note="Recalled; the proof above has one constant of smoothness for all clients."
    ),
    prose=__doc__,
)  # fmt: skip
