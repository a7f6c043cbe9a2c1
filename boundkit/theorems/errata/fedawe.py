"""Xiang, Ioannidis, Yeh, Joe-Wong and Su (2024): FedAWE."""

from boundkit.algebra.authoring import *
from boundkit.algebra.claim import Claim
from boundkit.algebra.dimension import LENGTH
from boundkit.algebra.erratum import Erratum, Form

_STEP = eta_s * eta * tau * L
_GAP = gap / (eta_s * eta * tau * T)
_NOISE = eta_s * eta * L * availability_max * sigma**2 / (m * availability**2)
_SPREAD = _STEP**2 / (availability**2 * (1 - sqrt(mixing)) ** 2)
_AGES = (2 - availability) * (1 - availability) / availability**2
_MOVED = (eta_s * eta * tau) ** 2 * mixing / (1 - sqrt(mixing)) ** 2
_CONSENSUS = Claim(
    name="mean squared distance from the mean model",
    latex=r"\frac1T \sum_{t=0}^{T-1} \frac1m \sum_{i=1}^m \mathbb{E}\|x_{i,t} - \bar x_t\|^2",
    plain="(1/T) sum_{t<T} (1/m) sum_i E||x_{i,t} - mean x_t||^2",
    observable="consensus_error",
    summary="average",
    dimension=LENGTH**2,
)
_PAPERS = ("fedawe_nonconvex", "fedawe_nonconvex_auxiliary")

ERRATA = (
    Erratum(
        name="fedawe_step_conditions",
        source=XIANG_2024.at("eq. (11)", letters={**XIANG_2024.letters, "sqrt(beta^2 + 1)": beta}),
        text="paper",
        basis="units",
        printed=Form(
            MEAN_SQUARED_GRADIENT,
            conditions=(
                at_most(
                    eta_s * eta,
                    (1 - sqrt(mixing))
                    * availability
                    / (80 * tau * (L + 1) * (sqrt(mixing) + 1) * beta * sqrt(1 + L**2)),
                ),
                at_most(eta, availability / (200 * tau * L * beta * sqrt(1 + L**2))),
            ),
        ),
        reason="The proof bounds 1 + 40 rho s^2 eta^2 L^2/(1 - sqrt(rho))^2 by 1 + L^2, with eta s set to 1; "
        "kept, that bracket is at most 1 + 40/6400, and L + 1 is L.",
        corrected=Form(
            MEAN_SQUARED_GRADIENT,
            conditions=(
                at_most(
                    eta_s * eta,
                    (1 - sqrt(mixing)) * availability / (80 * L * tau * (1 + sqrt(mixing)) * beta),
                ),
                at_most(eta, availability / (200 * L * tau * beta)),
            ),
        ),
        consequence="Every printed constant holds under the corrected conditions: the descent keeps 0.2338 "
        "of the squared gradient, where 1/6 is needed.",
        theorems=(*_PAPERS, "fedawe_consensus"),
    ),
    Erratum(
        name="fedawe_consensus_units",
        source=XIANG_2024.at("Corollary 3"),
        text="paper",
        basis="units",
        printed=Form(
            _CONSENSUS,
            (
                stated("initial gap", 3 * _GAP, "as printed"),
                stated("stochastic noise", 12 * _NOISE, "as printed"),
                stated("client drift", (28 * sigma**2 + 1600 * kappa**2) * _SPREAD, "as printed"),
            ),
        ),
        reason="The L^2 that turns a distance between models into one between gradients was dropped under "
        "the convention L >= 1; kept, the lines of App. I give 19/100, 3/4, 25/2 and 283.",
        corrected=Form(
            _CONSENSUS,
            (
                derived("initial gap", Rational(199, 100) * beta**2 * _MOVED * _GAP, "another proof"),
                derived(
                    "unavailability",
                    (
                        Rational(5, 3) * kappa**2 * _MOVED
                        + Rational(10, 7)
                        * (eta_s * eta) ** 2
                        * tau
                        * sigma**2
                        * _AGES
                        / ((1 - sqrt(mixing)) * m)
                    ),
                    "another proof",
                ),
                derived(
                    "noise drift",
                    8 * beta**2 * _MOVED * eta**2 * L**2 * sigma**2 * (tau - 1),
                    "another proof",
                ),
            ),
        ),
        consequence="In other units of the parameters the printed bound has other values.",
        theorems=("fedawe_consensus",),
        times=L**2,
    ),
    Erratum(
        name="fedawe_norms",
        source=XIANG_2024.at("relations (12), (14) and (16)"),
        text="paper",
        basis="units",
        printed="Averages of squared distances are of the order of averages of squared gradients.",
        reason="The two have different units.",
        corrected="L^2 stands before the squared distances.",
        consequence="None for the theorems.",
        theorems=("fedawe_consensus",),
    ),
    Erratum(
        name="fedawe_missing_term",
        source=XIANG_2024.at("the final lines of the proofs of Theorem 1 and Corollary 2"),
        text="paper",
        basis="proof",
        printed="15 and 31 before sigma^2.",
        reason="The descent lemma has a term 9 eta_s eta^3 tau^2 L^2 sigma^2 E(rounds missed)^2 that is "
        "missing in the final bound.",
        corrected="108/(tau eta_s^2) is added to 15, and 216/(tau eta_s^2) to 31.",
        consequence="The published proof gives the larger constants; the printed ones are true by another "
        "proof, the certificate.",
        theorems=(*_PAPERS, "fedawe_consensus"),
    ),
    Erratum(
        name="fedawe_independence",
        source=XIANG_2024.at("Proposition 2"),
        text="paper",
        basis="proof",
        printed="The last round in which a client participated and the gradient at its model of that round "
        "are treated as independent.",
        reason="Both depend on the participation in that round.",
        corrected="The participation in the later rounds is independent of both. Summed over the rounds by "
        "the last round of participation, the mean square of the rounds missed is at most "
        "(1 - availability)(2 - availability)/availability^2.",
        consequence="None: the printed factor 2/availability^2 holds for the sum over the rounds.",
        theorems=(*_PAPERS, "fedawe_consensus"),
    ),
    Erratum(
        name="fedawe_rounds_missed",
        source=XIANG_2024.at("the time since a client last participated"),
        text="paper",
        basis="contradiction",
        printed="The definition in the main text has no maximum.",
        reason="The set of earlier rounds of participation has many elements; App. C takes the supremum.",
        corrected="The largest of them.",
        consequence="None.",
        theorems=_PAPERS,
    ),
    Erratum(
        name="fedawe_server_step",
        source=XIANG_2024.at("Theorem 1, the server step size"),
        text="paper",
        basis="proof",
        printed="eta_s >= 1 is a convention.",
        reason="The last lines of the proof replace 1/eta_s by 1.",
        corrected="eta_s >= 1 is a condition.",
        consequence="The tuned step sizes satisfy it only if tau availability m >= 1.",
        theorems=_PAPERS,
    ),
    Erratum(
        name="fedawe_bias_of_fedavg",
        source=XIANG_2024.at("eq. (3) and Example 1"),
        text="paper",
        basis="counterexample",
        printed="FedAvg has the weights q_i/sum_j q_j.",
        reason="That is true for averages over all clients, and false for averages over the participating "
        "clients, the rule of the paper's Algorithm 1.",
        corrected="fedavg_active_bias has the weights of averages over the participating clients.",
        consequence="Which of the two a figure used is not stated there.",
        theorems=("fedavg_active_bias", "fedavg_all_bias", *_PAPERS),
        example="boundkit demo unequal_availability",
    ),
    Erratum(
        name="fedawe_tuned_conditions",
        source=XIANG_2024.at("Corollary 1"),
        text="paper",
        basis="proof",
        printed="The rate is stated up to a constant, with none of the conditions on T; as first submitted, "
        "its last term had a bare factor L.",
        reason="The step sizes of the rate satisfy the conditions for large T only; a bare L has a unit.",
        corrected="fedawe_nonconvex_tuned has the constants and the conditions.",
        consequence="The published form has no bare L.",
        theorems=("fedawe_nonconvex_tuned",),
    ),
)
