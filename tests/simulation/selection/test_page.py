"""docs/selection.md says what the code gives: its table, and the command's output."""

from pathlib import Path

from boundkit.simulation.run_file import run_from_spec
from boundkit.simulation.selection import Strategy, published_instance, selection_limit, skew
from boundkit.verification.selection_skew import measure_selection_skew
from tests.cases import each
from tests.readme import table

TEXT = (Path(__file__).parents[3] / "docs" / "selection.md").read_text(encoding="utf-8")
LINE = {
    "problem": {"kind": "quadratic", "H": [1, 1, 1], "e": [[-1.0], [0.2], [2.0]]},
    "x0": [3.0],
    "rounds": 100,
    "eta": 0.1,
    "local_steps": 1,
    "participation": {"kind": "power_of_choice", "count": 1, "d": 2},
}
ROWS = table(TEXT, "| selection |")


def is_said(said: str, number: float) -> bool:
    digits = len(said.partition(".")[2])
    return bool(abs(float(said) - number) <= 0.5001 * 10.0**-digits)


def strategy(name: str) -> Strategy:
    number = int(name.split()[0])
    return Strategy(number, replacement=True) if "draws" in name else Strategy(3, number)


def test_the_output_of_the_command() -> None:
    text = measure_selection_skew(run_from_spec("fedavg", LINE)).to_text()
    shown = TEXT[TEXT.index("$ boundkit objective fedavg run.json") :].split("```")[0].splitlines()[1:]
    for line in shown:
        assert line in [*text.splitlines(), "..."]


@each("row", ROWS, ids=[row[0] for row in ROWS])
def test_error_floors_of_the_table(row: list[str]) -> None:
    problem, _ = published_instance()
    name, bar, tilde, same, floor = row
    pi = strategy(name)
    assert is_said(floor, selection_limit(problem, pi).loss_gap)
    if "candidates" in name and pi.pool != 30:
        return  # the table's other columns take seconds there
    found = skew(problem, pi)
    low, _, high = bar.partition(" to ")
    assert is_said(low, found.rho_bar)
    assert is_said(high or low, found.reached)
    assert found.exact == (high == "")
    assert is_said(tilde, found.rho_tilde)
    assert is_said(same, found.rho_same)
