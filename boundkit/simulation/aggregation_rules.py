"""Aggregation rules, by name: formula, algorithm with its options, and functions of published code.

The rules are named by their use of the updates Delta_i = x - y_i of the participating clients S.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class AggregationRule:
    """An aggregation rule: its formula, the algorithm with its options, and codes that compute it."""

    formula: str
    algorithm: str = "fedavg"
    options: Mapping[str, Any] = field(default_factory=dict)
    implementations: tuple[str, ...] = ()


RULES = {
    "weighted": AggregationRule(
        "x - sum_S p_i Delta_i / sum_S p_j",
        options={"aggregation": "weighted"},
        implementations=(
            "Flower: server/strategy/aggregate.py, aggregate",
            "FedML: simulation/sp/fedavg/fedavg_api.py, FedAvgAPI._aggregate",
            "FedProx: flearn/trainers/fedbase.py, BaseFedarated.aggregate",
            "pfl-research: pfl/aggregate/weighting.py, WeightByDatapoints",
            "FLamby: strategies/fed_avg.py, FedAvg.perform_round (all clients)",
        ),
    ),
    "mean": AggregationRule(
        "x - sum_S Delta_i / |S|",
        options={"aggregation": "mean"},
        implementations=(
            "FedLab: fedlab/utils/aggregator.py, Aggregators.fedavg_aggregate without weights",
            "pfl-research: pfl/aggregate/weighting.py, WeightByUser",
        ),
    ),
    "all": AggregationRule("x - sum_S Delta_i / m", options={"aggregation": "all"}),
    "sum": AggregationRule(
        "x - sum_S p_i Delta_i",
        options={"aggregation": "sum"},
        implementations=("FedEM: aggregator.py, CentralizedAggregator.mix",),
    ),
    "unbiased": AggregationRule("x - sum_S p_i Delta_i / q_i", options={"aggregation": "unbiased"}),
    "normalised": AggregationRule(
        "x - tau_eff sum_S p_i (Delta_i / tau_i) / sum_S p_j",
        algorithm="fednova",
        implementations=("pytorch_federated_learning: fed_baselines/server_fednova.py, FedNovaServer.agg",),
    ),
    "models": AggregationRule(
        "sum_S p_i y_i, which is x only where the p_i of the participants sum to 1",
        options={"aggregation": "sum"},
        implementations=(
            "pytorch_federated_learning: fed_baselines/server_base.py, FedServer.agg (connection_ratio < 1)",
        ),
    ),
}
"""The aggregation rules, by the name that they have in ``boundkit objective --rule``."""
