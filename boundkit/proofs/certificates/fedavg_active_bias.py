"""By the steps for division by all clients, with the weights of the server's own rule."""

from boundkit.proofs.certificates.fedavg_all_bias import PROOF as ALL
from boundkit.theorems.fedavg_active_bias import THEOREM

PROOF = ALL.of(THEOREM)
