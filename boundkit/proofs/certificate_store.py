"""Certificates of the catalogue, and the stored results of checking them.

A result is stored in the folder ``checked`` of the catalogue, with a key made of the certificate, the
statement of the theorem, and the source of the lemmas and the checker. A result with another key is not used.
"""

from __future__ import annotations

import hashlib
import json
import pkgutil
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.analysis.python_file import execute
from boundkit.proofs import certificates
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.corollaries import Corollary, check_proof, corollary
from boundkit.proofs.proof_check import ProofCheck
from boundkit.simulation.atomic_files import write_text
from boundkit.theorems.catalogue import CHECKED, stored_check, theorem

_TRUSTED = (
    "linear_form", "scalar_inequalities", "domain", "named_letters", "local_steps", "rounds",
    "lemmas", "certificate", "proof_check", "checker",
)  # fmt: skip
"""The modules on which every result rests, beside those of a certificate's own lemmas."""


@cache
def certified() -> tuple[str, ...]:
    """Return the names of the theorems that have a certificate, sorted."""
    files = (module.name for module in pkgutil.iter_modules(certificates.__path__) if module.name[0] != "_")
    return tuple(sorted((*files, *certificates.SAME_STEPS, *certificates.TUNED)))


@cache
def proof_named(name: str) -> Certificate | Corollary:
    """Return the certificate of a theorem of the catalogue, or its derivation from another theorem.

    Raises BoundkitError where there is none, with near names.
    """
    if name not in certified():
        raise unknown("theorem with a certificate", name, certified())
    if name in certificates.SAME_STEPS:
        return certificate_of(certificates.SAME_STEPS[name]).of(theorem(name))
    if name in certificates.TUNED:
        return corollary(theorem(name), certificate_of(certificates.TUNED[name]))
    result = import_module(f"{certificates.__name__}.{name}").PROOF
    if not isinstance(result, Certificate | Corollary) or result.theorem.name != name:
        raise BoundkitError(f"the file {name}.py must build one PROOF, of the theorem {name}.")
    return result


@cache
def proofs_of(name: str) -> tuple[Certificate | Corollary, ...]:
    """Return the certificate of a theorem, and others of the same theorem, which the file has as VARIANTS.

    They prove the same with other numbers, so that they prove other changes of the theorem. Their results
    are not stored.
    """
    if name in certificates.SAME_STEPS:
        others = proofs_of(certificates.SAME_STEPS[name])
        return tuple(each.of(theorem(name)) for each in others if isinstance(each, Certificate))
    first = proof_named(name)
    if name in certificates.TUNED:
        return (first,)
    variants = getattr(import_module(f"{certificates.__name__}.{name}"), "VARIANTS", ())
    kinds = Certificate | Corollary
    if not all(isinstance(each, kinds) and each.theorem == first.theorem for each in variants):
        raise BoundkitError(f"the VARIANTS in the file {name}.py must be certificates of {name}.")
    return (first, *variants)


def certificate_of(name: str) -> Certificate:
    """Return the certificate of a theorem of the catalogue.

    Raises BoundkitError where there is none, also where the theorem is derived from another.
    """
    result = proof_named(name)
    if isinstance(result, Corollary):
        raise BoundkitError(f"{name} is derived from {result.base.theorem.name}, which has the steps.")
    return result


def certificates_in(path: str, needed: bool = True) -> list[Certificate | Corollary]:
    """Return the certificates that a Python file defines; the file is executed.

    Raises BoundkitError where the file cannot be read or executed, or defines none though one is ``needed``.
    """
    defined = execute(path, "a certificate")
    result = list({id(v): v for v in defined.values() if isinstance(v, Certificate | Corollary)}.values())
    if needed and not result:
        raise BoundkitError(f"{path} defines no certificate, as PROOF = Certificate(...) would be.")
    return result


@cache
def _source_hash(modules: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for module in modules:
        digest.update((Path(__file__).parent / f"{module}.py").read_bytes())
    return digest.hexdigest()


def library_key(certificate: Certificate) -> str:
    """Return a hash of the source of a certificate's lemmas, the scalar prover and the checker."""
    subjects = {step.lemma.conclude.__module__.rpartition(".")[2] for step in certificate.steps}
    return _source_hash((*_TRUSTED, *sorted(subjects - set(_TRUSTED))))


def key_of(certificate: Certificate | Corollary) -> str:
    """Return a hash of a certificate, the statement that it proves, and the library."""
    theorem = certificate.theorem
    parts: list[Any] = [theorem.name, theorem.algorithm, theorem.kind, theorem.claim.name]
    parts += [theorem.step_size, theorem.requires, [each.name for each in theorem.assumptions]]
    parts += [(term.label, term.expr) for term in theorem.terms]
    for made in (theorem.definitions, *(theorem.solvers[name] for name in sorted(theorem.solvers))):
        parts.append(sorted((q.name, str(expr)) for q, expr in made.items()))
    if isinstance(certificate, Corollary):
        source = (Path(__file__).parent / "corollaries.py").read_text(encoding="utf-8")
        parts += [key_of(certificate.base), source, sorted(certificate.substituted.items(), key=str)]
        return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()
    parts.append(library_key(certificate))
    for chart in certificate.charts:
        parts += [chart.coordinates, sorted(chart.values.items(), key=str), chart.given, chart.constraints]
    for step in certificate.steps:
        arguments = [(key, str(value)) for key, value in sorted(step.arguments.items())]
        parts.append((step.name, step.lemma.name, arguments, step.weight, str(step.removes), step.leaving))
    parts += [certificate.contraction, sorted(certificate.potential.items(), key=str)]
    parts += sorted(certificate.names.items(), key=str)
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()


def record_of(certificate: Certificate | Corollary, result: ProofCheck) -> dict[str, Any]:
    """Return what is stored of a result."""
    return {
        "theorem": result.theorem,
        "verdict": result.status,
        "obligations": result.obligations,
        "methods": dict(result.methods),
        "lemmas": list(result.lemmas),
        "failed": [each.name for each in result.failed],
        "key": key_of(certificate),
    }


def check_named(name: str) -> dict[str, Any]:
    """Check the certificate of a theorem of the catalogue; return what is stored of the result."""
    certificate = proof_named(name)
    return record_of(certificate, check_proof(certificate))


def current_record(name: str) -> dict[str, Any] | None:
    """Return the stored result of a theorem's certificate; None where there is none with today's key."""
    record = stored_check(name)
    return record if record is not None and record["key"] == key_of(proof_named(name)) else None


def check_all(
    names: Sequence[str] | None = None, jobs: int = 2, fresh: bool = False
) -> Iterator[tuple[dict[str, Any], bool]]:
    """Check certificates in worker processes: yields each record, and whether it was proved again.

    Stored results with today's key are taken as they are, unless ``fresh``.
    """
    from boundkit.simulation.sweeps.parallel_map import map_parallel

    names = certified() if names is None else names
    stored = {} if fresh else {name: current_record(name) for name in names}
    for record in stored.values():
        if record is not None:
            yield record, False
    left = [name for name in names if stored.get(name) is None]
    if left:
        for _, record in map_parallel(check_named, [(name,) for name in left], jobs=jobs):
            yield record, True


def store(record: dict[str, Any], folder: Path = CHECKED) -> None:
    """Write the record of a result into the catalogue."""
    write_text(folder / f"{record['theorem']}.json", json.dumps(record, indent=2) + "\n")
