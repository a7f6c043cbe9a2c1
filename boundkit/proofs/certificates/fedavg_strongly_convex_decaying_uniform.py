"""By the steps for sampling with replacement, at the variance of uniform sampling without replacement."""

from dataclasses import replace

from sympy import Symbol

from boundkit.algebra.notation import m
from boundkit.proofs.authoring import *
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying_replacement import PROOF as REPLACEMENT
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying_replacement import VARIANTS as OTHERS
from boundkit.theorems.fedavg_strongly_convex_decaying_uniform import THEOREM


def at_least_two(proof: Certificate) -> Certificate:
    """Return the proof for m >= 2 clients."""
    (chart,) = proof.charts
    more = (*chart.coordinates, coordinate("j", m - 2))
    return proof.of(
        THEOREM, charts=(replace(chart, coordinates=more, values={**chart.values, m: 2 + Symbol("j")}),)
    )


PROOF = at_least_two(REPLACEMENT)
VARIANTS = tuple(at_least_two(each) for each in OTHERS)
