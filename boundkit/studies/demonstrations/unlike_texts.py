"""A recurrent network on text: participation and heterogeneity, with and without clipping.

Twenty clients write in languages of their own, or have the same sequences distributed at random: F is the
same function then, and only its partition differs. Two or ten of them participate in a round and take five
local steps, of eta = 1 without clipping, or of eta = 8. Clipped steps are no longer than `clip`. Theory:

FedAvg        needs eta tau L <= a constant, and no L holds everywhere: long steps may diverge. Such runs are
              chaotic, and their losses depend on how a machine rounds; their intervals cover that.
CELGC         clips each client's own steps; its theorem assumes homogeneous clients, since the mean of
              clipped gradients of heterogeneous ones has another direction.
EPISODE       clips all steps of a round or none, by the mean gradient of the participating clients. Its
              theorem assumes full participation; with partial participation, sampling errors remain.
EPISODE++     the same by stored gradients of all clients; sampling errors vanish as they converge. Steps
              are clipped where the stored mean is long, however long a step itself would be.
clipped SGD   accumulates gradients at one point and clips their mean: no drift, but sampling errors.

The sampling error has the variance (1-C)/C sigma_g^2/(m - 1): heterogeneity should cost more at low
participation. `best` is the mean entropy of the languages, below which no model can be on fresh text; `pairs`
is the smallest entropy of a model that sees one character and not the language.

Crawshaw, Bao, Liu, arXiv 2302.07155 and NeurIPS 2023; Liu, Zhuang, Lei, Liao, arXiv 2205.05040.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boundkit.algebra.errors import unknown
from boundkit.analysis.progress import Progress
from boundkit.simulation.arrays import Array
from boundkit.studies.demonstrations._text_data import Languages, Plays, Texts, entropy, one_table
from boundkit.studies.demonstrations._training import Comparison, Setting, Trained, staged, train

SMALL, LARGE, CLIP, LOOSE, TAU = 1.0, 8.0, 0.3, 1.0, 5
SHARES = (0.1, 0.5)
MODEL = {"kind": "recurrent", "hidden": 12, "embedding": 6, "cell": "tanh"}
TEXTS: dict[str, type[Texts]] = {"languages": Languages, "shakespeare": Plays}
APART: dict[str, dict[str, Any]] = {"languages": {"apart": 0.8}}
NATURAL, DEALT = "own", "dealt"
CLIPPED = {
    "celgc": "lower: steps are bounded",
    "episode": "lower: steps are bounded",
    "episodepp": "lower where the remembered mean is long",
    "clipped_minibatch_sgd": "lower: steps are bounded",
}
_LOOSELY = f"episodepp, clip {LOOSE:g}"
RUNS: dict[str, tuple[str, float, float | None]] = {
    "fedavg, short": ("fedavg", SMALL, None),
    "fedavg, long": ("fedavg", LARGE, None),
    **{f"{name}, clip {CLIP:g}": (name, LARGE, CLIP) for name in CLIPPED},
    _LOOSELY: ("episodepp", LARGE, LOOSE),
}
"""Algorithm, eta and clip."""
_UNLIKE = {
    "fedavg": "higher: client drift and participation",
    "celgc": "higher: drift, participation, and each clips by its own",
    "episode": "higher: participation",
    "episodepp": "neither: corrections remove it as they settle",
    "clipped_minibatch_sgd": "higher: participation",
}
_MORE = "higher: unlike clients cost (1-C)/C"


@dataclass(frozen=True)
class TextRow:
    """``loss``, in ``low`` to ``high``: F at the end; ``fresh``: on fresh text of the same clients."""

    text: str
    C: float
    run: str
    loss: float
    low: float
    high: float
    fresh: float


@dataclass(frozen=True)
class UnlikeTexts:
    """Means over ``replicas`` and over the last three looks; losses in nats a character.
    Comparisons are differences. ``best``: the mean entropy of the languages; ``pairs``: the least loss of a
    model that sees one character and does not know who writes."""

    table: list[TextRow]
    comparisons: list[Comparison]
    best: float | None
    pairs: float | None
    rounds: int
    replicas: int


def unlike_texts(
    text: str = "languages", *, quick: bool = False, jobs: int = 1, progress: Progress | None = None
) -> UnlikeTexts:
    """Seven runs on either division of the text, at two shares C of clients a round.

    ``text``: "shakespeare" takes the roles of the plays, where these are installed.
    """
    if text not in TEXTS:
        raise unknown("text", text, TEXTS)
    rounds, replicas = (2, 2) if quick else (40, 5)
    task = TEXTS[text](model=MODEL, batch=5, sequences=5 if quick else 20, **APART.get(text, {}))
    settings = [_setting(run, C) for C in SHARES for run in RUNS]
    reports = staged(progress, [len(settings) * replicas] * 2)
    both: dict[str, Mapping[str, Array]] = {}
    for (name, dealt), report in zip(((NATURAL, False), (DEALT, True)), reports, strict=True):
        own = train(replace(task, dealt=dealt), settings, rounds=rounds, replicas=replicas, last=3, jobs=jobs,
                    progress=report)  # fmt: skip
        both |= {f"{name}, {label}": series for label, series in own.series.items()}
    trained = Trained(both, 3)
    table = [_row(trained, name, C, run) for name in (NATURAL, DEALT) for C in SHARES for run in RUNS]
    least: tuple[float | None, float | None] = (None, None)
    if isinstance(task, Languages):
        chains = [task.chains(seed) for seed in range(replicas)]
        least = float(np.mean([*map(entropy, chains)])), float(np.mean([*map(one_table, chains)]))
    return UnlikeTexts(table, verdicts(trained), *least, rounds, replicas)


def _label(run: str, C: float) -> str:
    return f"{run}, C = {C:g}"


def _setting(run: str, C: float) -> Setting:
    name, eta, clip = RUNS[run]
    options: dict[str, Any] = {} if clip is None else {"gamma": clip}
    sampling = {"kind": "uniform", "C": C}
    return Setting(
        _label(run, C),
        name,
        {"eta": eta, "local_steps": TAU, "participation": sampling, "options": options},
    )


def _row(trained: Trained, text: str, C: float, run: str) -> TextRow:
    label = f"{text}, {_label(run, C)}"
    loss = trained.at_end(label, "loss")
    return TextRow(text, C, run, loss.value, loss.low, loss.high, trained.at_end(label, "test_loss").value)


def verdicts(trained: Trained) -> list[Comparison]:
    """Clipping, division, and both together with participation."""

    def against(one: str, other: str, theory: str) -> Comparison:
        return trained.compare(one, other, theory=theory, by="difference")

    comparisons = []
    for C in SHARES:
        at = {run: f"{NATURAL}, {_label(run, C)}" for run in RUNS}
        for name, expected in CLIPPED.items():
            comparisons.append(against(at[f"{name}, clip {CLIP:g}"], at["fedavg, long"], expected))
        tight = {name: at[f"{name}, clip {CLIP:g}"] for name in CLIPPED}
        comparisons.append(against(tight["episode"], tight["celgc"], "lower: clips all or none"))
        comparisons.append(against(tight["episodepp"], tight["episode"], "lower: no participation error"))
        comparisons.append(against(at[_LOOSELY], tight["episodepp"], "not said: no L is known"))
    for C in SHARES:
        for run, (name, _, _) in RUNS.items():
            label = _label(run, C)
            comparisons.append(against(f"{NATURAL}, {label}", f"{DEALT}, {label}", _UNLIKE[name]))
    return comparisons + [both_together(trained, run) for run in RUNS]


def both_together(trained: Trained, run: str) -> Comparison:
    """Whether what unlike clients cost is more where fewer come: a difference of differences."""
    few, many = (
        trained.each(f"{NATURAL}, {_label(run, C)}", "loss")
        - trained.each(f"{DEALT}, {_label(run, C)}", "loss")
        for C in SHARES
    )
    names = [f"{run}, {NATURAL} less {DEALT}, C = {C:g}" for C in SHARES]
    cost = {name: {"loss": each[:, None]} for name, each in zip(names, (few, many), strict=True)}
    return Trained(cost).compare(names[0], names[1], theory=_MORE, by="difference")
