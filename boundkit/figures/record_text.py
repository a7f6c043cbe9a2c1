"""What a picture of a record says in words: a headline with the verdict, a footnote with the setting."""

from __future__ import annotations

from typing import Any

from boundkit.attack.falsification import Falsification
from boundkit.figures.number_format import number, ratio, settings
from boundkit.verification.record import Record

_TINY = 1e-300
_TRUST = {"local": "measured along the run", "estimated": "estimated"}


def headline(record: Record) -> str:
    """One sentence: the theorem, the answer and the ratio."""
    verdict, name = record.verdict, record.theorem
    answer, share, interval = verdict["verdict"], verdict.get("ratio"), verdict.get("interval")
    if share is None:
        return f"{name}: {answer}"
    if answer == "holds":
        return f"{name} holds: measured is {ratio(share)} of the bound"
    if answer == "violated" and share > 1:
        return f"{name} is violated: measured is {ratio(share)} times the bound"
    if answer == "undecided" and interval:
        low, high = (ratio(end) for end in interval)
        return f"{name} is undecided: measured is between {low} and {high} of the bound"
    return f"{name} is {answer}: measured is {ratio(share)} of the bound; another check fell short"


def worst_of(found: Falsification) -> str:
    """A title for an attack: measured/bound of the worst run, or what open constants are at least."""
    title = found.theorem.name + (" is violated" if found.answer == "violated" else "")
    if found.ratio is not None:
        share = 1 / max(found.ratio, _TINY) if found.theorem.kind == "lower" else found.ratio
        return f"{title}: worst run at {ratio(share)} {'of' if share <= 1 else 'times'} the bound"
    return title if found.constants is None else f"{title}: open constants above {number(found.constants)}"


def footnote(record: Record, left_out: list[str]) -> str:
    """The run's settings, the constants, how it was measured, and which terms are not drawn."""
    verdict = record.verdict
    engine, replicas = verdict.get("engine"), verdict.get("replicas")
    if replicas:
        many = f"mean of {replicas} replicas, 99\N{NBSP}% band"
        measured = many if replicas > 1 else "one random run"
    else:
        measured = "exact expectation" if engine == "exact" else "one run without chance"
    trust = verdict.get("constants")
    sentences = [settings(setting(record)), f"Measured: {measured}"]
    if trust in _TRUST:
        sentences.append(f"Constants {_TRUST[trust]}")
    return ". ".join([*sentences, *(note[0].upper() + note[1:] for note in left_out)]) + "."


def setting(record: Record) -> dict[str, float]:
    """The quantities of the run and its constants, by keyword."""
    run: dict[str, Any] = record.run
    found: dict[str, float] = {n: float(c["value"]) for n, c in record.verdict["constant_values"].items()}
    found |= {"T": float(run["rounds"]), **_clients(run["problem"])}
    if isinstance(run["eta"], dict):  # a rate that falls
        found |= {"eta": float(run["eta"]["first"]), "offset": float(run["eta"]["offset"])}
    else:
        found["eta"] = float(run["eta"])
    if "eta_s" in run:
        found["eta_s"] = float(run["eta_s"])
    participation = run.get("participation", {})
    if "C" in participation and "schedule" not in run:
        found["C"] = float(participation["C"])
    steps = run["local_steps"]
    flat = {float(v) for v in _flat(steps)}
    if len(flat) == 1:
        found["tau"] = flat.pop()
    return found


def _clients(problem: dict[str, Any]) -> dict[str, float]:
    """m, where the problem says it: as a number, or by what it has of each client."""
    if "clients" in problem:
        return {"m": float(problem["clients"])}
    each = next((problem[name] for name in ("p", "e", "coefficients") if name in problem), None)
    return {} if each is None else {"m": float(len(each))}


def _flat(value: Any) -> list[float]:
    return [v for item in value for v in _flat(item)] if isinstance(value, list) else [value]
