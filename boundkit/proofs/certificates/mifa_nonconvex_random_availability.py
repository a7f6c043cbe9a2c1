"""MIFA with clients available at random: the steps for bounded ages, with moments of random ones."""

from sympy import sqrt

from boundkit.algebra.notation import availability
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.mifa_nonconvex_local_steps import PROOF as BOUNDED
from boundkit.proofs.certificates.mifa_nonconvex_local_steps import h
from boundkit.theorems.mifa_nonconvex_random_availability import THEOREM

root = letter_for("root", sqrt(1 - availability))

PROOF = BOUNDED.of(
    THEOREM, names={root: sqrt(1 - availability)}, charts=(random_updates_chart(h, Rational(1, 4), root),)
).changed("age of the stored updates", {"r": root})
