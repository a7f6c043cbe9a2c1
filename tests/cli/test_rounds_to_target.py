"""boundkit rounds-to-target: a table in the notes' shape, JSON, and one sentence for a mistake."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Command

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "rounds_to_target.md").read_text(encoding="utf-8")
SMALL = ("--model", "softmax", "--clients", "10", "--C", "0.2", "--B", "10", "--E", "2", "--eta", "0.1,0.5",
         "--rounds", "6", "--replicas", "2", "--target", "0.7", "--jobs", "1")  # fmt: skip


def test_the_table_has_a_row_for_every_e_and_b(boundkit: Command, tmp_path: Path) -> None:
    words = ("rounds-to-target", *SMALL, "--out", str(tmp_path))
    answer = boundkit(*words)
    assert (answer.code, answer.err) == (0, "")
    head, fedsgd, fedavg, blank, *said = answer.out.splitlines()
    assert head.split() == [
        "algorithm", "E", "B", "u", "IID", "interval", "eta", "non-IID", "(shards:2)", "interval", "eta"
    ]  # fmt: skip
    assert fedsgd.split()[:4] == ["FedSGD", "1", "inf", "1"]
    assert fedavg.split()[:3] == ["fedavg", "2", "10"]
    assert blank == ""
    assert "relative to FedSGD (E = 1, B = inf) at the same C" in said[0]
    assert "which 2 replicas do not reach" in answer.out
    data = boundkit(*words, "--json").json
    assert data["baseline"].startswith("FedSGD")
    assert [(c["algorithm"], c["E"], c["B"], c["partition"]) for c in data["cells"]] == [
        ("fedavg", 1, None, "iid"), ("fedavg", 1, None, "shards:2"),
        ("fedavg", 2, 10, "iid"), ("fedavg", 2, 10, "shards:2"),
    ]  # fmt: skip
    assert {p.name for p in tmp_path.iterdir()} >= {"table.csv", "table.json", ".sweep"}
