"""Infinitely many alike clients: the terms over m vanish, and the noise drift is seen alone."""

from boundkit.attack.infinite.evidence import InfiniteEvidence, at_rest, reaches
from boundkit.attack.infinite.gaussian import Gaussian
from boundkit.attack.infinite.landscape import Landscape
from boundkit.attack.infinite.laws import Law, Splitting, TwoPoint
from boundkit.attack.infinite.rounds import InfiniteRun, Rounds, infinite_run
from boundkit.attack.infinite.shapes import Shape
from boundkit.attack.infinite.share import DriftShare, noise_drift_share
from boundkit.attack.infinite.witnesses import drift_slopes, known_shapes, witnesses

__all__ = [
    "DriftShare",
    "Gaussian",
    "InfiniteEvidence",
    "InfiniteRun",
    "Landscape",
    "Law",
    "Rounds",
    "Shape",
    "Splitting",
    "TwoPoint",
    "at_rest",
    "drift_slopes",
    "infinite_run",
    "known_shapes",
    "noise_drift_share",
    "reaches",
    "witnesses",
]
