from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import boundkit as bk
from boundkit.integrations.pfl import recording_postprocessor

pytest.importorskip("pfl", reason="pfl is not installed")


@pytest.mark.filterwarnings("default")
def test_a_postprocessor_records_the_cohort(tmp_path: Path) -> None:
    """One full gradient step of size 1/2 on (x - 1)^2, with one sample, and on (x + 1)^2, with three."""
    from pfl.aggregate.simulate import SimulatedBackend
    from pfl.aggregate.weighting import WeightByDatapoints
    from pfl.algorithm.base import NNAlgorithmParams
    from pfl.algorithm.federated_averaging import FederatedAveraging
    from pfl.data.dataset import Dataset
    from pfl.data.federated_dataset import FederatedDataset
    from pfl.hyperparam import NNEvalHyperParams, NNTrainHyperParams
    from pfl.metrics import Weighted
    from pfl.model.pytorch import PyTorchModel

    class Mean(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.x = torch.nn.Parameter(torch.zeros(1))

        def loss(self, points: Any, eval: bool = False) -> Any:
            return ((self.x - points) ** 2).mean()

        def metrics(self, points: Any) -> Any:
            return {"loss": Weighted(float(((self.x - points) ** 2).sum().detach()), len(points))}

    users = {0: np.array([1.0], "float32"), 1: np.array([-1.0, -1.0, -1.0], "float32")}
    order = iter([0, 1] * 2)
    data = FederatedDataset(lambda user: Dataset((users[user],), user_id=str(user)), lambda: next(order))
    net = Mean()
    model = PyTorchModel(net, torch.optim.SGD, torch.optim.SGD(net.parameters(), lr=1.0))
    with bk.track(tmp_path / "run.csv") as log:
        backend = SimulatedBackend(
            data, data, postprocessors=[WeightByDatapoints(), recording_postprocessor(log)]
        )
        FederatedAveraging().run(
            NNAlgorithmParams(2, 1, 2, 0), backend, model,
            NNTrainHyperParams(local_num_epochs=1, local_learning_rate=0.25, local_batch_size=None),
            NNEvalHyperParams(local_batch_size=None), send_metrics_to_platform=False,
        )  # fmt: skip
    first, second = log.rows
    assert (first["clients"], first["largest_weight"]) == (2, 3)
    assert first["loss"] == pytest.approx(1)
    assert first["update_norm_squared"] == pytest.approx(0.25**2)
    assert first["client_update_norm_squared"] == pytest.approx(0.25)
    assert second["loss"] == pytest.approx(0.25 * 1.25**2 + 0.75 * 0.75**2)
