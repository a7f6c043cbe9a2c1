"""The report of a plan, and its JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boundkit.analysis.outer_optimisers import OuterOptimiser
from boundkit.analysis.units import write_size, write_time
from boundkit.report import Report, Sentences, Table
from boundkit.report.formatting import join_names, json_values
from boundkit.simulation.confidence_interval import Estimate
from boundkit.studies.forecast.answers import describe_interval, interval_to_dict

if TYPE_CHECKING:
    from boundkit.studies.planning.plan import OuterChoice, Plan

MARGIN = 0.8
"""The advised outer step, as a share of the largest stable one."""
ADVISED = f"nesterov, {MARGIN:g} of the edge"
_ROWS = 9
_SPENT = {
    "communication": "waiting for exchanges",
    "drift": "local steps that make less progress than those of data-parallel training",
    "noise": "gradient noise",
    "descent": "the descent itself",
}
"""What limits, in words."""


def to_dict(plan: Plan) -> dict[str, Any]:
    """The whole result for JSON."""
    schedule, model = plan.schedule, plan.model
    known = model is not None
    return {
        "tau": plan.tau,
        "best_tau": None if plan.best_taus is None else {"value": plan.tau, **_range(plan.best_taus)},
        "target": model.target if model else None,
        "quantity": model.quantity if model else None,
        "source": model.kind if model else None,
        "clock": {
            "step_time": schedule.step_time,
            "replicas": schedule.outer.replicas,
            "C": schedule.outer.participation,
            "participants": schedule.participants,
            "payload": schedule.outer.payload,
            "exchange": schedule.outer.seconds(),
            "data_parallel_step": sum(schedule.parallel_step),
        },
        "taus": plan.taus.tolist(),
        "round_seconds": plan.round_seconds.tolist(),
        "rounds": [interval_to_dict(each) for each in plan.rounds] if known else None,
        "seconds": [interval_to_dict(each) for each in plan.seconds] if known else None,
        "logged": [model.is_measured(int(tau)) for tau in plan.taus] if model else None,
        "cost": [interval_to_dict(plan.cost(each)) for each in plan.seconds] if known else None,
        "speedup": [interval_to_dict(each) for each in plan.speedups],
        "shares": {name: json_values(values) for name, values in plan.shares.items()},
        "limits": plan.limits,
        "data_parallel": {
            "seconds": interval_to_dict(plan.parallel),
            "covered": plan.parallel_is_known,
            "accumulated": None
            if plan.accumulated is None
            else {"gradients": plan.accumulated[0], "seconds": interval_to_dict(plan.accumulated[1])},
        },
        "steps": {n: _range(r) for n, r in model.steps_at(plan.tau).items()} if model else None,
        "outer": [_outer_to_dict(each) for each in plan.outer],
        "late": plan.is_late,
        "curvatures": list(plan.curvatures),
        "left_out": plan.left_out,
        "assumed": list(plan.assumed),
    }


def _range(ends: tuple[float, float]) -> dict[str, float]:
    return {"low": float(ends[0]), "high": float(ends[1])}


def _outer_to_dict(each: OuterChoice) -> dict[str, Any]:
    return {
        "name": each.name,
        "eta_s": each.optimiser.eta_s,
        "beta_s": each.optimiser.beta,
        "nesterov": each.optimiser.nesterov,
        "contraction": each.contraction,
        "amplification": json_values(each.amplification),
        "stable_below": each.largest,
        "rounds_to_a_tenth": json_values(each.rounds_to_a_tenth),
        "advised": each.name == ADVISED,
    }


def report_of(plan: Plan) -> Report:
    """The answer, the clock, time against tau, data-parallel training, and the outer optimiser."""
    answer = Sentences([answer_of(plan)], wrapped=True)
    return Report((answer, _clock(plan), *_times(plan), _outer(plan), Sentences(_notes(plan), wrapped=True)))


def answer_of(plan: Plan) -> str:
    """The question answered in a sentence or two."""
    place, model = plan.taus.tolist().index(plan.tau), plan.model
    if model is None or plan.best is None or plan.best_taus is None:
        none = (
            f"No tau in this plan reaches {model.quantity} {model.target:g}. By the clock: at"
            if model
            else "At"
        )
        waits = 100 * plan.shares["communication"][place]
        why = (
            "the least of those compared at which that is at most 5 %"
            if waits <= 5
            else "more at each lower tau compared"
        )
        needs = "" if model else " Which tau reaches a target soonest needs logs or constants."
        most = plan.speedups[place].value
        return (
            f"{none} tau = {plan.tau} replicas wait for {waits:.2g} % of the time ({why}), and local steps "
            f"are at most {most:.3g} times as fast as data-parallel training: faster as long as they need "
            f"less than {most:.3g} times as many steps to the same loss.{needs}"
        )
    low, high = plan.best_taus
    between = f" ({low:.0f} to {high:.0f})" if low < high else ""
    speed = plan.speedups[place]
    at_most = "" if plan.parallel_is_known else "at most "
    faster = "times as fast as data-parallel training"
    limit = plan.limits[place]
    share = plan.shares[limit][place]
    edge = ""
    if plan.left_out and plan.best in (0, len(plan.taus) - 1):
        edge = " It is at the end of the planned range."
    logged = ", with the rounds of the log" if model.is_measured(plan.tau) else ""
    return (
        f"The best tau is {plan.tau}{between}{logged}: {_time(plan.seconds[place])} to {model.quantity} "
        f"{model.target:g}, {at_most}{_number(speed)} {faster}; {100 * share:.0f} % of it is "
        f"{_SPENT[limit]}.{edge}{_accumulated(plan)}"
    )


def _accumulated(plan: Plan) -> str:
    """The time with accumulated gradients, and whether local steps gain over it."""
    if plan.accumulated is None or plan.best is None:
        return ""
    count, time = plan.accumulated
    none = ", so that local steps gain nothing over it" if time.value <= plan.seconds[plan.best].value else ""
    return (
        f" By the theorem data-parallel training with {count} accumulated gradients takes "
        f"{write_time(time.value)}{none}."
    )


def _clock(plan: Plan) -> Table:
    schedule, tau = plan.schedule, plan.tau
    computation, waiting = schedule.computation(tau), schedule.waiting(tau)
    exchange = schedule.outer.seconds(schedule.fragments)
    count, C = schedule.participants, schedule.outer.participation
    of = "" if C == 1 else f" of {schedule.outer.replicas} (C = {C:g})"
    rows = [
        ["replicas that take part in an exchange", f"{count}{of}"],
        ["an exchange" + (f" of one of {schedule.fragments} fragments" if schedule.fragments > 1 else ""),
         write_time(exchange)],
        ["a step of data-parallel training", f"{write_time(sum(schedule.parallel_step))}, of it "
         f"{write_time(schedule.parallel_step[1])} waiting"],
        [f"a round of {tau} local steps", f"{write_time(computation + waiting)}, of it "
         f"{write_time(waiting)} waiting"],
        ["bytes that pass a link in a round", write_size(schedule.outer.volume)],
    ]  # fmt: skip
    if schedule.late and waiting and (least := schedule.stall_free_bandwidth(tau)) is not None:
        rows.append(["bandwidth at which nobody waits", f"{write_size(least)}/s"])
    return Table(["", "time"], rows, caption="The clock (exact in this model)")


def _times(plan: Plan) -> list[Table]:
    places = _shown(plan)
    shares, limits = plan.shares, plan.limits
    header = ["tau", "rounds", "time", "cost", *shares, "limited by", "speed-up"]
    rows = []
    for k in places:
        known, cost = ["", ""], None
        if plan.model and plan.is_timed:
            logged = " (logged)" if plan.model.is_measured(int(plan.taus[k])) else ""
            known = [_plain(plan.rounds[k]) + logged, _time(plan.seconds[k])]
            cost = plan.cost(plan.seconds[k])
        parts = [f"{100 * values[k]:.0f} %" if np.isfinite(values[k]) else "" for values in shares.values()]
        rows.append([
            str(int(plan.taus[k])), *known, _number(cost), *parts, limits[k], _number(plan.speedups[k]),
        ])  # fmt: skip
    used = [c for c in range(len(header)) if any(row[c] for row in rows)]
    timed = plan.model is not None and plan.is_timed
    source = f"rounds: {plan.model.kind}; the rest exact" if plan.model and timed else "exact"
    title = "Time to the target against tau" if timed else "A round against tau; speed-up at most"
    tables = [
        Table(
            [header[c] for c in used], [[row[c] for c in used] for row in rows], caption=f"{title} ({source})"
        )
    ]
    if plan.parallel is not None and plan.model is not None and timed:
        measured = plan.model.is_measured(1)
        how = "logged" if measured else plan.model.kind
        if not plan.parallel_is_known:
            how = "at most, by the fitted shape"
        parallel = [["an exchange each step", _time(plan.parallel), how]]
        if plan.accumulated is not None:
            count, time = plan.accumulated
            parallel.append([f"{count} gradients accumulated", _time(time), plan.model.kind])
        tables.append(Table(["data-parallel training", "time", "source"], parallel))
    return tables


def _shown(plan: Plan) -> list[int]:
    """Places of a few taus, with the best."""
    taus = plan.taus
    wanted = np.geomspace(taus[0], taus[-1], _ROWS)
    places = {int(np.abs(np.log(taus / t)).argmin()) for t in wanted}
    return sorted({*places, taus.tolist().index(plan.tau)})


def _outer(plan: Plan) -> Table:
    low, high = plan.decays
    rows = [
        [each.name, f"{each.optimiser.eta_s:.3g}", f"{each.optimiser.beta:.3g}", f"{each.largest:.3g}",
         f"{each.rounds_to_a_tenth:.3g}" if np.isfinite(each.rounds_to_a_tenth) else "unstable",
         "" if plan.is_late or not np.isfinite(each.amplification) else f"{each.amplification:.3g}"]
        for each in plan.outer
    ]  # fmt: skip
    late = ", each step late by a round" if plan.is_late else ""
    return Table(
        ["outer optimiser", "eta_s", "beta_s", "stable below", "rounds to 1/10", "noise, times FedAvg's"],
        rows,
        caption=f"Outer optimisers at tau = {plan.tau} (exact on quadratics; a round takes away a share q of "
        f"the error, {low:.3g} to {high:.3g}{late})",
    )


def _advice(plan: Plan) -> str:
    """Which outer optimiser, and why."""
    named = {each.name: each for each in plan.outer}
    own, heavy = named[ADVISED], named["heavy ball, best"]
    text = (
        f"Of these take {ADVISED}: eta_s = {own.optimiser.eta_s:.3g} and beta_s = {own.optimiser.beta:.3g}, "
        f"{own.rounds_to_a_tenth:.3g} rounds to a tenth of the error"
    )
    if np.isfinite(own.amplification) and not plan.is_late:
        text += f", at {own.amplification:.3g} times the noise of FedAvg; smaller steps have less of it"
    text += "."
    edge = [e.name.split(",")[0] for e in plan.outer if e.name.endswith("best")
            and e.optimiser.eta_s > (1 + MARGIN) / 2 * e.largest]  # fmt: skip
    if edge:
        text += (
            f" The best of {join_names(edge)} {'is' if len(edge) == 1 else 'are'} within 10 % of the edge of "
            "stability, with no margin for a q larger than assumed."
        )
    if heavy.rounds_to_a_tenth < own.rounds_to_a_tenth:
        text += (
            " Heavy ball is faster on quadratics; on other strongly convex losses its best step need not "
            "converge."
        )
    return text


def _notes(plan: Plan) -> list[str]:
    notes = [_advice(plan)]
    if plan.model is not None:
        at = plan.model.steps_at(plan.tau)
        steps = ", ".join(f"{n} = {_ends(r)}" for n, r in at.items())
        how = (
            "chosen by the bound, not by quadratics" if plan.model.kind == "theorem" else "those of the logs"
        )
        notes.append(f"Steps at tau = {plan.tau}: {steps or 'not in the logs'}, {how}.")
    late, fragments = plan.schedule.late, plan.schedule.fragments
    if late > plan.taus[0] / fragments:
        most = "tau" if fragments == 1 else f"tau/{fragments}"
        notes.append(
            f"An outer step is at most {most} steps late: {late:g} is cut to that below tau = "
            f"{late * fragments:g}."
        )
    if late and not plan.is_late:
        edge = OuterOptimiser(0.7, 0.9, 1.0).largest_late / plan.decays[1]
        notes.append(
            f"Outer steps come late by up to {100 * late / plan.tau:.2g} % of a round, which the table "
            f"leaves out; late by a whole round, Nesterov's method at 0.9 is stable below {edge:.3g}."
        )
    if plan.left_out:
        notes.append(f"Not planned: {plan.left_out}.")
    if plan.assumed:
        notes.append(f"Assumed: {', '.join(plan.assumed)}.")
    return notes


def _ends(ends: tuple[float, float]) -> str:
    return f"{ends[0]:.3g}" if np.isclose(*ends) else f"{ends[0]:.3g} to {ends[1]:.3g}"


def _time(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    if not np.isfinite(estimate.value):
        return "not reached"
    if estimate.low == estimate.high:
        return write_time(estimate.value)
    high = f"{write_time(estimate.high)}]" if np.isfinite(estimate.high) else "no end)"
    return f"{write_time(estimate.value)} [{write_time(estimate.low)}, {high}"


def _plain(estimate: Estimate) -> str:
    return f"{estimate.value:.3g}" if np.isfinite(estimate.value) else ""


def _number(estimate: Estimate | None) -> str:
    if estimate is None or not np.isfinite(estimate.value):
        return ""
    if estimate.low == estimate.high:
        return f"{estimate.value:.3g}"
    return describe_interval(estimate)
