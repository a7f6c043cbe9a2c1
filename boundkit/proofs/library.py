"""The closed library: all lemmas by name."""

from __future__ import annotations

from collections.abc import Mapping

from boundkit.proofs import (
    adaptive_server_step,
    control_variates,
    lemmas,
    stored_updates,
    weighted_sampling,
)
from boundkit.proofs.lemmas import Lemma

LEMMAS: Mapping[str, Lemma] = {
    value.name: value
    for module in (lemmas, stored_updates, control_variates, weighted_sampling, adaptive_server_step)
    for value in vars(module).values()
    if isinstance(value, Lemma)
}
"""All lemmas, by name."""
