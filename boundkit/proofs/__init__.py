"""Proofs that can be run: each inequality with its two sides, evaluated on a run, and its slack.

``ledger(theorem, run)`` leads from what was measured to the bound. Right of a step is left of the next, so
that measured + all slacks = bound, to rounding. A step whose left exceeds its right is named as wrong.
"""

from boundkit.proofs.evaluation import default_run, ledger, proof_of, proved
from boundkit.proofs.ledger import Entry, Ledger
from boundkit.proofs.ledger_record import as_record
from boundkit.proofs.proof import Proof
from boundkit.proofs.step import Step

__all__ = ["Entry", "Ledger", "Proof", "Step", "as_record", "default_run", "ledger", "proof_of", "proved"]
