"""The theorems by setting, in the order of a lecture."""

from __future__ import annotations

from collections.abc import Callable

from boundkit.algebra import Theorem
from boundkit.theorems import catalogue

from .markdown import plain, table, to_theorem

ADAPTIVE = {"fedadagrad", "fedadam", "fedexp", "local_adaptive"}
STORING = {"fedvarp", "clusterfedvarp", "scaffold"}
_MARKS = {"lower": "lower bound, ", "tight": "equality, ", "order": "order only, "}


def _any(*names: str) -> Callable[[Theorem], bool]:
    return lambda theorem: any(theorem.assumes(name) for name in names)


SETTINGS: dict[str, tuple[str, Callable[[Theorem], bool]]] = {
    "Full participation": (
        "FedAvg where all clients take part: the cost of heterogeneous data, and nothing else.",
        _any("full-participation"),
    ),
    "One data set, many workers": (
        "SGD, local SGD and asynchronous SGD, with homogeneous clients; with a clock, the error after a "
        "given time.",
        lambda t: t.assumes("alike-clients") or t.algorithm == "minibatch_sgd",
    ),
    "Client sampling": (
        "The server samples the clients of a round. The error of sampling stays as long as clients differ.",
        _any("partial-participation", "sampling-with-replacement"),
    ),
    "Stored updates and control variates": (
        "The server stores updates, or each client a control variate, which removes the error of "
        "sampling, or the drift.",
        lambda t: t.algorithm in STORING,
    ),
    "Selection by losses": (
        "Selecting the clients with the largest losses is fast at first, and biased in the end.",
        _any("biased-selection"),
    ),
    "Cyclic participation": ("Groups of clients participate in turn.", _any("cyclic-participation")),
    "Client availability": (
        "The server does not control which clients are available.",
        _any("bernoulli-availability", "known-availability", "changing-availability", "bounded-absence"),
    ),
    "Unequal local work": (
        "Clients take unequal numbers of local steps, or other solvers: which objective is minimised?",
        _any("general-local-solver", "inexact-proximal-minimisers"),
    ),
    "Adaptive steps": (
        "The server, or each client, finds its step while it runs.",
        lambda t: t.algorithm in ADAPTIVE,
    ),
    "Relaxed smoothness": (
        "Gradients whose growth only the gradient bounds; clipping.",
        _any("relaxed-smooth", "relaxed-smooth-mean"),
    ),
}
"""Title, sentence, and whether a theorem belongs there; of several, the last one that says yes."""


def setting(theorem: Theorem) -> str:
    """The title under which a theorem stands. Raises StopIteration where there is none."""
    return next(title for title in reversed(SETTINGS) if SETTINGS[title][1](theorem))


def by_setting() -> dict[str, list[Theorem]]:
    """All theorems of the catalogue, by title."""
    found: dict[str, list[Theorem]] = {title: [] for title in SETTINGS}
    for theorem in catalogue().values():
        found[setting(theorem)].append(theorem)
    return found


def text() -> str:
    """A section a setting: its sentence, its table, its part of the navigation."""
    return "\n\n".join(_section(title, theorems) for title, theorems in by_setting().items())


def _section(title: str, theorems: list[Theorem]) -> str:
    ordered = sorted(theorems, key=lambda t: (t.algorithm, t.name))
    rows = [
        [
            to_theorem(t.name),
            f"`{t.algorithm}`",
            plain(t.claim.name),
            _MARKS.get(t.kind, "") + t.constants,
            f"{plain(t.source.authors[0])} {t.source.year}",
        ]
        for t in ordered
    ]
    pages = "\n".join(f"theorems/{t.name}" for t in ordered)
    return "\n\n".join(
        [
            f"## {title}",
            SETTINGS[title][0],
            table(["theorem", "algorithm", "bounds", "constants", "after"], rows),
            f"```{{toctree}}\n:hidden:\n:caption: {title}\n\n{pages}\n```",
        ]
    )
