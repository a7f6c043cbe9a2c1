"""The verdict on a bound whose constants are open: by its scaling along sweeps."""

from __future__ import annotations

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.formatting import joined
from boundkit.simulation.engines import Progress
from boundkit.verification.checks.check import Check
from boundkit.verification.checks.scaling import scaling_checks
from boundkit.verification.engine_options import Machine
from boundkit.verification.verdict import Verdict


def up_to_constants(
    theorem: Theorem, machine: Machine, seed: int = 0, quick: bool = False, progress: Progress | None = None
) -> Verdict:
    """The verdict on the theorem's sweeps with these settings; ``quick`` ends with the first that tells."""
    try:
        checks = tuple(scaling_checks(theorem, machine, seed, quick, progress))
    except BoundkitError as error:
        return _not_applicable(theorem, str(error))
    tested = [c for c in checks if c.outcome != "not tested"]
    if not tested:
        return _not_applicable(
            theorem, checks[0].sentence if checks else "it has no letter that a run could vary", checks
        )
    sampled = any(c.numbers["sampled"] for c in tested)
    engine = " and ".join(sorted({name for c in tested for name in c.numbers["engines"]}))
    replicas = machine.replicas if sampled else None
    base = Verdict(theorem, "holds", "", engine=engine, replicas=replicas, checks=checks)
    wrong = [c for c in tested if c.outcome == "violated"]
    if wrong:
        what = "; ".join(f"{c.name}: {c.sentence}" for c in wrong)
        return base.saying("violated", f"It grows faster than its bound: {what}.")
    letters = joined([str(c.numbers["letter"]) for c in tested])
    said = f"Up to constants: nothing grows faster than the bound in {letters}. {_how(tested, machine)}"
    rest = " Quick: the first letter that tells ended the sweeps." if quick else ""
    return base.saying("holds", said + rest)


def _how(tested: list[Check], machine: Machine) -> str:
    """What the settings of the machine did: nothing, where no run was sampled."""
    sampled = [str(c.numbers["letter"]) for c in tested if c.numbers["sampled"]]
    if not sampled:
        return "Nothing was sampled, so that seed and replicas change nothing."
    exact = len(tested) - len(sampled)
    of = f"The sweep{'s' if len(sampled) > 1 else ''} of {joined(sampled)}" if exact else "Every run"
    verb = "take" if exact and len(sampled) > 1 else "takes"
    return f"{of} {verb} the mean of {machine.replicas} replicas."


def _not_applicable(theorem: Theorem, why: str, checks: tuple[Check, ...] = ()) -> Verdict:
    said = f"Nothing here can hold it against a run: {why.rstrip('.')}."
    return Verdict(theorem, "not applicable", said, checks=checks)
