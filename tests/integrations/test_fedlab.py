from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import boundkit as bk
from boundkit.integrations.fedlab import record_handler


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("differences", [False, True])
def test_a_handler_records_what_clients_upload(tmp_path: Path, differences: bool) -> None:
    try:
        from fedlab.contrib.algorithm.fedavg import FedAvgServerHandler
        from fedlab.contrib.algorithm.scaffold import ScaffoldServerHandler
    except (ImportError, RuntimeError) as error:  # its data sets import torchvision, which must suit torch
        pytest.skip(f"FedLab is not installed: {error}")
    model = torch.nn.Linear(2, 1, bias=False)
    handler: Any = (ScaffoldServerHandler if differences else FedAvgServerHandler)(model, 1, 1.0)
    handler.num_clients = 2
    if differences:
        handler.setup_optim(1.0)
    before = handler.model_parameters
    moves = [torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])]
    with bk.track(tmp_path / "run.csv") as log:
        record_handler(handler, log, loss=lambda model: float(model.weight.sum()), differences=differences)
        for move in moves:
            handler.load([move, torch.zeros(2)] if differences else [before + move])
    (row,) = log.rows
    assert row["loss"] == pytest.approx(float(before.sum()))
    assert row["update_norm_squared"] == pytest.approx(0.5)
    assert row["client_update_norm_squared"] == pytest.approx(1)
    assert torch.allclose(handler.model_parameters, before + 0.5)
