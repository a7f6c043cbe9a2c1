"""Colours, dashes, markers and hatches of causes of error, algorithms and verdicts, in every figure the same.

The colours stay apart for readers who lack one kind of cone (a test measures it), and the dashes, markers and
hatches distinguish the same on grey paper. No figure colours both causes and algorithms. FedAvg, with which
all are compared, has the colour of the text.
"""

from __future__ import annotations

from typing import NamedTuple

from matplotlib.colors import to_hex, to_rgb

from boundkit.algebra.errors import unknown

Dashes = str | tuple[int, tuple[float, ...]]


class CauseLook(NamedTuple):
    """A colour on light paper, one on dark, a line style, and a hatch for areas."""

    light: str
    dark: str
    dashes: Dashes
    hatch: str


CAUSE_LOOKS: dict[str, CauseLook] = {
    "initial gap": CauseLook("#0A58CC", "#3D96FF", "solid", ""),
    "stochastic noise": CauseLook("#AE9129", "#FFD56B", (0, (1, 1)), "...."),
    "noise drift": CauseLook("#C4259A", "#F76BB8", (0, (3, 1, 1, 1, 1, 1)), "xx"),
    "client drift": CauseLook("#98381A", "#FF4F2E", (0, (4, 1.2)), "//"),
    "partial participation": CauseLook("#27A583", "#2CEBB0", (0, (5, 1.2, 1, 1.2)), "\\\\"),
    "objective inconsistency": CauseLook("#F91356", "#C57280", (0, (7, 1.5)), "++"),
    "selection bias": CauseLook("#5A03ED", "#CBBDF8", (0, (2, 1.5)), "oo"),
    "cyclic order": CauseLook("#458351", "#1D991E", (0, (6, 1, 1, 1, 1, 1, 1, 1)), "||"),
    "unavailability": CauseLook("#424069", "#ACF5F4", (0, (8, 1.5, 2, 1.5)), "--"),
    "staleness": CauseLook("#A47DE3", "#AA885E", (0, (3, 2.5)), "/."),
    "start-up": CauseLook("#6B2F3C", "#F1AD73", (0, (1, 2.5)), "O"),
    "clipping": CauseLook("#D020FE", "#FB06EA", (0, (4, 1, 2, 1)), "*"),
}
"""One look for each name in ``boundkit.algebra.term.CAUSES``, in that order."""

INK_IN_TEXT = 0.35
"""How much of the ink is mixed into a colour before words are set in it."""


def cause_look(cause: str) -> CauseLook:
    """The look of a cause.

    Raises BoundkitError for a cause that has none, as in a record that a later version wrote.
    """
    if cause not in CAUSE_LOOKS:
        raise unknown("cause", cause, CAUSE_LOOKS)
    return CAUSE_LOOKS[cause]


def colour(cause: str, dark: bool = False) -> str:
    """The colour of its lines and areas."""
    style = cause_look(cause)
    return style.dark if dark else style.light


def text_colour(colour: str, ink: str) -> str:
    """A colour with enough ink in it to be read in small type.

    >>> text_colour("#ffffff", "#000000")
    '#a6a6a6'
    """
    red, green, blue = (a + INK_IN_TEXT * (b - a) for a, b in zip(to_rgb(colour), to_rgb(ink), strict=True))
    return to_hex((red, green, blue))


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


ALGORITHM_LOOKS: dict[str, AlgorithmLook] = {
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

SAME_LOOK = {"local_sgd": "fedavg"}
"""Algorithms with the look of the one that they are under full participation."""


def algorithm_look(algorithm: str) -> AlgorithmLook:
    """The look of an algorithm.

    Raises BoundkitError for one that has none.
    """
    name = SAME_LOOK.get(algorithm, algorithm)
    if name not in ALGORITHM_LOOKS:
        raise unknown("algorithm in figures", algorithm, ALGORITHM_LOOKS)
    return ALGORITHM_LOOKS[name]


LEAST = 1e-6
"""The ratio at which smaller ones are drawn."""


class VerdictLook(NamedTuple):
    """A colour on light paper, one on dark, and a marker."""

    light: str
    dark: str
    marker: str

    def colour(self, dark: bool) -> str:
        """The colour of the dot."""
        return self.dark if dark else self.light


ANSWERS = {
    "holds": VerdictLook("#0A58CC", "#3D96FF", "o"),
    "violated": VerdictLook("#C8102E", "#FF6B7A", "X"),
    "undecided": VerdictLook("#AE6A00", "#FFC14D", "D"),
}
"""By the answer."""

HOLDING = {
    "upper": ANSWERS["holds"],
    "lower": VerdictLook("#98381A", "#FF9A7A", "<"),
    "order": VerdictLook("#0E7A5F", "#2CEBB0", "d"),
}
"""By the kind of the bound, where it holds."""


def verdict_look(kind: str, answer: str) -> VerdictLook:
    """The look of a theorem: what went wrong, else its kind."""
    return HOLDING[kind] if answer == "holds" else ANSWERS[answer]
