"""Gradient clipping under (L0, L1)-smoothness: clipped descent, CELGC, EPISODE, and a lower bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import asinh, ceil, inf
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Term, Theorem, notation, vocabulary
from boundkit.analysis.evaluate import evaluate, first_largest, satisfied
from boundkit.simulation.algorithms.clipping import Clipped
from boundkit.simulation.algorithms.dp_fedavg import DPFedAvg
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem
from boundkit.simulation.problems.clipping_problem import ClippingProblem, hard_instance
from boundkit.simulation.problems.exponential import Exponential
from boundkit.simulation.problems.polynomial import Polynomial
from boundkit.simulation.problems.quadratic import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.dissimilarity import same_at_every_point, worst_client_distance
from boundkit.verification.families.episode import at_largest_steps
from boundkit.verification.families.general import root_of
from boundkit.verification.family import MEASURED, AssumptionRule, Family, Sweeps, TermSweep
from boundkit.verification.instance import Instance
from boundkit.verification.relaxed_smoothness import mean_loss_constants, relaxed_smoothness

_BELOW = 1 - 1e-12
"""A target just below a gradient norm, which does not reach it."""
_RAMP_GAP, _FAR = 2.0, 4.0
_STEP_FACTOR = 3.0
"""The unspecified factor of the step size: with it a sweep takes a few hundred rounds."""
_DURATION = 5.0
"""Rounds of a run on cosines, in units of 1/(eta tau): the gradient falls by exp(-1) in each."""
_TARGETS = (0.25, 0.2, 0.16, 0.125)
_NO_CLIPPING = 1e3
"""11 sigma + L0/(L1 rho_zeta) where rho_zeta is 0: clipping is not needed."""
_GAP, _TARGET, _ETA, _CLIP, _SHORT = 1.0, 0.1, 0.5, 0.5, 0.03
"""The largest eta and clip for L0 = L1 = 1, and a clip that is shorter than any step."""
_UNCLIPPED_VALUES = {"eta": (0.5, 0.35, 0.25, 0.125), "target": (0.1, 0.08, 0.065, 0.05)}
_CLIPPED_VALUES = {"clip": (0.08, 0.05, 0.03, 0.02), "target": (0.1, 0.08, 0.065, 0.05)}
_ROUNDS = (50, 100, 200, 400)


def _relaxed(theorem: Theorem, run: Run) -> str:
    if theorem.kind == "lower":
        return _of_the_class(run)
    constants = run.problem.constants(run.x0)
    if run.problem.large:
        return ""  # estimated along the run
    return (
        ""
        if "L0" in constants or "L" in constants
        else f"(L0, L1) are not known for this {run.problem.kind} problem"
    )


def _of_the_class(run: Run) -> str:
    """A lower bound for a class holds on the instance that is hard for the steps of the run."""
    problem, clip = run.problem, clip_of(run)
    if not isinstance(problem, ClippingProblem):
        return "it is about the hardest problem of a class, a clipping_instance, and the run has another"
    missing = [name for name in ("grad_max", "target", "gap") if name not in problem.class_parameters]
    if missing or clip is None:
        return f"the problem must specify its class; it has no {' and no '.join(missing)}"
    numbers = {"L0": problem.parameters["L0"], "L1": problem.parameters["L1"], **problem.class_parameters}
    hard = hard_instance(run.eta, clip, m=problem.m, **numbers).name.replace(" ", "_")
    if hard != problem.name:
        return f"for these steps its instance is the {hard}, and the run has the {problem.name}"
    if abs(run.x0[0] - problem.start[0]) > 1e-9 * max(1.0, abs(problem.start[0])):
        return f"its instance starts at x0 = {problem.start[0]:.10g}, and the run at {run.x0[0]:.10g}"
    return ""


def _almost_surely_bounded(theorem: Theorem, run: Run) -> str:
    if not run.problem.stochastic or run.problem.bounded:
        return ""
    if run.problem.batches is not None:
        return "it needs noise that never exceeds sigma; that of mini-batches is measured in the mean"
    law = "has jumps" if run.problem.jump else "is Gaussian"
    return f'it needs noise that never exceeds sigma, {{"bound": sigma}}, and that of the run {law}'


def _with_bounded_noise(theorem: Theorem, instance: Instance) -> Instance:
    return replace(instance, problem=instance.problem.with_bounded_noise())


def _descents() -> Iterator[Instance]:
    """Exact gradients of all clients, at the largest steps and at smaller ones."""
    cosh = Exponential([[0.0], [0.0]])
    heterogeneous = Exponential.random(4, 2, seed=5)
    narrow = Exponential([[0.0], [0.0]], L0=0.1, L1=3.0)
    outvoted = ClippingProblem("wrong_majority", 5, 1.0, 1.0, grad_max=4.0, gap=40.0)
    double = Polynomial([[0.25, 0.0, -0.5, 0.0, 0.0]] * 2)
    published = Polynomial([[1, -3, 1, 1, 0], [1, -3, -2, 1, 0]])
    bowl = Quadratic([[2.0, 0.5], [1.0, 0.3]], [[1.0, -1.0], [-1.0, 1.0]])
    ramp = ClippingProblem("ramp", 3, 1.0, 1.0, target=0.5, gap=20.0)
    yield _descent("hyperbolic cosine, far away", cosh, [6.0], 200)
    yield _descent("hyperbolic cosine, where clipping ends", cosh, [0.9], 100)
    yield _descent("different cosines", heterogeneous, [5.0, -4.0], 200)
    yield _descent("one client against four", outvoted, outvoted.start, 300)
    yield _descent("narrow cosine, one round", narrow, [2.0], 1)
    yield _descent("narrow cosine, short steps", narrow, [2.0], 400, eta=0.1)
    yield _descent("two valleys", double, [1.5], 200)
    yield _descent("the quartics published with EPISODE", published, [-3.0], 200)
    yield _descent("a quadratic, never clipped", bowl, [4.0, -3.0], 100, clip=10.0)
    yield _descent("a ramp, always clipped", ramp, ramp.start, 400, clip=0.1)


def _descent(
    name: str, problem: Problem, x0: Any, rounds: int, eta: float = 1.0, clip: float = 1.0
) -> Instance:
    """An instance at these fractions of the largest eta and clip that the theorem allows."""
    start = np.asarray(x0, dtype=np.float64)
    constants = relaxed_smoothness(problem, start, 10.0) | mean_loss_constants(problem, start)
    return Instance(
        name,
        problem,
        rounds=rounds,
        eta=eta / (2 * constants["L0"].value),
        options={"gamma": clip / (2 * constants["L1"].value)},
        x0=start,
    )


def _lower_bound_instances() -> list[Instance]:
    """Steps of every kind, each on the instance that is hard for it, for the claimed number of rounds."""
    instances = []
    for m, L0, L1, grad_max, target, gap in (
        (3, 1.0, 1.0, 4.0, 0.5, 120.0),
        (3, 0.5, 2.0, 16.0, 1.0, 100.0),
        (5, 2.0, 0.5, 6.0, 3.0, 90.0),
    ):
        numbers = {"L0": L0, "L1": L1, "grad_max": grad_max, "target": target, "gap": gap}
        width = asinh(grad_max * L1 / L0) / L1
        edge = 2 * width / grad_max
        bound = (gap - target / L1) * L1 * grad_max / (8 * target**2 * asinh(grad_max * L1 / L0))
        for name, instance, eta, clip in (
            ("ramp: the longest safe step", "ramp", edge * (1 - 1e-9), 2 * width),
            ("ramp: half of that", "ramp", edge / 2, 4 * width),
            ("valley: a step too long", "valley", 1.05 * edge, 5 * width),
            ("valley: clipped steps too long", "valley", 4 * edge, 2 * width),
            ("majority: clipped steps", "wrong_majority", edge, 0.5 * width),
            ("majority: nearly not clipped", "wrong_majority", 0.6 * edge, 1.19 * width),
        ):
            instances.append(
                Instance(
                    f"{name}, m = {m}, M = {grad_max:g}",
                    ClippingProblem(instance, m, **numbers),
                    rounds=int(np.ceil(bound * (1.1 if eta > edge / 1.5 else 2.2))) + 1,
                    present=1 / m,
                    eta=eta,
                    options={"gamma": clip},
                    x0=ClippingProblem(instance, m, **numbers).start,
                )
            )
    return instances


def clip_of(run: Run) -> float | None:
    """The length of a clipped step; None where the algorithm does not clip."""
    return run.algorithm.gamma(run.eta) if isinstance(run.algorithm, Clipped) else None


def _clip(context: EvaluationContext) -> Constant:
    if isinstance(context.run.algorithm, DPFedAvg):
        return Constant(float(context.run.algorithm.settings["clip"]), "exact", "the option clip")
    clip = clip_of(context.run)
    if clip is None:
        raise BoundkitError(f"{context.run.algorithm.name} does not clip.")
    return Constant(clip, "exact", "the option gamma")


def _target(context: EvaluationContext) -> Constant:
    """The target of the run, or of its class of problems; else the hardest for the bound along the run."""
    if context.run.target is not None:
        return Constant(context.run.target, "exact", "the run's own")
    if "target" in context.constants:
        return context.constants["target"]
    return hardest_target(context)


def hardest_target(context: EvaluationContext) -> Constant:
    """The target at which the first time is the largest part of the bound, among those of its conditions.

    It lies just below a record low of the gradient norm, since the first time jumps there to the next record.
    Raises TrajectoryNeeded before the run, and BoundkitError where it starts at a stationary point.
    """
    recorded = context.trajectory
    mean = context.series().mean(axis=0)
    records = np.flatnonzero(np.r_[True, mean[1:] < np.minimum.accumulate(mean)[:-1]])
    if mean[0] == 0:
        raise BoundkitError("the run starts where the gradient is 0, so that there is no target to reach.")
    targets, first = mean[records[:-1]] * _BELOW, records[1:]
    if not len(first):
        return Constant(float(mean[0]), "local", "the gradient at the start: no later one is smaller")
    total = context.theorem.bound.total
    conditions = [c for c in context.theorem.step_size if c.has(notation.target)]
    names = sorted({s.name for e in (total, *conditions) for s in e.free_symbols} - {"target"})
    values = {**{name: context.value(name) for name in names}, "target": targets}
    ratios = first / evaluate(total, values)
    for condition in conditions:
        ratios = np.where(satisfied(condition, values), ratios, -1.0)
    worst = first_largest(ratios)
    how = f"hardest for the bound along the run: reached in round {first[worst]}"
    return Constant(float(targets[worst]), "estimated" if recorded.random else "local", how)


def _norm_dissimilarity(name: str, context: EvaluationContext) -> Constant:
    problem, x0 = context.run.problem, context.run.x0
    if problem.homogeneous:
        return Constant(0.0, "exact", "all clients have one loss")
    if same_at_every_point(problem, x0):
        zeta = worst_client_distance(problem, x0)
        return Constant(zeta if name == "zeta" else 0.0, "exact", "gradients differ by the same everywhere")
    raise BoundkitError(f"this {problem.kind} problem has no {name}, a dissimilarity in norm.")


def _of_bounded_norm(theorem: Theorem, run: Run) -> str:
    """Whether the gradients' distance in norm has known constants, where a bound needs their values."""
    problem = run.problem
    if theorem.kind == "order" or problem.homogeneous or "zeta" in problem.constants(run.x0):
        return ""
    if same_at_every_point(problem, run.x0):
        return ""
    return f"no bound on the norm of the gradients' differences is known for this {problem.kind} problem"


def _grad_max(context: EvaluationContext) -> Constant:
    raise BoundkitError(f"the largest gradient is not known for this {context.run.problem.kind} problem.")


def clipped_decrease(context: EvaluationContext) -> Array:
    """min(eta ||grad F(x_t)||^2, clip ||grad F(x_t)||), (R, T + 1)."""
    norm = root_of("gradient_norm_squared")(context)
    return np.minimum(context.run.eta * norm**2, context.value("clip") * norm)


def _cosines(m: int, apart: float, sigma: float) -> Problem:
    """Half of the clients have their minimum at -apart, half at apart; of one client, at 0."""
    e = apart * np.where(np.arange(m) % 2, 1.0, -1.0)[:, None]
    return Exponential(e - e.mean(axis=0), noise=sigma).with_bounded_noise()


def _noisy_ramp(m: int, target: float, sigma: float) -> Problem:
    return ClippingProblem(
        "ramp", m, 1.0, 1.0, target=target, gap=_RAMP_GAP, noise=sigma
    ).with_bounded_noise()


def _tuned(instance: Instance, homogeneous: bool) -> Instance:
    """The instance at the step sizes of the proof, with enough rounds to reach the target."""
    problem, target = instance.problem, instance.target
    ramp = isinstance(problem, ClippingProblem)
    start = problem.start if isinstance(problem, ClippingProblem) else np.array([_FAR])
    assert target is not None
    constants = {name: c.value for name, c in problem.constants(start).items()}
    sigma, tau, C = problem.noise, float(instance.local_steps), instance.present
    curvature = constants["L0"] + constants["L1"] * (constants["zeta"] + constants["rho_zeta"] * sigma)
    drift = 0.0 if homogeneous else curvature * tau * (1 / C + sigma / target)
    eta = _STEP_FACTOR / (drift + constants["L0"] * sigma**2 / (C * problem.m * target**2))
    clip = 5 * sigma
    if not homogeneous:
        rho = constants["L1"] * constants["rho_zeta"]
        clip = min(11 * sigma + (constants["L0"] / rho if rho else inf), _NO_CLIPPING)
    duration = 1.5 * _RAMP_GAP / (2 * target) ** 2 if ramp else _DURATION + _FAR / clip
    return replace(
        instance,
        eta=eta,
        rounds=ceil(duration / (eta * tau)) + 5,
        options={"gamma": clip * eta},
        x0=start,
    )


def _target_sweeps(
    apart: float, sigma: float, target: float, m: int, present: float, values: Mapping[str, Sequence[float]]
) -> Sweeps:
    """Sweeps of the target and of these quantities. ``apart``: the distance of the clients' minima from 0."""

    def vary(instance: Instance, keyword: str, value: float) -> Instance:
        if keyword == "target":
            varied = replace(instance, problem=_noisy_ramp(instance.problem.m, value, 1.0), target=value)
        elif keyword == "m":
            varied = replace(instance, problem=_cosines(int(value), apart, sigma))
        elif keyword == "tau":
            varied = replace(instance, local_steps=int(value))
        else:
            varied = replace(instance, present=value)
        return _tuned(varied, homogeneous=apart == 0)

    instance = Instance("tuned", _cosines(m, apart, sigma), local_steps=2, present=present, target=target)
    return Sweeps(instance, {"target": _TARGETS, **values}, vary)


def _ramp(theorem: Theorem, eta: float, clip: float, target: float) -> Run:
    """A ramp of twice the target from far away, for as many rounds as its shortest steps need."""
    problem = ClippingProblem("ramp", 2, 1.0, 1.0, target=target, gap=_GAP)
    rounds = int(_GAP / (2 * target) / min(2 * target * eta, clip)) + 20
    options = {"gamma": clip}
    run = make_run(theorem.algorithm, problem, rounds=rounds, eta=eta, x0=problem.start, options=options)
    return replace(run, target=target)


def _never_clipped(theorem: Theorem, eta: float = _ETA, target: float = _TARGET) -> Run:
    return _ramp(theorem, eta, _CLIP, target)


def _always_clipped(theorem: Theorem, clip: float = _SHORT, target: float = _TARGET) -> Run:
    return _ramp(theorem, _ETA, clip, target)


def _converged(theorem: Theorem, T: float) -> Run:
    """A quadratic that converges long before the last round."""
    problem = Quadratic([1.0] * 2, np.zeros((2, 1)))
    options = {"gamma": 10.0}
    return make_run(theorem.algorithm, problem, rounds=int(T), eta=0.25, x0=[1.0], options=options)


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Steep losses from far away at the largest steps; of a lower bound the hard instances of its class."""
    if not (theorem.assumes("relaxed-smooth") or theorem.assumes("relaxed-smooth-mean")):
        return None
    return _lower_bound_instances() if theorem.kind == "lower" else list(_descents())


def sweeps(theorem: Theorem) -> Sweeps | None:
    """Rounds to a target at the step sizes of the proofs, whose factors are unspecified.

    eta is three times the inverse of the sum of the inverses of C/(K tau), target/(K tau sigma) and C m
    target^2/(L0 sigma^2) with K = L0 + L1 (zeta + rho_zeta sigma); for CELGC of the last alone. The clip is
    11 sigma + L0/(L1 rho_zeta) times eta for EPISODE, and 5 sigma times eta for CELGC.
    """
    if theorem.algorithm == "celgc":
        return _target_sweeps(0.0, 2.0, 0.125, 2, 1.0, {"m": (1, 2, 4, 8), "tau": (1, 2, 4, 8)})
    if theorem.algorithm == "episode":
        return _target_sweeps(0.5, 1.0, 1 / 16, 2, 1.0, {"m": (2, 4, 8, 16), "tau": (1, 2, 4, 8)})
    if theorem.algorithm == "episodepp":
        values = {"m": (4, 8, 16), "tau": (1, 2, 4, 8), "C": (0.25, 0.5, 0.75, 1.0)}
        return _target_sweeps(0.5, 1.0, 0.1, 4, 0.5, values)
    return None


def term_sweeps(theorem: Theorem, term: Term) -> list[TermSweep] | None:
    """Runs of clipped descent whose only error source is that of the term: never clipped, or always.

    On a ramp F' = 2 target from far away all steps are equal, so that the rounds to the target are one term:
    the distance over eta 2 target where no step is clipped, over clip where all are. The mean decrease is
    measured on a quadratic that converges.
    """
    if theorem.algorithm != "clipped_minibatch_sgd":
        return None
    if theorem.claim.summary != "first":
        return [TermSweep("T", _ROUNDS, lambda value: _converged(theorem, value))]
    always = term.cause == "clipping"
    run, values = (_always_clipped, _CLIPPED_VALUES) if always else (_never_clipped, _UNCLIPPED_VALUES)
    return [TermSweep(k, v, lambda value, k=k: run(theorem, **{k: value})) for k, v in values.items()]  # type: ignore[misc]


def _relaxed_constant(name: str) -> Callable[[EvaluationContext], Constant]:
    return lambda context: relaxed_smoothness(context.run.problem, context.run.x0, clip_of(context.run))[name]


FAMILY = Family(
    assumptions={
        vocabulary.RELAXED_SMOOTH: AssumptionRule(_relaxed, at_largest_steps),
        vocabulary.RELAXED_SMOOTH_MEAN: AssumptionRule(_relaxed),
        vocabulary.NORM_DISSIMILARITY: AssumptionRule(_of_bounded_norm),
        vocabulary.ALMOST_SURE_NOISE: AssumptionRule(_almost_surely_bounded, _with_bounded_noise),
        vocabulary.SYMMETRIC_NOISE: MEASURED,
    },
    instances=default_instances,
    constants={
        notation.L0: _relaxed_constant("L0"),
        notation.L1: _relaxed_constant("L1"),
        notation.clip: _clip,
        notation.target: _target,
        notation.zeta: lambda context: _norm_dissimilarity("zeta", context),
        notation.rho_zeta: lambda context: _norm_dissimilarity("rho_zeta", context),
        notation.grad_max: _grad_max,
    },
    observables={"clipped_decrease": clipped_decrease},
    sweeps=sweeps,
    term_sweeps=term_sweeps,
)
