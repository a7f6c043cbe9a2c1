"""Infinitely many alike clients: the terms over m vanish, and the noise drift is seen alone."""

from boundkit.attack.infinite_clients.evidence import InfiniteEvidence, at_rest, reaches
from boundkit.attack.infinite_clients.gaussian import Gaussian
from boundkit.attack.infinite_clients.landscape import Landscape
from boundkit.attack.infinite_clients.laws import Law, Splitting, TwoPoint
from boundkit.attack.infinite_clients.rounds import InfiniteRun, Rounds, infinite_run
from boundkit.attack.infinite_clients.shapes import Shape
from boundkit.attack.infinite_clients.share import DriftShare, noise_drift_share
from boundkit.attack.infinite_clients.witnesses import drift_slopes, known_shapes, witnesses

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
