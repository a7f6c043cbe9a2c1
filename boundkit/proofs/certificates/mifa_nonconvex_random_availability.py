"""MIFA with clients available at random: the steps for bounded ages, with moments of random ones.

A Newton step for the root of 1 - availability, from 1 - availability/2, ends above it.
"""

from boundkit.algebra.notation import availability
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.mifa_nonconvex_local_steps import PROOF as BOUNDED
from boundkit.proofs.certificates.mifa_nonconvex_local_steps import h
from boundkit.theorems.mifa_nonconvex_random_availability import THEOREM

above = 1 - availability / 2
root = (above + (1 - availability) / above) / 2

PROOF = (
    BOUNDED.of(THEOREM, charts=(random_updates_chart(h, Rational(1, 5)),))
    .changed("descent", {"w": Rational(7, 40)})
    .changed("age of the stored updates", {"w": Rational(17, 10), "r": root})
)
