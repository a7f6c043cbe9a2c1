"""Jhunjhunwala, Sharma, Nagarkatti and Joshi (2022): FedVARP and ClusterFedVARP."""

from boundkit.algebra.authoring import *
from boundkit.algebra.erratum import Erratum

ERRATA = (
    Erratum(
        name="fedvarp_correlated_noise",
        source=JHUNJHUNWALA_2022.at("Lemmas 9 and 10 of the supplement, eq. (12)"),
        text="supplement",
        basis="proof",
        printed="E<Delta_i - h_i, h_i> = 0.",
        reason="h_i holds gradients at later local steps, which depend on earlier noise. At tau = 1 it is 0.",
        corrected="Variances split noise and gradients without that step, as in the proof of "
        "fedvarp_nonconvex_sharp.",
        consequence="None for the theorem: each constant of fedvarp_nonconvex_sharp is smaller than the "
        "printed one. Corrected inside the published proof, the constant of the noise is 72 instead of 40.",
        theorems=("fedvarp_nonconvex",),
    ),
    Erratum(
        name="clusterfedvarp_correlated_noise",
        source=JHUNJHUNWALA_2022.at("Lemma 11 and eq. (21) of the supplement"),
        text="supplement",
        basis="proof",
        printed="E<Delta_i - h_i, h_i> = 0, as for FedVARP.",
        reason="h_i holds gradients at later local steps, which depend on earlier noise.",
        corrected="The proof of clusterfedvarp_nonconvex does without.",
        consequence="None: every printed constant is covered.",
        theorems=("clusterfedvarp_nonconvex",),
    ),
    Erratum(
        name="fedvarp_last_display",
        source=JHUNJHUNWALA_2022.at("the last display of the supplement's proof of Theorem 2"),
        text="supplement",
        basis="contradiction",
        printed="grad f(w_0) inside the sum over clients.",
        reason="The line above it has grad f_i(w_0), which the derivation gives.",
        corrected="grad f_i(w_0).",
        consequence="The start-up term contains the dissimilarity at the start.",
        theorems=("fedvarp_nonconvex",),
    ),
    Erratum(
        name="fedvarp_signs",
        source=JHUNJHUNWALA_2022.at("a display of the supplement's proof of Theorem 2"),
        text="supplement",
        basis="proof",
        printed="The drift and noise terms are subtracted, and one noise term has s.",
        reason="They are upper bounds of errors; the noise enters squared.",
        corrected="They are added, and the term has s^2.",
        consequence="None: the last line is not affected.",
        theorems=("fedvarp_nonconvex",),
    ),
    Erratum(
        name="fedvarp_slides",
        source=JHUNJHUNWALA_2022.at("FedVARP on slides"),
        text="talk",
        basis="definition",
        printed="The update of the stored value has no index of the client, arXiv:2010.01243 is cited, and "
        "one line strikes out both the participation term and the client drift.",
        reason="The server stores a value a client; that paper is on biased selection; stored updates do not "
        "shorten local walks.",
        corrected="y_j with the index, arXiv:2207.14130, and the client drift remains.",
        consequence="Start-up terms of order 1/(C^2 m T) remain as well, so T must be of the order of "
        "tau/C^2 before the rate holds.",
        theorems=("fedvarp_nonconvex",),
    ),
    Erratum(
        name="fedvarp_rate_conditions",
        source=JHUNJHUNWALA_2022.at("corollary of Theorem 2"),
        text="paper",
        basis="proof",
        printed="The rate is O(.), with none of the conditions on T.",
        reason="The step sizes of the rate satisfy the conditions of the theorem for large T only.",
        corrected="fedvarp_nonconvex_tuned has the constants and the conditions.",
        consequence="For few rounds the rate does not apply.",
        theorems=("fedvarp_nonconvex_tuned",),
    ),
    Erratum(
        name="fedavg_partial_talk_rate",
        source=JHUNJHUNWALA_2022.at("Corollary 1, in a talk"),
        text="talk",
        basis="proof",
        printed="The three terms of the tuned rate stand under a bound with one step size.",
        reason="That bound gives a client drift of 32 C m (tau - 1) sigma_g^2/T, not of the order 1/T.",
        corrected="The rate needs two step sizes.",
        consequence="With one step size more clients increase the drift term.",
        theorems=("fedavg_nonconvex_partial_tuned",),
    ),
)
