"""By the steps for sampling with replacement, at the variance of uniform sampling without replacement."""

from dataclasses import replace

from sympy import Symbol

from boundkit.algebra.notation import m
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying_replacement import PROOF as REPLACEMENT
from boundkit.theorems.fedavg_strongly_convex_decaying_uniform import THEOREM

(chart,) = REPLACEMENT.charts
at_least_two = replace(
    chart,
    coordinates=(*chart.coordinates, coordinate("j", m - 2)),
    values={**chart.values, m: 2 + Symbol("j")},
)

PROOF = REPLACEMENT.of(THEOREM, charts=(at_least_two,))
