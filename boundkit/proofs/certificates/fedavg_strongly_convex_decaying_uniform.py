"""By the steps for sampling with replacement, at the variance of uniform sampling without replacement."""

from dataclasses import replace

from sympy import Symbol

from boundkit.algebra.notation import C, m
from boundkit.proofs.authoring import *
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying_replacement import PROOF as REPLACEMENT
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying_replacement import VARIANTS as OTHERS
from boundkit.theorems.fedavg_strongly_convex_decaying_uniform import THEOREM


def at_least_two(proof: Certificate) -> Certificate:
    """Return the proof for m >= 2 clients, with c = 1/C - 1."""
    (chart,) = proof.charts
    more = (*chart.coordinates, coordinate("j", m - 2), coordinate("c", 1 / C - 1))
    values = {**chart.values, m: 2 + Symbol("j"), C: 1 / (1 + Symbol("c"))}
    return proof.of(THEOREM, charts=(replace(chart, coordinates=more, values=values),))


PROOF = at_least_two(REPLACEMENT)
VARIANTS = tuple(at_least_two(each) for each in OTHERS)
