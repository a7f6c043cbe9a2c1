"""Instances that are measured without a run: by exact moments, by fixed points, and in limits.

A run has few clients and few rounds. What an error costs in the limit of many of either, or at the step
size where it is largest, follows from closed forms, one module for each kind of instance. The atlas and the
mutants measure all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.exact_instances.absent_at_a_kink import measure_absent_at_a_kink
from boundkit.attack.exact_instances.absent_crowds import measure_absent_crowds, measure_turns
from boundkit.attack.exact_instances.available_clients import measure_available_clients
from boundkit.attack.exact_instances.control_start_up import measure_control_start_up
from boundkit.attack.exact_instances.corrected_floors import measure_corrected_floors
from boundkit.attack.exact_instances.corrected_noise_drift import measure_corrected_noise_drift
from boundkit.attack.exact_instances.corrections_at_a_kink import measure_corrections_at_a_kink
from boundkit.attack.exact_instances.cycles_at_tuned_steps import measure_cycles_at_tuned_steps
from boundkit.attack.exact_instances.distant_clients import measure_distant_clients
from boundkit.attack.exact_instances.drift_fixed_points import measure_drift_fixed_points
from boundkit.attack.exact_instances.drifting_pairs import measure_drifting_pairs
from boundkit.attack.exact_instances.exchange_moments import measure_exchange_moments
from boundkit.attack.exact_instances.extrapolated_models import measure_extrapolated_models
from boundkit.attack.exact_instances.first_messages import measure_first_messages
from boundkit.attack.exact_instances.jumping_client import measure_jumping_client
from boundkit.attack.exact_instances.jumping_crowds import measure_jumping_crowds
from boundkit.attack.exact_instances.nesterov_moments import measure_nesterov_moments
from boundkit.attack.exact_instances.network_floors import measure_network_floors
from boundkit.attack.exact_instances.own_kinks import measure_own_kinks
from boundkit.attack.exact_instances.pumped_drift import measure_pumped_drift
from boundkit.attack.exact_instances.random_selections import measure_random_selections
from boundkit.attack.exact_instances.rare_jumps import measure_rare_jumps
from boundkit.attack.exact_instances.rare_noise_at_a_kink import measure_rare_noise_at_a_kink
from boundkit.attack.exact_instances.sampled_moments import measure_sampled_moments
from boundkit.attack.exact_instances.selected_groups import measure_selected_groups
from boundkit.attack.exact_instances.short_steps_of_pairs import measure_short_steps_of_pairs
from boundkit.attack.exact_instances.single_causes import measure_single_causes
from boundkit.attack.exact_instances.small_slopes import measure_small_slopes
from boundkit.attack.exact_instances.stale_floors import measure_stale_floors
from boundkit.attack.exact_instances.stored_model_pairs import measure_stored_model_pairs
from boundkit.attack.exact_instances.straight_lines import measure_straight_lines
from boundkit.attack.exact_instances.weighted_pairs import measure_weighted_pairs
from boundkit.attack.infinite_clients import InfiniteEvidence, infinite_clients_apply, measure_drift_instances
from boundkit.attack.measurement import Measurement
from boundkit.verification.checks.single_error_source import keeps_client_state

SINGLE, FEW = 80, 20
"""Largest numbers of exact instances of isolated error sources; the second where each is expensive: for
algorithms with client state, and where every local step is observed.
"""


def measure_exact_instances(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the measurements of all instances without a run that fit the theorem."""
    inside = theorem.claim.observable.startswith("virtual_")
    most = FEW if inside or keeps_client_state(theorem) else SINGLE
    yield from islice(measure_single_causes(theorem), most)
    for measure in (
        measure_infinite_clients,
        measure_stale_floors,
        measure_stored_model_pairs,
        measure_short_steps_of_pairs,
        measure_absent_at_a_kink,
        measure_absent_crowds,
        measure_turns,
        measure_rare_noise_at_a_kink,
        measure_own_kinks,
        measure_nesterov_moments,
        measure_rare_jumps,
        measure_pumped_drift,
        measure_jumping_client,
        measure_jumping_crowds,
        measure_small_slopes,
        measure_extrapolated_models,
        measure_exchange_moments,
        measure_network_floors,
        measure_corrected_floors,
        measure_corrected_noise_drift,
        measure_corrections_at_a_kink,
        measure_straight_lines,
        measure_selected_groups,
        measure_random_selections,
        measure_sampled_moments,
        measure_cycles_at_tuned_steps,
        measure_available_clients,
        measure_drift_fixed_points,
        measure_distant_clients,
        measure_drifting_pairs,
        measure_control_start_up,
        measure_first_messages,
        measure_weighted_pairs,
    ):
        yield from measure(theorem)


def measure_infinite_clients(theorem: Theorem) -> list[Measurement]:
    """Return the measurements of infinitely many clients, where the theorem applies to them."""
    if not infinite_clients_apply(theorem):
        return []
    try:
        return [_of_infinite(piece) for piece in measure_drift_instances(theorem)]
    except BoundkitError:
        return []


def _of_infinite(piece: InfiniteEvidence) -> Measurement:
    source = {"said": "infinitely many clients", "infinite": dict(piece.instance)}
    return Measurement(piece.values, piece.low, piece.high, piece.zero, source)
