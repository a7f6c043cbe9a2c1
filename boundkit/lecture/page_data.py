"""Data of the explorers and of the simulations in the pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from typing import Any

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import beta_s, eta_s, tau
from boundkit.algebra.printing import latex, plain
from boundkit.analysis.client_values import substitute_clients
from boundkit.analysis.export.javascript import functions, script
from boundkit.analysis.outer_optimisers import closed_forms
from boundkit.analysis.parameters import resolve
from boundkit.analysis.predict import Prediction, predict
from boundkit.lecture.markdown import mathml
from boundkit.lecture.parts import Explorer, Slider
from boundkit.theorems import theorem
from boundkit.verification.context import auxiliary_objective


@dataclass(frozen=True)
class ExplorerData:
    """Data of an explorer.

    ``script``: a classic script that puts the theorem under ``boundkit[key]``; ``settings``: for the page;
    ``initial``: the prediction at the initial values of the sliders.
    """

    key: str
    script: str
    settings: dict[str, Any]
    initial: Prediction


def explorer_data(part: Explorer, theorem: Theorem, key: str) -> ExplorerData:
    """Data of an explorer; per-client values among ``part.values`` are substituted into the theorem first.

    Raises BoundkitError where a slider is no quantity of the theorem or leaves its domain, or where a value
    is not one that ``predict`` takes.
    """
    moved = {slider.name for slider in part.sliders}
    if part.along not in moved:
        raise unknown(f"slider of {part.title!r}", part.along, moved)
    statement, left = substitute_clients(theorem, part.values, free=moved)
    quantities = {q.name: q for q in statement.quantities}
    for slider in part.sliders:
        if slider.name not in quantities:
            raise unknown(f"quantity of {theorem.name}", slider.name, quantities)
        _check(slider, quantities[slider.name])
    limits = (*statement.step_size, *statement.requires)
    limited = {symbol.name for limit in limits for symbol in limit.free_symbols}
    initial = predict(statement, **left)
    values = resolve(statement, left).to_dict(statement)
    settings = {
        "theorem": key,
        "along": part.along,
        "values": values,
        "sliders": [_slider(slider, quantities[slider.name], limited) for slider in part.sliders],
        "requires": [plain(needed) for needed in statement.requires],
        "letters": {name: mathml(latex(q)) for name, q in quantities.items()},
    }
    return ExplorerData(key, script(replace(statement, name=key)), settings, initial)


def stability_data(key: str) -> tuple[str, dict[str, Any]]:
    """The script of an outer optimiser's formulas under ``boundkit[key]``, and the settings of its map."""
    sliders = (
        (Slider("eta_s", 0.05, 10), eta_s, 0.7),
        (Slider("beta_s", 0, 0.99, log=False), beta_s, 0.9),
        (Slider("tau", 1, 10000), tau, 10),
        (Slider("curvature", 0.001, 1), None, 0.1),
        (Slider("condition", 1, 10000), None, 100),
    )
    own = {
        "curvature": (r"\eta\lambda", "step size times largest curvature"),
        "condition": (r"\kappa", "condition number of the Hessian"),
    }
    rows, letters = [], {}
    for slider, quantity, _ in sliders:
        letter, meaning = (latex(quantity), quantity.meaning) if quantity else own[slider.name]
        whole = bool(quantity and quantity.domain.whole)
        rows.append({**asdict(slider), "whole": whole, "meaning": meaning, "limited": False})
        letters[slider.name] = mathml(letter)
    values = {slider.name: value for slider, _, value in sliders}
    return functions(key, closed_forms()), {
        "forms": key, "sliders": rows, "letters": letters, "values": values,
    }  # fmt: skip


def fixed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The quantities without a slider, by keyword."""
    moved = {slider["name"] for slider in settings["sliders"]}
    return {name: value for name, value in settings["values"].items() if name not in moved}


def _check(slider: Slider, quantity: Quantity) -> None:
    for end in (slider.low, slider.high):
        complaint = quantity.domain.complaint(end)
        if complaint is not None:
            raise BoundkitError(f"the slider of {slider.name} ends at {end:g}, but {complaint}.")
    if not slider.low < slider.high:
        raise BoundkitError(f"the slider of {slider.name} goes from {slider.low:g} to {slider.high:g}.")


def _slider(slider: Slider, quantity: Quantity, limited: Set[str]) -> dict[str, Any]:
    return {
        "name": slider.name, "low": slider.low, "high": slider.high, "log": slider.log,
        "whole": quantity.domain.whole, "meaning": quantity.meaning,
        "limited": slider.name in limited,
    }  # fmt: skip


Json = dict[str, Any]


def run_of(settings: Mapping[str, Any]) -> Json:
    """The RUN.json of a preset, which names its algorithm separately, as on the command line.

    >>> run = run_of(PRESETS["two_clients"])
    >>> run["problem"]["e"], run["eta"]
    ([[1.0], [5.0]], 0.05)
    """
    return deepcopy(dict(settings["run"]))


def claim_of(name: str, solver: str | None = None) -> Json:
    """The claim and the assumptions of a theorem, which a page needs besides its exported script.

    ``solver``: the local solver from which the derived quantities are computed. ``of`` is
    ``surrogate`` where the constants are those of the surrogate. Raises BoundkitError for an unknown theorem.
    """
    statement = theorem(name)
    return {
        "name": name,
        "title": statement.title,
        "algorithm": statement.algorithm,
        "observable": statement.claim.observable,
        "summary": statement.claim.summary,
        "assumptions": [assumed.name for assumed in statement.assumptions],
        "solver": solver,
        "of": auxiliary_objective(statement) or "objective",
    }


def _run(
    H: Sequence[Any], e: Sequence[Sequence[float]], x0: Sequence[float], tau: int | list[int], **rest: Any
) -> Json:
    problem = {"kind": "quadratic", "H": list(H), "e": [list(map(float, v)) for v in e]}
    return {"problem": problem, "x0": list(map(float, x0)), "local_steps": tau, **rest}


def _ranges(
    eta: tuple[float, float], tau: int = 40, sigma: float = 4.0, rounds: int = 150
) -> dict[str, list[float]]:
    return {
        "eta": list(eta),
        "tau": [1, tau],
        "sigma": [0.0, sigma],
        "spread": [0.0, 2.0],
        "rounds": [5, rounds],
    }


_TRIANGLE = ((-2, -1), (2, -1), (0, 2.4))
_PAIRS = ((-2.4, -1), (-1.6, -1.4), (2.4, -1), (1.6, -1.4), (-0.4, 2.4), (0.4, 2.4))
_LINE = ((-3,), (-1,), (0,), (0.5,), (1.5,), (2,))
_TURNED = [[0.6, 0.35], [0.35, 0.6]]
_THIRD = {"kind": "uniform", "C": 2 / 6}

PRESETS: dict[str, Json] = {
    "equal_hessians": {
        "title": "Clients drift apart within a round, but with equal Hessians their mean converges to x*.",
        "algorithm": "fedavg",
        "run": _run([[1.0, 0.4]] * 3, _TRIANGLE, (-3.5, 3), 10, eta=0.2, rounds=30),
        "theorem": claim_of("fedavg_nonconvex"),
        "show": "distance_squared",
        "at": 2,
        "controls": _ranges((0.005, 1)),
    },
    "unequal_hessians": {
        "title": "With unequal Hessians, local steps lead to a fixed point other than x*.",
        "algorithm": "fedavg",
        "run": _run([[1.0, 0.2], [0.2, 1.0], _TURNED], _TRIANGLE, (-3.5, 3), 10, eta=0.2, rounds=30),
        "theorem": claim_of("fedavg_nonconvex"),
        "show": "distance_squared",
        "at": 2,
        "controls": _ranges((0.005, 1)),
    },
    "two_clients": {
        "title": "F₁ = (x − 1)² and F₂ = 2 (x − 5)²: the optimum is 11/3, but many local steps lead to 3.",
        "algorithm": "fedavg",
        "run": _run([2.0, 4.0], [(1,), (5,)], (0,), 5, eta=0.05, rounds=20),
        "theorem": claim_of("fedavg_nonconvex"),
        "show": "distance_squared",
        "at": 1,
        "controls": _ranges((0.001, 0.6), rounds=100),
    },
    "unequal_steps": {
        "title": "With 2, 5 and 9 local steps FedAvg minimises another objective, FedNova nearly F.",
        "algorithm": "fedavg",
        "beside": ["fednova"],
        "run": _run(
            [[1.0, 0.5], [0.5, 1.0], [0.8, 0.8]], _TRIANGLE, (-3.5, 3), [2, 5, 9], eta=0.04, rounds=60
        ),
        "theorem": claim_of("fedavg_nonconvex_unequal_steps", "sgd"),
        "show": "distance_squared",
        "at": 4,
        "first": ["eta", "tau_1", "tau_3"],
        "controls": _ranges((0.005, 0.5), tau=20),
    },
    "partial_participation": {
        "title": "Two of six clients participate: the mean converges to x*, the iterate keeps its variance.",
        "algorithm": "fedavg",
        "run": _run([1.0] * 6, _LINE, (-5,), 5, eta=0.008, rounds=150, noise=0.5, participation=_THIRD),
        "theorem": claim_of("fedavg_nonconvex_partial"),
        "at": 150,
        "first": ["C", "eta", "tau"],
        "controls": _ranges((0.002, 0.2), tau=30, rounds=300),
    },
    "cyclic_groups": {
        "title": "Three cyclic groups: the iterate converges to a cycle instead of a point.",
        "algorithm": "fedavg",
        "run": _run(
            [1.0] * 6,
            _PAIRS,
            (-3.5, 3),
            4,
            eta=0.1,
            rounds=45,
            participation={"kind": "cyclic", "groups": 3},
        ),
        "at": 13,
        "controls": _ranges((0.005, 0.6), tau=20),
    },
    "intermittent": {
        "title": "Clients at 0 and 100, the second in every other round: FedAvg converges to 25, not to 50.",
        "algorithm": "fedavg",
        "run": _run([1.0, 1.0], [(0,), (100,)], (80,), 1, eta=0.05, rounds=120, schedule=[[0], [0, 1]]),
        "at": 60,
        "controls": _ranges((0.005, 1), tau=20, sigma=40.0, rounds=300),
    },
    "fedvarp": {
        "title": "FedVARP stores every client's last update, which removes the variance of sampling.",
        "algorithm": "fedvarp",
        "beside": ["fedavg"],
        "run": _run([1.0] * 6, _LINE, (-5,), 4, eta=0.02, rounds=120, participation=_THIRD),
        "theorem": claim_of("fedvarp_nonconvex_sharp"),
        "show": "distance_squared",
        "at": 120,
        "first": ["C", "eta", "tau"],
        "controls": _ranges((0.001, 0.2), tau=20, rounds=300),
    },
}
"""Presets by name: ``title``, ``algorithm``, ``run`` (a RUN.json) and optionally ``beside``
(algorithms drawn for comparison), ``theorem`` (whose bound is drawn beside the run), ``show`` (the first
curve: an observable or ``bound``), ``at`` (the first round shown), ``first`` (the sliders that are not behind
"More": two or three, the step size and the local steps by default) and ``controls`` (slider ranges)."""
