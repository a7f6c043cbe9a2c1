"""Clients that are chosen by their losses and averaged as they come."""

from __future__ import annotations

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import offset as OFFSET
from boundkit.simulation.participation import PowerOfChoice
from boundkit.simulation.run import Run
from boundkit.simulation.selection import strategy_of
from boundkit.simulation.selection.pencil import Pencil
from boundkit.verification.assumed.rule import Rule
from boundkit.verification.assumed.selection_plans import designs

_SAME = 1e-9


def _chosen(theorem: Theorem, run: Run) -> str:
    who, how = run.participation, run.algorithm.settings.get("aggregation", "weighted")
    try:
        strategy_of(who)
        if not run.problem.large:
            Pencil.of(run.problem)
    except BoundkitError as error:
        return str(error).rstrip(".")
    if not (how == "mean" or (how == "weighted" and run.problem.equal_weights)):
        return f"it averages the chosen models plainly, and the run has aggregation {how!r}"
    if who.kind == "with_replacement" and run.problem.draws and who.size(0) != 1:
        return "its clients have noise of their own, and a client that is drawn twice sends one model twice"
    return _step_of_the_paper(theorem, run)


def _step_of_the_paper(theorem: Theorem, run: Run) -> str:
    """Why a step that falls is not 1/(mu t + 4 L), for a theorem that leaves no other."""
    if not theorem.assumes("decaying-step") or OFFSET in theorem.quantities or run.offset is None:
        return ""
    known = run.problem.constants(run.x0)
    L, mu = known["L"].value, known["mu"].value
    right = abs(4 * L * run.eta - 1) <= _SAME and abs(run.offset * mu / (4 * L) - 1) <= _SAME
    wanted = f'{{"first": {1 / (4 * L):g}, "offset": {4 * L / mu:g}}}'
    return "" if right else f"it is about the step 1/(mu t + 4 L) in local step t, here eta = {wanted}"


def _decided(theorem: Theorem, run: Run) -> str:
    who = run.participation
    sure = not who.random if isinstance(who, PowerOfChoice) else who.kind == "full"
    if run.tau == 1 or sure:
        return ""
    return (
        "with more than one local step the model alone must decide who is chosen, and in the run chance has "
        "a say: all clients must be candidates"
    )


RULES = {
    "biased-selection": Rule(_chosen, designs=designs),
    "deterministic-selection": Rule(_decided),
}
