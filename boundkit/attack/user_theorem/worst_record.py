"""The worst instance as a record, for a picture."""

from __future__ import annotations

from boundkit.algebra import BoundkitError
from boundkit.attack.user_theorem.page import Page
from boundkit.simulation.run_file import run_from_spec
from boundkit.verification.record import Record, as_record
from boundkit.verification.verifier import verify


def record_of_worst(page: Page) -> Record | None:
    """The theorem held against its worst run once more; None where there is nothing to draw."""
    spec = page.falsified.run
    if spec is None:
        return None
    try:
        verdict = verify(page.theorem, run_from_spec(page.theorem.algorithm, spec), slopes=False)
    except BoundkitError:
        return None
    return None if verdict.curves is None else as_record(verdict)
