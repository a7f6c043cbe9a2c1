"""Asynchronous SGD on smooth non-convex losses of heterogeneous clients, drawn uniformly.

A client that is drawn afresh for each update is one more source of noise, of variance $sigma_g^2$. It is
not averaged either, and grows old as the noise does. Where slow clients are drawn as often as others but
return later, ages depend on the client, and this bound does not apply; where whoever returns is served
next, the objective changes.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.async_sgd_nonconvex import THEOREM as HOMOGENEOUS

THEOREM = variant(
    HOMOGENEOUS,
    "async_sgd_heterogeneous_nonconvex",
    title="Asynchronous SGD with bounded staleness, heterogeneous clients",
    assumes=(*NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, EQUAL_WEIGHTS, BOUNDED_STALENESS, ONE_CLIENT_DRAWN),
    terms=(
        *HOMOGENEOUS.terms[:2],
        derived("partial participation", eta * L * sigma_g**2, "the client of an update, likewise"),
        derived(
            "staleness",
            2 * eta**2 * L**2 * staleness * (sigma**2 + sigma_g**2),
            "Young's 2 for noise and mean, then L^2/2 times 2",
        ),
    ),
    becomes=(to("async_sgd_nonconvex", {sigma_g: 0}, because="homogeneous clients have one gradient"),),
    remarks=(
        "T counts updates here, of one gradient each.",
        "With ages that depend on the client the published rates have staleness^2 in place of staleness at "
        "sigma_g^2 (recalled).",
    ),
    source=KOLOSKOVA_2022.at("the rate for heterogeneous clients", note="Recalled; proved here."),
    prose=__doc__,
)
