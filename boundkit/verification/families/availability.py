"""Independent participation: known, learnt and ignored inclusion probabilities (FedAvg, FedAU)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.participation import Bernoulli
from boundkit.simulation.participation.base import Participation
from boundkit.simulation.participation.normalised_weights import plain_average_shares
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.family import AssumptionRule, Family, Sweeps
from boundkit.verification.instance import Instance, vary_instance
from boundkit.verification.sampling import sampling_numbers
from boundkit.verification.surrogate import (
    all_participate,
    evaluate_definition,
    inclusion_probabilities,
)

_SAME = 1e-12
CUTOFF = 6
_PROBABILITIES = np.array([1.0, 0.9, 0.7, 0.5, 0.4, 0.3, 0.25, 0.2])
_SWEEP_PROBABILITIES = (0.9, 0.6, 0.4, 0.3)


def _fixed_probabilities(theorem: Theorem, run: Run) -> str:
    q = inclusion_probabilities(run)
    if q is None:
        return (
            "it needs independent participation with the same inclusion probabilities in every round, "
            f"and the run has {describe_participation(run.participation)}"
        )
    if (q > 0).all():
        return ""
    return f"it needs positive inclusion probabilities, and client {int(np.argmin(q))} never participates"


def _known_probabilities(theorem: Theorem, run: Run) -> str:
    objection = _fixed_probabilities(theorem, run)
    if objection:
        return objection
    options = run.algorithm.settings
    kind = options.get("aggregation")
    if kind == "unbiased" and run.problem.equal_weights:
        return ""
    if kind != "known":
        return f"its server divides by the inclusion probability, and the run has aggregation {kind!r}"
    if np.abs(np.array(options["probabilities"]) - inclusion_probabilities(run)).max() > _SAME:
        return "its server uses the inclusion probabilities, and the option probabilities differs from them"
    return ""


def _average_over_all(theorem: Theorem, run: Run) -> str:
    kind = run.algorithm.settings.get("aggregation")
    same = all_participate(run) and (kind == "mean" or (kind == "weighted" and run.problem.equal_weights))
    return "" if kind == "all" or same else f"its server divides by all clients, and the run has {kind!r}"


def _average_over_participating(theorem: Theorem, run: Run) -> str:
    kind = run.algorithm.settings.get("aggregation")
    same = (kind == "weighted" and run.problem.equal_weights) or (kind == "all" and all_participate(run))
    if kind == "mean" or same:
        return ""
    return f"its server averages the participating clients equally, and the run has aggregation {kind!r}"


def _fixed_weights(theorem: Theorem, run: Run) -> str:
    if run.algorithm.settings.get("weights") is not None:
        return ""
    return "its weights are fixed, and those of the run are estimated: give the option weights"


def _interval_weights(theorem: Theorem, run: Run) -> str:
    options = run.algorithm.settings
    if options.get("weights") is not None:
        return "its weights are mean intervals of participation, and those of the run are fixed"
    return "" if options.get("cutoff") is not None else "it limits the intervals, and the run has no cutoff"


def describe_participation(participation: Participation) -> str:
    """The kind of client participation in words."""
    if isinstance(participation, Bernoulli):
        return "probabilities that change from round to round"
    return "a schedule" if participation.kind == "schedule" else f"{participation.kind} participation"


def arrange_independent(theorem: Theorem, instance: Instance) -> Instance:
    """The instance with independent participation of the same expected number of clients."""
    if instance.participation is not None or instance.schedule is not None:
        return instance
    q = np.full(instance.problem.m, float(instance.present))
    changing = theorem.assumes("changing-availability")
    options = {**instance.options, **({} if changing else server_options(theorem, q))}
    return replace(instance, participation=independent(q), options=options)


def independent(q: Any, **more: Any) -> dict[str, Any]:
    """The specification of independent participation with these probabilities."""
    listed = q if isinstance(q, float) else [float(v) for v in q]
    return {"kind": "bernoulli", "probabilities": listed, **more}


def server_options(
    theorem: Theorem, q: Array, omega: Array | None = None, cutoff: int = CUTOFF
) -> dict[str, Any]:
    """The options of the theorem's server; weights are 1/q_i where none are given."""
    if theorem.assumes("fixed-weights"):
        return {"weights": [float(v) for v in (1 / q if omega is None else omega)]}
    if theorem.assumes("interval-weights"):
        return {"cutoff": cutoff}
    if theorem.assumes("known-availability"):
        return {"aggregation": "known", "probabilities": [float(v) for v in q]}
    return {"aggregation": "mean" if theorem.assumes("average-over-present") else "all"}


def weights_of_surrogate(
    theorem: Theorem, q: Array, omega: Array | None = None, cutoff: int = CUTOFF
) -> Array:
    """The weights of the surrogate that this server minimises."""
    if theorem.assumes("known-availability"):
        return np.full(len(q), 1 / len(q))
    options = server_options(theorem, q, omega, cutoff)
    if "weights" in options:
        mass = q * options["weights"]
    elif "cutoff" in options:
        mass = 1 - (1 - q) ** options["cutoff"]
    else:
        mass = plain_average_shares(q) if options["aggregation"] == "mean" else q
    return np.asarray(mass / mass.sum())


def tilted_nonconvex(w: Array, seed: int, noise: float, d: int = 3) -> SmoothNonconvex:
    """Non-convex losses whose linear parts cancel in the plain mean and in the mean with weights w."""
    tilts = np.random.default_rng(seed).standard_normal((len(w), d))
    both = np.linalg.qr(np.stack([np.ones(len(w)), w], axis=1))[0]
    return SmoothNonconvex(tilts - both @ (both.T @ tilts), noise=noise)


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Correct and incorrect weights, a client that rarely participates, long runs, full participation."""
    if not (theorem.assumes("bernoulli-availability") or theorem.assumes("known-availability")):
        return None
    if theorem.claim.summary == "limit":
        return None
    many = not theorem.assumes("one-local-step")
    heterogeneous = Quadratic.random(8, 3, seed=2, dense=True, noise=0.5, curvature=(0.2, 1.0))
    shared_hessian = Quadratic.random(8, 3, seed=1, dense=True, shared=True, noise=0.5, curvature=(0.2, 1.0))
    deterministic = Quadratic.random(4, 2, seed=3, spread=3.0, shared=True, curvature=(0.3, 1.0))
    rarely = np.array([1.0, 1.0, 1.0, 0.05])
    incorrect = 1 / np.sqrt(_PROBABILITIES)

    def instance(name: str, problem: Any, q: Array, omega: Array | None = None, **more: Any) -> Instance:
        tau = more.pop("tau", 1)
        return Instance(
            name,
            problem,
            local_steps=tau if many else 1,
            participation=independent(q),
            x0=np.full(problem.d, 2.0),
            options=server_options(theorem, q, omega),
            **more,
        )

    return [
        instance("seldom clients, noise", heterogeneous, _PROBABILITIES, tau=8, rounds=200),
        instance("a client that rarely participates, no noise", deterministic, rarely, tau=16, rounds=400),
        instance(
            "not convex, noise",
            tilted_nonconvex(weights_of_surrogate(theorem, _PROBABILITIES), 4, 0.5),
            _PROBABILITIES,
            tau=4,
            rounds=80,
        ),
        instance(
            "other weights, noise", heterogeneous, _PROBABILITIES, incorrect, tau=8, eta_s=2.0, rounds=200
        ),
        instance(
            "not convex, other weights, no noise",
            tilted_nonconvex(weights_of_surrogate(theorem, _PROBABILITIES, incorrect), 5, 0.0),
            _PROBABILITIES,
            incorrect,
            tau=8,
            rounds=60,
        ),
        instance("one local step, at the error floor", shared_hessian, _PROBABILITIES, step=0.3, rounds=4000),
        instance("one round", deterministic, rarely, tau=4, rounds=1),
        instance("full participation", heterogeneous, np.ones(8), tau=16, rounds=100),
        instance(
            "homogeneous clients, only the initial error",
            Quadratic([4.0] * 4, np.zeros((4, 1))),
            rarely,
            tau=4,
            rounds=60,
        ),
    ]


def _share_noise(context: EvaluationContext) -> Constant:
    if context.theorem.assumes("unbiased-sampling"):
        return sampling_numbers(context.run).share_noise
    return evaluate_definition(context, "share_noise")


def _smallest_probability(context: EvaluationContext) -> Constant:
    run = context.run
    value = 1.0 if all_participate(run) else run.participation.min_probability
    return _probability(value, "the smallest inclusion probability of any client in any round")


def _largest_probability(context: EvaluationContext) -> Constant:
    run = context.run
    value = 1.0 if all_participate(run) else run.participation.max_probability
    return _probability(value, "the largest inclusion probability of any client in any round")


def _probability(value: float | None, how: str) -> Constant:
    if value is None:
        raise BoundkitError("its clients do not participate independently with given probabilities.")
    return Constant(float(value), "exact", how)


def _cutoff(context: EvaluationContext) -> Constant:
    K = context.run.algorithm.settings.get("cutoff")
    if K is None:
        raise BoundkitError("this run has no cutoff.")
    return Constant(float(K), "exact", "the run's own")


def _sweeps(theorem: Theorem) -> Sweeps | None:
    """FedAU with its own weights, at the largest allowed step: rounds and local steps."""
    if not theorem.assumes("interval-weights"):
        return None
    clients = Quadratic.random(4, 2, seed=5, shared=True, noise=0.5, curvature=(0.5, 1.0))
    instance = Instance(
        "weights that are learnt",
        clients,
        2,
        rounds=100,
        participation=independent(_SWEEP_PROBABILITIES),
        options={"cutoff": CUTOFF},
        x0=np.full(2, 3.0),
    )

    values = {"T": (25, 40, 64, 100, 160), "tau": (1, 2, 4, 8, 16)}
    return Sweeps(instance, values, vary_instance)


FAMILY = Family(
    assumptions={
        vocabulary.BERNOULLI_AVAILABILITY: AssumptionRule(_fixed_probabilities, arrange_independent),
        vocabulary.KNOWN_AVAILABILITY: AssumptionRule(
            _known_probabilities, arrange_independent, frozenset({"aggregation", "probabilities"})
        ),
        vocabulary.AVERAGE_OVER_ALL: AssumptionRule(_average_over_all, options=frozenset({"aggregation"})),
        vocabulary.AVERAGE_OVER_PRESENT: AssumptionRule(
            _average_over_participating, options=frozenset({"aggregation"})
        ),
        vocabulary.FIXED_WEIGHTS: AssumptionRule(_fixed_weights, options=frozenset({"weights"})),
        vocabulary.INTERVAL_WEIGHTS: AssumptionRule(_interval_weights, options=frozenset({"cutoff"})),
    },
    instances=default_instances,
    constants={
        notation.availability: _smallest_probability,
        notation.availability_max: _largest_probability,
        notation.pull: lambda context: evaluate_definition(context, "pull"),
        notation.share_noise: _share_noise,
        notation.absence: lambda context: evaluate_definition(context, "absence"),
        notation.cutoff: _cutoff,
    },
    sweeps=_sweeps,
)
