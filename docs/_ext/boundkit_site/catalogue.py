"""The theorems by setting, in the order of a lecture."""

from __future__ import annotations

from collections.abc import Callable

from boundkit.algebra import Theorem
from boundkit.theorems import catalogue
from boundkit.theorems.catalogue import proof_status

from .markdown import plain, table

ADAPTIVE = {"fedadagrad", "fedadam", "fedexp", "local_adaptive"}
MOMENTUM = {"fedavgm", "accelerated_local_sgd", "fedcm"}
VARIANCE_REDUCED = {"fedvarp", "clusterfedvarp", "scaffold", "scaffnew", "fedlin", "feddyn", "dane"}
_MARKS = {"lower": "lower bound, ", "tight": "equality, ", "order": "order only, "}


def _any(*names: str) -> Callable[[Theorem], bool]:
    return lambda theorem: any(theorem.assumes(name) for name in names)


SETTINGS: dict[str, tuple[str, Callable[[Theorem], bool]]] = {
    "Full participation": (
        "FedAvg where all clients participate in every round: the effect of heterogeneous data alone.",
        _any("full-participation"),
    ),
    "Homogeneous clients": (
        "SGD, local SGD and asynchronous SGD on one distribution, in rounds or in wall-clock time.",
        lambda t: t.assumes("alike-clients") or t.algorithm == "minibatch_sgd",
    ),
    "Client sampling": (
        "The server samples the clients of a round; the sampling error stays where they are heterogeneous.",
        _any("partial-participation", "sampling-with-replacement", "unbiased-sampling", "one-client-drawn"),
    ),
    "Variance reduction": (
        "Stored updates or control variates remove the sampling error or the client drift.",
        lambda t: t.algorithm in VARIANCE_REDUCED,
    ),
    "Biased client selection": (
        "Clients with large losses are selected: faster at first, and biased in the limit.",
        _any("biased-selection"),
    ),
    "Cyclic participation": ("Groups of clients participate in a fixed order.", _any("cyclic-participation")),
    "Intermittent availability": (
        "Clients are available at random, or in patterns that the server does not control.",
        _any("bernoulli-availability", "known-availability", "changing-availability", "bounded-absence"),
    ),
    "Heterogeneous local work": (
        "Clients take different numbers of local steps, or use different solvers.",
        _any("general-local-solver", "inexact-proximal-minimisers"),
    ),
    "Adaptive step sizes": (
        "The server, or each client, adapts its step size during the run.",
        lambda t: t.algorithm in ADAPTIVE,
    ),
    "Compressed messages": (
        "Clients send a part of the numbers of an update, with error feedback, or at random without bias.",
        _any("contractive-compression", "unbiased-compression"),
    ),
    "Differential privacy": (
        "Clients clip their updates, and the server adds Gaussian noise to the mean.",
        _any("gaussian-mechanism"),
    ),
    "Networks without a server": ("Clients average with their neighbours.", _any("gossip")),
    "Robust servers": (
        "Some clients send anything, and the server takes a robust aggregate.",
        _any("robust-aggregation"),
    ),
    "Outer optimisers": (
        "Momentum at the server, heavy ball or Nesterov's method, or inside the local steps.",
        lambda t: t.algorithm in MOMENTUM,
    ),
    "Relaxed smoothness": (
        "The smoothness constant may grow with the gradient; clipping.",
        _any("relaxed-smooth", "relaxed-smooth-mean"),
    ),
}
"""Title, sentence, and whether a theorem belongs there; of several, the last that applies."""


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
            f"[{t.title}](theorems/{t.name}.md)<br>`{t.name}`",
            plain(t.claim.name),
            _MARKS.get(t.kind, "") + proof_status(t),
            f"{plain(t.source.authors[0])} {t.source.year}",
        ]
        for t in ordered
    ]
    pages = "\n".join(f"theorems/{t.name}" for t in ordered)
    return "\n\n".join(
        [
            f"## {title}",
            SETTINGS[title][0],
            table(["theorem", "bounds", "standing", "after"], rows),
            f"```{{toctree}}\n:hidden:\n:caption: {title}\n\n{pages}\n```",
        ]
    )
