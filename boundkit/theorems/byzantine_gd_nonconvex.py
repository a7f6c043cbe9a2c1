r"""Gradient descent with Byzantine clients and a robust server, smooth non-convex losses, full gradients.

The error floor is the coefficient of the aggregator times the squared dissimilarity of the honest clients,
at any step: what is spread hides an attack. Let $f$ of $n$ clients be Byzantine. The trimmed mean has the
coefficient $f/(n - 2 f)$, and no aggregator a smaller one: with $f$ values at $z$ and the rest at 0 the
aggregate is that of the zeros alone, while the clients at $z$ may be honest.

Coefficients, in one coordinate, with $N = n - f$ honest values of variance $v$. Both rules do not fall when
a Byzantine value rises, so that the worst are all at plus infinity. The trimmed mean is then the mean of
the $N - f$ largest honest values: with $w = 1/(N - f)$ on these, the squared error is at most $(sum w^2 -
1/N) N v = f v/(N - f)$. For odd $n$ the median has $h = (n + 1)/2 - f$ honest values that are not below it,
so that the squared error is at most $(N - h) v/h = (n - 1) v/(n - 2 f + 1)$; for even $n$ the weights 1/2
and $1/(2 h)$ on $h = n/2 - f$ values pool to $1/(h + 1)$, and it is $(n - 2) v/(n - 2 f + 2)$. All are
attained by two values.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "byzantine_gd_nonconvex",
    title="Byzantine clients, gradient descent, non-convex",
    algorithm="robust_fedavg",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX, NO_NOISE, BOUNDED_DISSIMILARITY, ROBUST_AGGREGATION, EQUAL_WEIGHTS, FULL_PARTICIPATION,
        ONE_LOCAL_STEP, SERVER_STEP_ONE,
    ),
    steps=(at_most(eta, 1 / L),),
    terms=(
        derived("initial gap", 2 * gap / (eta * T), "half of the squared gradient survives each round"),
        derived(
            "objective inconsistency",
            robustness * sigma_g**2,
            "the squared error of the aggregate",
            label="Byzantine clients",
        ),
    ),
    remarks=(
        "Attained by the trimmed mean on quadratics: f honest clients with minimiser (N - f) z/N and N - f "
        "with -f z/N, while the Byzantine clients send large values.",
        "No algorithm that knows n, f, L and sigma_g guarantees less than a quarter of f/(n - 2 f) times "
        "sigma_g^2: f clients with minimiser z and n - f with 0 may be honest but for the former, or but for "
        "f of the latter, and send the same in both cases.",
        "For Krum and the geometric median larger coefficients are known (recalled).",
    ),
    source=ALLOUAH_2023.at(
        "robust averaging", letters={"G^2": sigma_g**2, "kappa": robustness},
        note="The notion of the coefficient is theirs (recalled); byzantine_gd_nonconvex derives its values.",
    ),
    prose=__doc__,
)  # fmt: skip
