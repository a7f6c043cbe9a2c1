"""FedNova's first theorem as printed: B and C count the weights at the end, with a proximal solver too."""

from boundkit.algebra.authoring import variant
from boundkit.algebra.notation import a1_i, a2_i, alast_i
from boundkit.algebra.solvers import solvers_for
from boundkit.theorems.fednova_nonconvex_surrogate import THEOREM

PRINTED = variant(
    THEOREM, "fednova_printed", title="FedNova, as printed", solvers=solvers_for(a1_i, a2_i, alast_i)
)
