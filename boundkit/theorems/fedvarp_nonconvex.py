"""FedVARP on smooth non-convex losses, C m clients a round: the paper's bound.

The server stores every client's last update and uses it for the clients that do not participate. The initial
gap, the noise and the two drifts are as for FedAvg. The sampling error does not recur in every round: it
occurs once, until the stored updates are filled (start-up). In its place the step size is restricted: $eta_s
eta$ may not exceed $(C m)^(3/2)/(8 L tau m)$, so that a small fraction of participating clients still makes
the method slow.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedvarp_nonconvex",
    title="FedVARP, as published",
    algorithm="fedvarp",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, *SAMPLED_CLIENTS),
    steps=(
        at_most(eta, 1 / (10 * L * tau)),
        at_most(eta_s * eta, (C * m) ** Rational(3, 2) / (8 * L * tau * m)),
        at_most(eta_s * eta, 5 * C * m / (48 * L * tau)),
        at_most(eta_s * eta, 1 / (4 * L * tau)),
    ),
    terms=(
        appendix(
            "initial gap",
            4 * gap / (eta_s * eta * tau * T),
            "1/4 of the squared gradient a round survives the descent",
        ),
        appendix(
            "stochastic noise",
            40 * eta_s * eta * L * sigma**2 / (C * m),
            "40 = 4 (2 + 8): the noise of a round's direction, and its part in the stored updates; both "
            "treat noise and later gradients as uncorrelated, see the errata",
        ),
        appendix(
            "noise drift",
            24 * eta**2 * L**2 * (tau - 1) * sigma**2,
            "24 = 4 (3) (2): the local drift weighs at most 3 s in the descent, and its noise is 2",
        ),
        appendix(
            "client drift",
            96 * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "96 = 4 (3) (8): as the noise drift, with the drift's 8",
        ),
        appendix(
            "start-up",
            8 * eta_s * eta * tau * L * update_error**2 / T,
            "8 = 4 (2): the error of the first direction weighs 2 s^2 L",
            label="start-up of the direction",
        ),
        appendix(
            "start-up",
            32 * eta_s * eta * tau * L * (1 - C) / (C**2 * m) * gradients_start**2 / T,
            "32 = 4 (8): the error of initial stored updates 0 weighs 8 s^2 L (1 - C)/(C^2 m)",
            label="start-up of stored updates",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial",
            {C: 1},
            factors={"stochastic noise": 10, "noise drift": 3, "client drift": 3},
            leaves=("start-up of the direction",),
            because="with full participation FedVARP is FedAvg; its larger constants come from the stored "
            "updates",
        ),
        not_to(
            "fedavg_nonconvex_partial",
            {C: 1},
            leaves=("start-up of the direction",),
            because="the constants differ: 40, 24 and 96 here, 4, 8 and 32 there",
        ),
    ),
    limits=(
        keeps(
            {sigma_g: 0},
            "client drift",
            "start-up of stored updates",
            because="initial stored updates 0 are wrong for homogeneous clients, too",
        ),
    ),
    remarks=(
        "The cost of sampling is in the start-up: with C m of m clients it is of the size eta_s eta tau L "
        "sigma_g^2/(C^2 m T), because the clients' initial squared gradients include their dissimilarity.",
        "The letter update_error is the root mean square of v_0 - h_0, the error of the first direction; "
        "with stored updates 0 its square is at most sigma^2/(C m tau) + (1 - C)/(C (m - 1)) times the mean "
        "of the clients' squared mean gradients.",
        "The drift remains; only the participation term of fedavg_nonconvex_partial is removed.",
        "With sigma = 0, tau = 1 and C m = 1 the method is SAGA, with eta_s eta <= 1/(8 L m).",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Theorem 2",
        note="O(.) in the main text, where the start-up is omitted; the constants are in the supplement.",
    ),
    prose=__doc__,
)
