r"""SCAFFOLD on smooth convex losses, at its longest steps: the published theorem's proof for these."""

from dataclasses import replace

from boundkit.proofs.certificates.scaffold_convex_partial import VARIANTS
from boundkit.theorems.scaffold_convex_partial_sharp import THEOREM

PROOF = replace(VARIANTS[0], theorem=THEOREM)
