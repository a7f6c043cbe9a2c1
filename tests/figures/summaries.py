"""A small record of all verdicts, made by hand."""

from boundkit.studies.verdict_summary import NAME, SHOWS, Instance, Slope, Summary, TheoremRatio
from boundkit.verification.tabular_result import TabularResult, tabulate_result


def tight(theorem: str, kind: str, ratio: float | None, answer: str = "holds") -> TheoremRatio:
    return TheoremRatio(theorem, "fedavg", kind, answer, ratio, ratio, ratio, "worst", "exact", "exact")


def slope(cause: str, letter: str, measured: float, predicted: float, outcome: str = "holds") -> Slope:
    return Slope("one", cause or "bound", cause, letter, measured, 0.01, predicted, outcome)


THEOREMS = [
    tight("loose", "upper", 1e-4), tight("tight", "upper", 1.0), tight("middle", "upper", 0.25),
    tight("open", "order", 0.5), tight("below", "lower", 1.01), tight("nothing", "upper", None),
]  # fmt: skip
SLOPES = [
    slope("client drift", "eta", 2.01, 2.0), slope("client drift", "tau", 2.0, 2.0),
    slope("initial gap", "T", -1.0, -1.0), slope("initial gap", "eta", -1.3, -1.0),
    slope("", "T", -0.5, -0.5),
]  # fmt: skip


def summary_of(theorems: list[TheoremRatio], slopes: list[Slope]) -> TabularResult:
    instances = [Instance("loose", "worst", 1e-4), Instance("loose", "other", 1e-5)]
    return tabulate_result(NAME, SHOWS, Summary(theorems, instances, slopes, 2, quick=True))
