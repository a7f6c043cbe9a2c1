r"""A reader's note on FedNova: eq. (6), whose first term is tau_hat eta/(m tau_eff).

No gap, no T, and it grows with the step size: the initial gap would fall faster for smaller steps. The paper
writes this term with eta = sqrt(m/(tau_hat T)) put in already; read as a function of eta it must be gap/(eta
tau_eff T). The other three terms lack their powers of L, which makes B eta^2 sigma^2 a squared length.
"""

from boundkit.algebra import Source, Term
from boundkit.algebra.exhibit import Exhibit, Form
from boundkit.algebra.notation import (
    A_noise,
    B_drift,
    C_drift,
    L,
    T,
    eta,
    gap,
    kappa,
    m,
    sigma,
    tau,
    tau_eff,
)
from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT

EXHIBIT = Exhibit(
    name="fednova_note_first_term",
    algorithm="fednova",
    claim=MEAN_SQUARED_GRADIENT,
    printed=Form(
        terms=(
            Term("initial gap", tau * eta / (m * tau_eff), "stated", because="inside O(.), as printed"),
            Term(
                "stochastic noise", A_noise * eta * sigma**2 / m, "stated", because="inside O(.), as printed"
            ),
            Term("noise drift", B_drift * eta**2 * sigma**2, "stated", because="inside O(.), as printed"),
            Term("client drift", C_drift * eta**2 * kappa**2, "stated", because="inside O(.), as printed"),
        ),
    ),
    repaired=Form(
        terms=(
            Term("initial gap", 4 * gap / (eta * tau_eff * T), "derived", because="half the descent is left"),
            Term(
                "stochastic noise", 4 * eta * L * sigma**2 * A_noise / m, "derived", because="eta L a round"
            ),
            Term("noise drift", 6 * eta**2 * L**2 * sigma**2 * B_drift, "derived", because="6 = 4 times 3/2"),
            Term(
                "client drift", 12 * eta**2 * L**2 * kappa**2 * C_drift, "derived", because="12 = 4 times 3"
            ),
        ),
    ),
    states="fednova_nonconvex_surrogate",
    lost="The gap and the rounds went with the step that was put in, and L was set to 1.",
    doubt="The paper's own first term is this one after eta = sqrt(m/(tau_hat T)), so the slip is the note's "
    "where it reads it as a function of eta, and the paper's where its step has no 1/L.",
    source=Source(
        authors=("A reader's note on Wang, Liu, Liang, Joshi, Poor",),
        year=2020,
        title="Tackling the Objective Inconsistency Problem in Heterogeneous Federated Optimization",
        venue="NeurIPS 2020",
        arxiv="2007.07481",
        where="eq. (6) of the note, eq. (8) of the paper",
        renamed={"tau_hat": tau, "A": A_noise, "B": B_drift, "C": C_drift},
    ),
    prose=__doc__,
)
