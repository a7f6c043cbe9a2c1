"""Proofs as data: each inequality with its two sides, evaluated on a run, and its slack.

``ledger(theorem, run)`` leads from the measurement to the bound. The right side of a step is the left side of
the next, so that measured + all slacks = bound, to rounding. A step whose left side exceeds its right is
wrong.
"""

from boundkit.proofs.evaluation import default_run, ledger, proof_of, proved
from boundkit.proofs.proof import Proof, Step
from boundkit.proofs.proof_ledger import Ledger, LedgerEntry, as_record

__all__ = [
    "Ledger",
    "LedgerEntry",
    "Proof",
    "Step",
    "as_record",
    "default_run",
    "ledger",
    "proof_of",
    "proved",
]
