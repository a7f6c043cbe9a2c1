"""How each algorithm looks: the same colour, dashes, marker and name in every figure that shows several.

Algorithms are no causes, and no figure colours both. The colours stay apart for readers who lack one kind
of cone (a test measures it), most of all between algorithms that stand in one figure; FedAvg, with which
all are compared, has the colour of the ink. Dashes and markers carry the same news on grey paper.
"""

from __future__ import annotations

from typing import NamedTuple

from boundkit.algebra.errors import unknown
from boundkit.figures.cause_styles import Dashes


class AlgorithmLook(NamedTuple):
    """A name as papers write it, a colour on light paper, one on dark, a line style, and a marker."""

    title: str
    light: str
    dark: str
    dashes: Dashes
    marker: str

    def colour(self, dark: bool) -> str:
        """The colour of its lines and marks."""
        return self.dark if dark else self.light


LOOKS: dict[str, AlgorithmLook] = {
    "fedavg": AlgorithmLook("FedAvg", "#333840", "#E5E7EB", "solid", "o"),
    "fedprox": AlgorithmLook("FedProx", "#B68648", "#A79854", (0, (5, 1.5)), "s"),
    "vrlsgd": AlgorithmLook("VRL-SGD", "#3E4691", "#217A55", (0, (1.5, 1.2)), "D"),
    "fednova": AlgorithmLook("FedNova", "#E17306", "#72FD7E", (0, (6, 1.2, 1.5, 1.2)), "^"),
    "scaffold": AlgorithmLook("SCAFFOLD", "#B50304", "#FCDD1E", (0, (3, 1, 1, 1, 1, 1)), "v"),
    "fedvarp": AlgorithmLook("FedVARP", "#1B6BFC", "#4469FA", (0, (8, 1.5)), "P"),
    "mifa": AlgorithmLook("MIFA", "#FF427D", "#CA330D", (0, (3, 1.5)), "X"),
    "fedau": AlgorithmLook("FedAU", "#A087B6", "#A2B1FB", (0, (1, 1)), "<"),
    "fedawe": AlgorithmLook("FedAWE", "#731819", "#EB962B", (0, (7, 1, 1, 1, 1, 1)), ">"),
    "episodepp": AlgorithmLook("EPISODE++", "#0F774C", "#BEFDBE", (0, (5, 1, 2, 1)), "p"),
    "clipped_minibatch_sgd": AlgorithmLook("clipped minibatch SGD", "#AB3679", "#FB608E", (0, (2, 1.5)), "h"),
    "fedexp": AlgorithmLook("FedExP", "#CE5FDC", "#9B5691", (0, (4, 1.2)), "*"),
    "minibatch_sgd": AlgorithmLook("minibatch SGD", "#5217A5", "#B72BB9", (0, (3, 2.5)), "d"),
}
"""By the name of ``boundkit.simulation.algorithms``."""

SAME = {"local_sgd": "fedavg"}
"""Algorithms that are another one where all clients come, and look like it."""


def look(algorithm: str) -> AlgorithmLook:
    """The look of an algorithm.

    Raises BoundkitError for one that has none.
    """
    name = SAME.get(algorithm, algorithm)
    if name not in LOOKS:
        raise unknown("algorithm in figures", algorithm, LOOKS)
    return LOOKS[name]
