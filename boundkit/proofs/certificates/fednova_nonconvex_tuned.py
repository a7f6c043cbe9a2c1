"""By substitution of the step size where the server weights are those of the objective."""

from dataclasses import replace

from boundkit.algebra.notation import C_drift, eta, mu_prox, prox_step
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fednova_nonconvex_surrogate_sharp import PROOF as SURROGATE
from boundkit.theorems.fednova_nonconvex_tuned import THEOREM, with_sharper_constants

FIRST = with_sharper_constants()
any_step = {
    name: {q: eta * mu_prox if q == prox_step and value != 0 else value for q, value in solver.items()}
    for name, solver in THEOREM.solvers.items()
}
made = {q: each for q, each in THEOREM.definitions.items() if q in FIRST.definitions}
objective = replace(FIRST, claim=THEOREM.claim, definitions=made, solvers=any_step)
BASE = SURROGATE.of(
    objective,
    charts=(solvers_chart(C_drift),),
    steps=(step("no other weights", SAME_WEIGHTS, removes=square(P)), *SURROGATE.steps),
)

PROOF = corollary(THEOREM, BASE)
