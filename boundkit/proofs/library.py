"""The closed library: all lemmas by name, and what a machine-checked proof is trusted on beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from boundkit.algebra.prose import plain_prose
from boundkit.proofs import (
    absent_clients,
    adaptive_server_step,
    averaged_models,
    clipped_steps,
    compressed_messages,
    control_variates,
    exchanged_models,
    group_cycles,
    lemmas,
    limit_points,
    local_momentum,
    local_solvers,
    mean_gradients,
    mean_models,
    private_updates,
    robust_aggregation,
    server_momentum,
    similar_solver,
    stale_gradients,
    stored_noise,
    stored_updates,
    virtual_average,
    weighted_sampling,
)
from boundkit.proofs.lemmas import Lemma
from boundkit.proofs.rounds import ALGORITHMS
from boundkit.report import Block, Heading, Report, Reported, Sentences

MODULES = (
    lemmas,
    stored_updates,
    control_variates,
    weighted_sampling,
    adaptive_server_step,
    local_solvers,
    virtual_average,
    mean_models,
    stale_gradients,
    stored_noise,
    absent_clients,
    clipped_steps,
    group_cycles,
    limit_points,
    averaged_models,
    robust_aggregation,
    server_momentum,
    local_momentum,
    compressed_messages,
    private_updates,
    mean_gradients,
    exchanged_models,
    similar_solver,
)  # fmt: skip
"""The modules of lemmas; one of a subject imports no other subject's."""

LEMMAS: Mapping[str, Lemma] = {
    value.name: value for module in MODULES for value in vars(module).values() if isinstance(value, Lemma)
}
"""All lemmas, by name."""

ASSUMED = (
    "a round of the algorithm is x+ = x - s v as round_of reads it from the theorem's assumptions, or what "
    "it names in its place: a cycle of groups, a local step, a clipped step, the limit of a run",
    "a theorem's step conditions, requirements and domains of quantities are those of its statement",
    "of a corollary: a theorem holds at all step sizes and numbers of rounds within its conditions, a larger "
    "bound is a bound, and a clock counts rounds without changing them; of rounds that differ, a theorem's "
    "steps hold in each with its own quantities",
    "means over rounds telescope, contractions sum geometrically, and with steps of size c/(mu s), s = "
    "offset + t, X+ <= (1 - c B/s) X + (c B - 1) a/s^2 + (c B/s) b with c B > 1 keeps X at most b + (a + "
    "offset X_0)/s",
    "rational arithmetic of sympy's polynomials; z3 where a result says so",
)
"""What is trusted beside the lemmas."""


@dataclass(frozen=True, repr=False)
class TrustedBase(Reported):
    """The lemmas of the library, and what is trusted beside them."""

    lemmas: tuple[Lemma, ...]

    def report(self) -> Report:
        """Every lemma with its statement, its reason and the assumptions that it needs."""
        blocks: list[Block] = [Heading(f"{len(self.lemmas)} lemmas, about rounds of {', '.join(ALGORITHMS)}")]
        for each in self.lemmas:
            blocks += [
                Heading(each.name),
                Sentences([each.statement, f"since {plain_prose(each.proof)}", *_needs(each)]),
            ]
        return Report((*blocks, Heading("Trusted beside them"), Sentences(list(ASSUMED))))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON."""
        return {
            "lemmas": [
                {
                    "name": each.name,
                    "statement": each.statement,
                    "proof": plain_prose(each.proof),
                    "needs": [[n] if isinstance(n, str) else list(n) for n in each.needs],
                }
                for each in self.lemmas
            ],
            "algorithms": list(ALGORITHMS),
            "trusted": list(ASSUMED),
        }


def _needs(lemma: Lemma) -> list[str]:
    names = [need if isinstance(need, str) else " or ".join(need) for need in lemma.needs]
    return [f"assumes {', '.join(names)}"] if names else []


def trusted_base(used: Iterable[Lemma] | None = None) -> TrustedBase:
    """Return the trusted base of all machine-checked proofs, or of one that uses some of the lemmas."""
    names = None if used is None else {lemma.name for lemma in used}
    return TrustedBase(tuple(each for name, each in LEMMAS.items() if names is None or name in names))
