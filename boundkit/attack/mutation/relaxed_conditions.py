"""Runs where a relaxed condition ends and all others hold: instances for mutants that relax a condition.

The step of a run is the largest that the relaxed theorem allows. Which condition limits it depends on the
local steps, the server step and the participation, so that these vary until it is the relaxed one. There the
causes of error are isolated: where the bound is linear in the initial gap and in the squares of noise and
dissimilarity, causes in separate coordinates violate it together only if one of them does alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product, zip_longest

import numpy as np
from sympy import oo

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.notation import clip, eta_s, mu, mu_pl, offset, prox_step, sigma, target
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.step_size import largest_alone, largest_product
from boundkit.attack.candidate import estimate_cost, make_candidate_run, shorten_plan
from boundkit.attack.evidence import Evidence, NotApplicable, collect_evidence
from boundkit.attack.exact_instances.absent_on_a_slope import measure_absent_on_a_slope
from boundkit.attack.exact_instances.available_clients import measure_longest_available
from boundkit.attack.exact_instances.sampled_moments import measure_longest_steps
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.initial_instances import assumption_plans
from boundkit.attack.measurement import Measurement, measurement_of_evidence
from boundkit.attack.mutation.measurements import Measurements
from boundkit.attack.mutation.mutant import Mutant
from boundkit.attack.plan_values import Parametrisation, plan_from_run
from boundkit.attack.random_instances import allows_local_steps
from boundkit.attack.search_state import maximise
from boundkit.attack.stored_instances import stored_runs
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.arrays import Array
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import ClippingProblem, Exponential, Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.checks.bound_comparison import ROUNDING
from boundkit.verification.constants import compute_constants
from boundkit.verification.context import run_settings
from boundkit.verification.instance import Instance

_ERRORS = (BoundkitError, ArithmeticError, np.linalg.LinAlgError, KeyError)
"""What a plan may raise that the theorem does not apply to; KeyError where a quantity has no value yet."""
_TAUS, _SERVERS = (1, 1000, 2, 16), (1.0, 1e-3, 1e3)
"""Numbers of local steps, and server steps besides that at which both steps are limited."""
_OPTIONS = {clip: "gamma", prox_step: "mu"}
"""Quantities that an option of the algorithm determines, which is proportional to each."""
_PARTS = (0.75, 0.9)
"""Fractions of the largest step, as the largest is not always the worst."""
_NARROWLY = 1.4
"""A value this much above the original condition is tried, too, of what an option determines."""
_CURVATURES = (0.1, 0.6)
"""Curvatures of every second client; the others have 1."""
_SLOW = (0.2, 0.02, 0.005)
"""Least curvatures of losses whose largest is 1."""
_DRAWN = 4096
"""Number of clients that are drawn with replacement there."""
_SETTINGS, _TURN, _FIRST = 60, 20, 5
"""Number of settings, of those that are tried first, and of those in which all causes are."""
_COST, _TOTAL = 20.0, 1500.0
"""Largest cost of a run and of all runs."""
_DECAYS, _LEAST, _MOST, _PROBED = 8.0, 60, 30_000, 12
"""Rounds: so that L eta_s eta tau T is this, within two limits; and those of plans that are only measured."""
_FEW_STEPS, _FEW_ROUNDS = 16, 30
"""Local steps, and with decaying steps rounds, at most, where every step is computed."""
_NEAR, _NEIGHBOURS = 0.7, 40
"""Ratio from which on a local search follows, and its evaluations."""


def measure_relaxed_condition(mutant: Mutant) -> Iterator[Measurement]:
    """Yield measurements outside the condition and inside the relaxed one, up to one that refutes it.

    Runs first, which replay; then exact moments of many clients and rounds.
    """
    best: tuple[float, Instance] | None = None
    spent = 0.0
    for plan in _plans(mutant):
        piece = _evidence(mutant, plan)
        if piece is None:
            continue
        spent += estimate_cost(mutant.original, piece.run)
        if spent > _TOTAL:
            break
        yield measurement_of_evidence(piece, "falsifier")
        score = _score(mutant, piece)
        if piece.random:
            continue  # its interval is wider in the test of a mutant
        if score > 1 + ROUNDING:
            return
        if best is None or score > best[0]:
            best = score, plan
    if best is not None and best[0] > _NEAR:
        yield from _improved(mutant, best[1])
    yield from _exact(mutant)


def _exact(mutant: Mutant) -> Iterator[Measurement]:
    """Yield the worst of the exact moments at the longest steps that the relaxed theorem allows."""
    theorem = mutant.original
    longest = (measure_longest_steps, measure_longest_available, measure_absent_on_a_slope)
    try:
        place = theorem.step_size[mutant.place]
        pieces = tuple(piece for measure in longest for piece in measure(mutant.theorem, place))
    except _ERRORS:
        return
    nearest = Measurements(theorem, pieces).nearest(mutant) if pieces else None
    if nearest is not None:
        _, piece, at = nearest
        values = {name: each[[at]] for name, each in piece.values.items()}
        yield replace(piece, values=values, low=piece.low[[at]], high=piece.high[[at]], stage="falsifier")


def _improved(mutant: Mutant, plan: Instance) -> Iterator[Measurement]:
    """Search near the worst of the plans, by all of its numbers."""
    near = Parametrisation(mutant.theorem, plan)
    found: list[tuple[float, Evidence]] = []

    def score(vector: Array) -> float:
        try:
            piece = _evidence(mutant, near.plan(vector))
        except _ERRORS:
            return -np.inf
        if piece is None:
            return -np.inf
        found.append((_score(mutant, piece), piece))
        return found[-1][0]

    maximise(score, near.zeros, _NEIGHBOURS, np.random.default_rng(0))
    if found:
        yield measurement_of_evidence(max(found, key=lambda each: each[0])[1], "falsifier")


def _evidence(mutant: Mutant, plan: Instance) -> Evidence | None:
    """Return the evidence of the plan at the relaxed limit; None where it is not outside the condition."""
    try:
        run = _run(mutant, plan)
        with np.errstate(all="ignore"):
            piece = collect_evidence(mutant.original, run, FastEngineOptions(replicas=32))
            return piece if _score(mutant, piece) > -np.inf else None
    except _ERRORS:
        return None


def _score(mutant: Mutant, piece: Evidence) -> float:
    """Return the largest ratio of the mutant outside the original condition; -inf where there is none."""
    with np.errstate(all="ignore"):
        ratios = np.where(piece.conditions_hold(mutant.original), np.nan, piece.ratios(mutant.theorem))
    return -np.inf if np.isnan(ratios).all() else float(np.nanmax(ratios))


def _run(mutant: Mutant, plan: Instance) -> Run:
    """Return the run of the plan with the largest steps, the least offset or the fewest rounds allowed.

    Where the condition limits what an option determines, the plan's ``step`` is a fraction of that limit.
    """
    theorem = mutant.theorem
    if theorem.rules:
        return _with_fewest_rounds(theorem, plan)
    run = make_candidate_run(theorem, plan)
    option = _option(mutant)
    if option and option[1] in plan.options and plan.eta is None:
        run = make_candidate_run(theorem, replace(plan, step=1.0))
        return make_candidate_run(theorem, _at_option_limit(mutant, plan, run))
    if run.offset is None or offset not in theorem.quantities:
        return run
    values = {n: c.value for n, c in compute_constants(run, theorem).items()} | run_settings(run)
    limits = [
        c
        for c in theorem.step_size
        if offset in c.args and all(q == offset or q.name in values for q in c.free_symbols)
    ]
    least = max((float(evaluate(next(e for e in c.args if e != offset), values)) for c in limits), default=0)
    return run if least <= 0 else replace(run, offset=least, eta=run.eta * run.offset / least)


def _option(mutant: Mutant) -> tuple[Quantity, str] | None:
    """Return what the condition limits and the option that determines it; None where it is no option."""
    sides = () if mutant.condition is None else mutant.condition.args
    return next(((q, name) for q, name in _OPTIONS.items() if q in sides), None)


def _at_option_limit(mutant: Mutant, plan: Instance, run: Run) -> Instance:
    """Return the plan at the step of a run, with an option scaled up to the relaxed condition."""
    limited, option = _option(mutant) or (None, "")
    if limited is None or mutant.condition is None or option not in plan.options:
        raise NotApplicable(f"the plan has no {option}.")
    values = {n: c.value for n, c in compute_constants(run, mutant.original).items()} | run_settings(run)
    limit = float(evaluate(next(e for e in mutant.condition.args if e != limited), values))
    setting = plan.options[option] * plan.step * limit / values[limited.name]
    return replace(plan, eta=run.eta, options={**plan.options, option: setting})


def _with_fewest_rounds(theorem: Theorem, plan: Instance) -> Run:
    """Return the run whose number of rounds is the least at which the conditions hold."""
    run = make_candidate_run(theorem, replace(plan, rounds=1))  # a power of two
    low, high = run.rounds // 2, run.rounds
    while high - low > 1:
        middle = (low + high) // 2
        trial = make_candidate_run(theorem, replace(plan, rounds=middle))
        low, high, run = (low, middle, trial) if trial.rounds == middle else (middle, high, run)
    return run


def _plans(mutant: Mutant) -> Iterator[Instance]:
    """Yield single causes where the relaxed condition limits the step, and the worst instances that are kept.

    The initial gap is first, in all settings: most relaxed conditions are refuted by it.
    """
    if mutant.original.assumes("relaxed-smooth-mean"):
        yield from _clipped(mutant)
    limited = set() if mutant.condition is None else mutant.condition.free_symbols
    if mutant.original.assumes("almost-sure-noise") and {sigma, target} <= limited:
        yield _noise_above_target()
    settings = _settings(mutant)
    causes = [_single_causes(mutant, setting) for setting in settings]
    first = [next(each) for each in causes]
    yield from first[:_TURN]
    for gap in first[:_FIRST]:
        yield from _fast_directions(mutant, gap)
    for gap in first[:_FIRST]:
        yield from (replace(gap, step=part * gap.step) for part in _PARTS)
    yield from first[_TURN:]
    for each in causes[:_FIRST]:
        yield from each
    kept = [plan_from_run(run) for run in stored_runs(mutant.original)]
    for plan in (*assumption_plans(mutant.original), *kept):
        yield shorten_plan(mutant.original, replace(plan, eta=None, step=1.0), _COST)


def _settings(mutant: Mutant) -> list[Instance]:
    """Return plans outside the condition at the relaxed limit, of different local and server steps.

    In turns; those with the first server steps come first, with all participations and options.
    """
    theorem = mutant.original
    groups: dict[tuple[bool, int, int], list[tuple[int, Instance]]] = {}
    steps = (1.0, _NARROWLY / mutant.times) if _option(mutant) else (1.0,)
    for base in _bases(theorem):
        names = {q.name for q in theorem.quantities}
        clients = base.problem.m
        free = "C" in names and base.participation is None and base.schedule is None
        fractions = sorted({1.0, 1 / clients, 0.5}) if free else [base.present]
        taus: Sequence[int] = _TAUS if allows_local_steps(theorem) else (1,)
        if theorem.assumes("decaying-step") or theorem.solvers:  # every step is computed
            taus = tuple(tau for tau in taus if tau <= _FEW_STEPS)
        for tau, present in product(taus, fractions):
            setting = replace(base, local_steps=tau, present=present, eta=None, step=1.0)
            for place, (server, step) in enumerate(product(_servers(mutant, setting), steps)):
                plan = replace(setting, eta_s=server, step=step)
                if _is_beyond(mutant, plan):
                    later = place >= 2 * len(steps)
                    groups.setdefault((later, tau, place), []).append((fractions.index(present), plan))
    result: list[Instance] = []
    for later in (False, True):
        each = [sorted(plans, key=lambda one: one[0]) for key, plans in groups.items() if key[0] == later]
        result += [plan[1] for turn in zip_longest(*each) for plan in turn if plan is not None]
    return result[:_SETTINGS]


def _is_beyond(mutant: Mutant, plan: Instance) -> bool:
    """Check whether a plan is outside the condition, by a short run where its quantities are measured."""
    theorem = mutant.original
    try:
        run = _run(mutant, plan)
        values = {n: c.value for n, c in compute_constants(run, theorem).items()} | run_settings(run)
        conditions = [theorem.step_size[mutant.place], *mutant.theorem.step_size, *theorem.requires]
        if any(q.name not in values for c in conditions for q in c.free_symbols):
            return _evidence(mutant, plan) is not None
        broken, *others = (bool(np.all(satisfied(c, values))) for c in conditions)
        return not broken and all(others)
    except _ERRORS:
        return False


def _servers(mutant: Mutant, base: Instance) -> list[float]:
    """Return server steps: that at which both steps are limited, 1, and very small and large ones."""
    theorem = mutant.original
    if eta_s not in theorem.quantities or theorem.assumes("server-step-one"):
        return [base.eta_s]
    try:
        alone, together = largest_alone(mutant.theorem), largest_product(mutant.theorem)
        if together is None or alone is oo:
            return list(_SERVERS)
        run = base.run(theorem.algorithm, 1e-6)
        values = {n: c.value for n, c in compute_constants(run, theorem).items()} | run_settings(run)
        return [float(evaluate(together / alone, values)), *_SERVERS]
    except _ERRORS:
        return list(_SERVERS)


def _bases(theorem: Theorem) -> list[Instance]:
    """Return homogeneous clients with each of the participations and options of the theorem's own plans."""
    own = [plan for plan in assumption_plans(theorem) if isinstance(plan.problem, Quadratic)]
    few = (2, 4) if not algorithm(theorem.algorithm).stateless else (2, 20)
    plain = [Instance("", Quadratic([1.0] * m, np.zeros((m, 1)))) for m in few]
    settings: dict[str, Instance] = {}
    for plan in own or plain:
        spec = [plan.participation, plan.schedule, plan.options, plan.problem.m, plan.present]
        m = plan.problem.m
        bowl = Quadratic([1.0] * m, np.zeros((m, 1)), noise=1.0)
        base = replace(plan, problem=bowl, x0=np.zeros(1), rounds=min(plan.rounds, _PROBED))
        settings.setdefault(json.dumps(spec, sort_keys=True, default=str), base)
    return list(settings.values())


def _clipped(mutant: Mutant) -> Iterator[Instance]:
    """Yield steps of the relaxed length that end beyond an exponential corner, or clipped ones for ever.

    With L0 = L1 = 1, from where a step that is not clipped is as long as a clipped one, and from half a
    clipped step beside the minimum, so that the next one leads to the other side.
    """
    longest, clipped = 0.5, 0.5
    if mutant.condition is not None and clip in mutant.condition.free_symbols:
        clipped *= mutant.times
    else:
        longest *= mutant.times
    slope = clipped / longest
    height = slope - np.log1p(slope)
    corner = ClippingProblem("ramp", 2, 1.0, 1.0, target=slope / 2, gap=height * (1 + 1e-9))
    sides = Exponential([[0.0], [0.0]])
    plan = Instance("clipped steps", corner, eta=longest, options={"gamma": clipped})
    yield replace(plan, rounds=1, x0=corner.start)
    yield replace(plan, rounds=_PROBED, problem=sides, x0=np.array([clipped / 2]))


def _noise_above_target() -> Instance:
    """Return a parabola of many dimensions on which the noise keeps the gradient above the target.

    The squared gradient stays at eta L sigma^2/(2 m), with eta L sigma^2 = 2.5 m target^2, and the gradient
    is near its root, as the dimensions are many.
    """
    aim, dimensions, clients = 0.075, 300, 2
    eta = 9.9 * clients * aim**2 / 4
    bowl = Quadratic([1.0] * clients, np.zeros((clients, dimensions)), noise=1.0).with_bounded_noise()
    start = np.r_[1.3 * aim, np.zeros(dimensions - 1)]
    options = {"gamma": 12.5 * eta}
    return Instance(
        "noise above the target", bowl, eta=eta, rounds=400, x0=start, options=options, target=aim
    )


def _fast_directions(mutant: Mutant, gap: Instance) -> Iterator[Instance]:
    """Yield the initial gap in the direction of the largest curvature, where the least one is far smaller.

    Steps that are long for the former are no longer so for the latter, which conditions and rates may have.
    """
    theorem, m = mutant.original, gap.problem.m
    if not {mu, mu_pl} & set(theorem.quantities):
        return
    if (gap.participation or {}).get("kind") == "with_replacement":  # with little variance of the sampling
        gap = replace(gap, participation={**gap.participation, "count": _DRAWN})
    for slow in _SLOW:
        long = replace(gap, problem=Quadratic([[1.0, slow]] * m, np.zeros((m, 2))), x0=np.array([1.0, 0.0]))
        most = 1 / slow if theorem.assumes("decaying-step") else gap.rounds
        if _is_beyond(mutant, long):
            yield shorten_plan(theorem, replace(long, rounds=int(np.clip(most, 1, gap.rounds * 10))), _COST)


def _single_causes(mutant: Mutant, setting: Instance) -> Iterator[Instance]:
    """Yield the initial gap, noise, participation and drift alone, with as many rounds as they need."""
    theorem, run = mutant.original, _run(mutant, setting)
    eta = run.eta
    m, tau = setting.problem.m, float(np.max(setting.local_steps))
    zeros, ends = np.zeros((m, 1)), np.where(np.arange(m) % 2, -1.0, 1.0)[:, None]
    most = _FEW_ROUNDS if theorem.assumes("decaying-step") else _MOST
    rounds = int(np.clip(_DECAYS / max(eta * setting.eta_s * tau, 1e-9), min(_LEAST, most), most))
    plan = replace(setting, rounds=rounds)
    gap = replace(plan, problem=Quadratic([1.0] * m, zeros), x0=np.ones(1))
    noise = replace(plan, problem=Quadratic([1.0] * m, zeros, noise=1.0), x0=np.zeros(1))
    apart = replace(plan, problem=Quadratic([1.0] * m, ends), x0=np.zeros(1))
    for each in (gap, noise, *[apart] * (m > 1)):
        yield shorten_plan(theorem, each, _COST)
    if tau == 1:
        return
    convex = theorem.assumes("convex") or theorem.assumes("strongly-convex")
    for second in (*_CURVATURES, *([] if convex else [-0.5])):
        line = Quadratic(list(np.where(np.arange(m) % 2, second, 1.0)), ends)
        two = shorten_plan(theorem, replace(plan, problem=line, x0=line.centre), _COST)
        yield two
        try:
            yield replace(two, x0=fixed_point(two.run(theorem.algorithm, eta)).points[0])
        except _ERRORS:
            continue
