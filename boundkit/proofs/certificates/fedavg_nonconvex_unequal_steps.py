"""By the proof for FedNova, with the weights of plain averaging."""

from boundkit.proofs.certificates.fednova_nonconvex import PROOF as FEDNOVA
from boundkit.theorems.fedavg_nonconvex_unequal_steps import THEOREM

PROOF = FEDNOVA.of(THEOREM)
