"""Which source of heterogeneity hurts a run most: by the terms of a bound, and by runs without it.

A user's Python file defines ``model`` (a torch.nn.Module, or the name of a kind), ``clients`` (pairs of
inputs and labels, one a client), and may define ``loss``, ``test`` (one pair) and ``settings`` (arguments of
``simulate``, with the batch). It is executed as Python, as the file of a theorem is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.analysis.python_file import execute
from boundkit.simulation.problems import Network
from boundkit.simulation.run import Run, settings_of_symbols
from boundkit.simulation.simulate import as_run
from boundkit.studies.diagnosis.diagnosis import Diagnosis
from boundkit.studies.diagnosis.log import LogDiagnosis
from boundkit.studies.diagnosis.study import RIVALS, diagnose_run, fitting_theorem

__all__ = ["RIVALS", "Diagnosis", "LogDiagnosis", "diagnose_run", "fitting_theorem"]


NEEDED, OPTIONAL = ("model", "clients"), ("loss", "test", "settings")
DEFAULTS: dict[str, Any] = {"rounds": 50, "eta": 0.1, "local_steps": 10, "batch": 10}
_OF_NETWORKS = ("batch", "order", "l2", "weights")


def own_run(
    algorithm: str,
    model: Any,
    loss: Callable[..., Any] | None,
    clients: Sequence[Any],
    test: tuple[Any, Any] | None = None,
    **settings: Any,
) -> Run:
    """The run of a user's own model on their clients; ``settings`` of the run and of the network.

    50 rounds of 10 local steps with batches of 10 and eta = 0.1 where nothing else is said; ``batch=None`` is
    exact gradients. Weights p_i are n_i/n.
    """
    given = DEFAULTS | settings_of_symbols(settings)
    of_network = {name: given.pop(name) for name in _OF_NETWORKS if name in given}
    network = Network(clients, model, loss=loss, test=test, **of_network)
    return as_run(algorithm, network, **given)


def read_own(path: Path, algorithm: str, seed: int | None = None) -> Run:
    """The run that a Python file defines.

    Raises BoundkitError where the file cannot be executed, or lacks a name.
    """
    made = execute(path, "model and clients")
    for name in NEEDED:
        if name not in made:
            raise BoundkitError(
                f"{path} must define {name}; model and clients are needed, and loss, test, settings may be."
            )
    settings = made.get("settings", {})
    if not isinstance(settings, Mapping):
        raise BoundkitError(f"settings of {path} must be a dict, but it is a {type(settings).__name__}.")
    known = (*DEFAULTS, *_OF_NETWORKS, "eta_s", "x0", "participation", "schedule", "options", "seed", "every")
    for name in settings:
        if name not in known:
            raise unknown(f"setting in {path}", str(name), known)
    chosen = dict(settings) | ({} if seed is None else {"seed": seed})
    return own_run(algorithm, made["model"], made.get("loss"), made["clients"], made.get("test"), **chosen)
