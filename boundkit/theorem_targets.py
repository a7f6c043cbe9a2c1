"""Targets of a question: names of the catalogue and files of a user; the checks of what they name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.analysis.check import CheckResult, SingleCheck
    from boundkit.analysis.progress import Progress
    from boundkit.attack.user_theorem import Examination


class KnownTheorems(Mapping[str, "Theorem"]):
    """Theorems by name; a name that the catalogue has stays the catalogue's.

    Reading a hundred files takes longer than most checks, and a check needs a few of them.
    """

    def __init__(self, own: Mapping[str, Theorem] | None = None) -> None:
        from boundkit.theorems import names

        self.own = dict(own or {})
        self.names = names()

    def __getitem__(self, name: str) -> Theorem:
        from boundkit.theorems import theorem as named

        return named(name) if name in self.names else self.own[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.names, *self.own]))

    def __len__(self) -> int:
        return len({*self.names, *self.own})


def is_file(target: str) -> bool:
    """Whether a Python file is meant and no name of the catalogue; which files exist does not matter."""
    return file_and_name(target) is not None


def file_and_name(target: str) -> tuple[str, str] | None:
    """The parts of ``FILE.py`` (without a name) and of ``FILE.py:NAME``; None for any other target."""
    from boundkit.analysis.python_file import ENDING

    if target.endswith(ENDING):
        return target, ""
    path, _, name = target.rpartition(":")
    return (path, name) if path.endswith(ENDING) else None


def theorems_of(target: str) -> list[Theorem]:
    """The theorem of that name, or those of a user's Python file, which is executed.

    Raises StatementError where the file builds a theorem that is refused, BoundkitError where the file cannot
    be read or has none, and for an unknown name.
    """
    from boundkit.algebra.errors import unknown
    from boundkit.analysis.python_file import theorems_in
    from boundkit.theorems import theorem as named

    parts = file_and_name(target)
    if parts is None:
        return [named(target)]
    path, name = parts
    theorems = {theorem.name: theorem for theorem in theorems_in(path, KnownTheorems())}
    if name and name not in theorems:
        raise unknown(f"theorem of {path}", name, theorems)
    return [theorems[name]] if name else list(theorems.values())


def theorem_of(target: str) -> Theorem:
    """The one theorem that is meant. Raises BoundkitError as ``theorems_of``, and for a file with several."""
    from boundkit.algebra import BoundkitError

    theorems = theorems_of(target)
    if len(theorems) > 1:
        names = [theorem.name for theorem in theorems]
        raise BoundkitError(
            f"{target} defines {len(theorems)} theorems, {', '.join(names)}; name one, as in "
            f"{target}:{names[0]}."
        )
    return theorems[0]


def theorems_or_failure(target: str, warn: Callable[[str], None]) -> list[Theorem] | CheckResult:
    """The theorems of a target; where its file builds one that is refused, the failed check that says why.

    ``warn`` is called for an algorithm whose name is nearly that of another: it is tested on no run.
    """
    from boundkit.analysis.check import CheckResult, SingleCheck
    from boundkit.analysis.python_file import StatementError

    try:
        theorems = theorems_of(target)
    except StatementError as error:
        return CheckResult(target, (SingleCheck("statement", "fail", str(error)),))
    if is_file(target):
        for theorem in theorems:
            _warn_of_a_typo(theorem, warn)
    return theorems


def _warn_of_a_typo(theorem: Theorem, warn: Callable[[str], None]) -> None:
    from boundkit.algebra.errors import unknown
    from boundkit.simulation.algorithms import ALGORITHMS

    if theorem.algorithm not in ALGORITHMS:
        text = str(unknown("algorithm", theorem.algorithm, ALGORITHMS))
        if "did you mean" in text:
            warn(f"{theorem.name}: {text} Under this name it is tested on no run.")


def check_theorem(
    theorem: Theorem,
    known: Mapping[str, Theorem],
    *,
    runs: bool,
    budget: float | None = None,
    evaluations: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    proof: SingleCheck | None = None,
) -> CheckResult | Examination:
    """Check a theorem without a run, or with ``runs`` by a search and wrong versions as well.

    ``proof``: the verdict of ``check_proofs`` on its proof, which is one of the checks without a run.
    """
    from dataclasses import replace

    if not runs:
        from boundkit.analysis.check import check

        return _with_proof(check(theorem, known, seed=seed), proof)
    from boundkit.attack.user_theorem import examine

    result = examine(
        theorem, known, budget=20.0 if budget is None else budget, evaluations=evaluations, seed=seed,
        progress=progress,
    )  # fmt: skip
    return replace(result, static=_with_proof(result.static, proof))


def _with_proof(static: CheckResult, proof: SingleCheck | None) -> CheckResult:
    """The checks with that of the proof, which detects every constant that is too small."""
    from dataclasses import replace

    if proof is None:
        return static
    undetected = tuple if proof.outcome == "pass" else static.find_undetected
    return replace(static, checks=(*static.checks, proof), find_undetected=undetected)


def check_proofs(target: str) -> dict[str, SingleCheck]:
    """The verdict on every certificate of a user's Python file, by the name of its theorem.

    Of several certificates of one theorem, one that is not proved is told.
    Empty for a name of the catalogue, and for a file without a certificate.
    """
    parts = file_and_name(target)
    if parts is None:
        return {}
    from boundkit.analysis.check import SingleCheck
    from boundkit.proofs.certificate_store import certificates_in
    from boundkit.proofs.corollaries import check_proof

    results = map(check_proof, certificates_in(parts[0], needed=False))
    return {
        result.theorem: SingleCheck("proof", "pass" if result.proved else "fail", result.conclusion[0])
        for result in sorted(results, key=lambda result: not result.proved)
    }
