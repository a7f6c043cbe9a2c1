"""Proofs that can be run: each inequality with its two sides, evaluated on a run, and its slack.

``ledger(theorem, run)`` leads from what was measured to the bound. Right of a step is left of the next, so
that measured + all slacks = bound, to rounding. A step whose left exceeds its right is named as wrong.
"""

from boundkit.attack.ledger.book import Entry, Ledger
from boundkit.attack.ledger.keep import as_record
from boundkit.attack.ledger.proof import Proof
from boundkit.attack.ledger.step import Step
from boundkit.attack.ledger.writing import default_run, ledger, proof_of, proved

__all__ = ["Entry", "Ledger", "Proof", "Step", "as_record", "default_run", "ledger", "proof_of", "proved"]
