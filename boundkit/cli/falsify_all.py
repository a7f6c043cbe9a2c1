"""``boundkit falsify --all``: the whole catalogue, one line a theorem."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundkit.cli.commands import INTERRUPTED
from boundkit.cli.output import print_json, print_table

if TYPE_CHECKING:
    from boundkit.algebra import Theorem


def falsify_every(
    theorems: list[Theorem],
    out: Path | None,
    workers: dict[str, Any],
    fresh: bool,
    keep: bool,
    options: dict[str, Any],
    as_json: bool,
) -> int:
    """Attack them all, tell of each as it is finished, and print a table or JSON of all answers.

    An interruption ends it with those that are finished.
    """
    from boundkit.attack.falsify import falsify_all
    from boundkit.cli.interruption import raising, resumable
    from boundkit.cli.progress import logged, progress

    order = {theorem.name: place for place, theorem in enumerate(theorems)}
    answers: list[dict[str, Any]] = []
    resumable(answers, len(theorems), "theorems", out, fresh)
    interrupted = False
    try:
        with raising(), progress("falsify") as report_progress:
            report_progress(0, len(theorems))
            for answer in falsify_all(theorems, out, **workers, fresh=fresh, remember=keep, **options):
                answers.append(answer)
                report_progress(len(answers), len(theorems))
                logged(f"{len(answers)}/{len(theorems)} {answer['theorem']}: {answer['answer']}")
    except KeyboardInterrupt:
        interrupted = True
    answers.sort(key=lambda answer: order[answer["theorem"]])
    if as_json:
        print_json(answers)
    else:
        header = ["theorem", "answer", "kind", "ratio", "tried", "most needed"]
        print_table(header, [_row(answer) for answer in answers], left=3)
    if interrupted:
        return INTERRUPTED
    return int(any(answer["answer"] in ("violated", "undecided") for answer in answers))


def _row(answer: dict[str, Any]) -> list[str]:
    ratio = answer["largest"] if answer["kind"] != "order" else answer["constants"]
    needs = {label: v for label, v in answer["needs"].items() if v is not None and v > 0}
    most = max(needs, key=lambda label: needs[label], default=None)
    return [answer["theorem"], answer["answer"], answer["kind"], "" if ratio is None else f"{ratio:.4g}",
            "" if answer["tried"] is None else str(answer["tried"]),
            "" if most is None else f"{most}, {needs[most]:.3g}"]  # fmt: skip
