"""What the selection of a run does to its problem."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.selection import Skew, Strategy, skew, skew_along, strategy_of
from boundkit.simulation.selection.skew import Within
from boundkit.simulation.selection.skew_one_dimension import ends_of
from boundkit.simulation.selection.small_step_limit import not_plain, small_step_limit
from boundkit.simulation.simulate import simulate
from boundkit.verification.families.selection import is_deterministic, mean_local_models
from boundkit.verification.selection_bias import biases
from boundkit.verification.selection_skew_result import Skewed


@np.errstate(over="ignore", invalid="ignore")
def skewed(run: Run, within: Within = None, along: bool = False) -> Skewed:
    """The skew of a run's selection, the bias that theorems allow it, and where it ends.

    ``within``: as for ``skew``. ``along``: simulate the run once and look at its models too.

    Raises BoundkitError for other than quadratics, for participation that is no strategy, and, along a run,
    where that diverges.
    """
    strategy = strategy_of(run.participation)
    problem = run.problem
    if not isinstance(problem, Quadratic):
        raise BoundkitError(
            f"the skew of a selection is computed for quadratic problems, not for {problem.kind} ones."
        )
    found = skew(problem, strategy, within)
    visited = _along(run, problem, strategy) if along else None
    rows, no_bias, left_out = biases(run, found, visited)
    limit, no_limit = None, ""
    try:
        limit = small_step_limit(run)
    except BoundkitError as error:
        no_limit = str(error)
    note = _note(run, problem, within)
    return Skewed(
        run.participation,
        strategy,
        found,
        visited,
        rows,
        no_bias,
        left_out,
        limit,
        no_limit,
        problem.centre,
        note,
    )


def _note(run: Run, problem: Quadratic, within: Within) -> str:
    said = []
    unlike = not_plain(run)
    if unlike:
        said.append(f"the skew and the bias are those of a plain average, but {unlike}.")
    if within is not None:
        low, high = ends_of(problem, within)
        if not low <= run.x0[0] <= high:
            said.append(
                f"the run begins at x0 = {run.x0[0]:g}, outside [{low:g}, {high:g}], so that this rho_bar is "
                "none for its first rounds."
            )
    return " And ".join(said)


def _along(run: Run, problem: Quadratic, strategy: Strategy) -> Skew:
    seen = simulate(run)
    if seen.outcome != "done":
        raise BoundkitError(f"the run diverges in round {seen.diverged_at}, so there is no skew along it.")
    starts = seen.x[:-1]
    return skew_along(
        problem, strategy, starts, mean_local_models(run, starts) if is_deterministic(run) else None
    )
