"""Clients sampled with replacement with probabilities p_i, averaged with equal weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import Theorem, vocabulary
from boundkit.simulation.problems.base import Array
from boundkit.simulation.run import Run
from boundkit.verification.family import Family, Rule
from boundkit.verification.instance import Instance


def _sampled_by_weights(theorem: Theorem, run: Run) -> str:
    participation = run.participation
    if participation.kind != "with_replacement":
        return f"it needs clients drawn with replacement, and the run has {participation.kind} participation"
    if np.abs(_normalised(participation.distribution(0).first) - run.problem.p).max() > 1e-12:
        return "it needs each client drawn with probability p_i, and the run draws otherwise"
    how = run.algorithm.settings.get("aggregation", "weighted")
    plain = how == "mean" or (how == "weighted" and run.problem.equal_weights)
    return "" if plain else f"it averages the drawn models plainly, and the run has aggregation {how!r}"


def _normalised(weights: Array) -> Array:
    return np.asarray(weights / weights.sum())


def _sample_with_replacement(theorem: Theorem, instance: Instance) -> Instance:
    """The instance with as many draws as it had participating clients in a round."""
    if instance.participation is not None:
        return instance
    count = max(1, round(instance.present * instance.problem.m))
    return replace(
        instance,
        participation={"kind": "with_replacement", "count": count},
        options={**instance.options, "aggregation": "mean"},
    )


def _independent_gradients(theorem: Theorem, run: Run) -> str:
    participation = run.participation
    replacement = participation.kind == "with_replacement"
    if not run.problem.draws or not replacement or participation.size(0) == 1:
        return ""
    return (
        "it gives every draw a gradient of its own, and in the run a client that is drawn twice sends one "
        "noisy gradient twice"
    )


def _one_draw(theorem: Theorem, instance: Instance) -> Instance:
    noisy = instance.problem.noise > 0 and theorem.assumes("sampling-with-replacement")
    return replace(instance, present=1 / instance.problem.m) if noisy else instance


FAMILY = Family(
    assumptions={
        vocabulary.REPLACEMENT: Rule(_sampled_by_weights, _sample_with_replacement),
        vocabulary.WEIGHTED_DISSIMILARITY: Rule(_independent_gradients, _one_draw),
    },
)
