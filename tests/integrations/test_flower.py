from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boundkit as bk
from boundkit.integrations.flower import record_strategy

pytest.importorskip("flwr", reason="Flower is not installed")
pytest.importorskip("ray", reason="Flower's simulation is not installed")


@pytest.mark.slow  # it starts ray
@pytest.mark.filterwarnings("default")
def test_a_strategy_records_its_rounds(tmp_path: Path) -> None:
    """Client i moves both parameters by i + 1, with weight i + 1."""
    from flwr.app import ArrayRecord, Message, MetricRecord, RecordDict
    from flwr.clientapp import ClientApp
    from flwr.serverapp import ServerApp
    from flwr.serverapp.strategy import FedAvg
    from flwr.simulation import run_simulation

    client, server, logs = ClientApp(), ServerApp(), []

    @client.train()  # type: ignore[untyped-decorator, unused-ignore]
    def fit(message: Any, context: Any) -> Any:
        step = int(context.node_config["partition-id"]) + 1
        moved = [array + step for array in message.content["arrays"].to_numpy_ndarrays()]
        metrics = MetricRecord({"num-examples": step, "local-steps": 2 * step})
        return Message(RecordDict({"arrays": ArrayRecord(moved), "metrics": metrics}), reply_to=message)

    @server.main()  # type: ignore[untyped-decorator, unused-ignore]
    def main(grid: Any, context: Any) -> None:
        with bk.track(tmp_path / "run.csv", m=2, C=1) as log:
            strategy = record_strategy(FedAvg(fraction_evaluate=0.0), log)
            strategy.start(
                grid, ArrayRecord([np.zeros(2)]), 2,
                evaluate_fn=lambda number, arrays: MetricRecord({"loss": 10.0 - number}),
            )  # fmt: skip
            logs.append(log.rows)

    run_simulation(server, client, num_supernodes=2)
    first, _, last = logs[0]
    assert [row["loss"] for row in logs[0]] == [10, 9, 8]
    assert first["update_norm_squared"] == pytest.approx(2 * (5 / 3) ** 2)
    assert first["client_update_norm_squared"] == pytest.approx((2 * 1 + 8 * 2) / 3)
    assert (first["clients"], first["weight_sum"], first["tau"]) == (2, 3, 3)
    assert "clients" not in last
