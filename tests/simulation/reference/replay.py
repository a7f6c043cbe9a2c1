"""From the name of an algorithm and a RUN.json to the models of its server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.simulation.reference import (
    adaptive,
    availability,
    averaging,
    clipping,
    clocks,
    controls,
    memory,
    outer,
    server,
)
from tests.simulation.reference.setting import Array, Models, Setting, read

REFERENCES: dict[str, Callable[[Setting], Models]] = {
    "fedavg": averaging.fedavg,
    "fedprox": averaging.fedavg,
    "local_sgd": averaging.fedavg,
    "minibatch_sgd": averaging.minibatch_sgd,
    "fednova": averaging.fednova,
    "scaffold": controls.scaffold,
    "vrlsgd": controls.vrlsgd,
    "fedvarp": memory.clusterfedvarp,
    "clusterfedvarp": memory.clusterfedvarp,
    "mifa": memory.mifa,
    "fedau": availability.fedau,
    "fedawe": availability.fedawe,
    "fedexp": server.fedexp,
    "fedadagrad": server.fedadagrad,
    "fedadam": server.fedadam,
    "episode": clipping.episode,
    "episodepp": clipping.episodepp,
    "celgc": clipping.celgc,
    "clipped_minibatch_sgd": clipping.clipped_minibatch_sgd,
    "async_sgd": clocks.async_sgd,
    "overlap_sgd": clocks.overlap_sgd,
    "adacomm": clocks.adacomm,
    "local_adaptive": adaptive.local_adaptive,
    "fedavgm": outer.fedavgm,
    "diloco": outer.diloco,
    "slowmo": outer.slowmo,
    "accelerated_local_sgd": outer.accelerated_local_sgd,
    "fedcm": outer.fedcm,
}


def replay(algorithm: str, spec: dict[str, Any]) -> Array:
    """The server's model before each round and after the last, (T' + 1, d)."""
    return np.array(REFERENCES[algorithm](read(spec)))


def mean_models(spec: dict[str, Any]) -> Array:
    """The mean of all stored models of FedAWE, (T + 1, d)."""
    return np.array(availability.fedawe_both(read(spec))[1])
