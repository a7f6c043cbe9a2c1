"""Errata of the sources, one file a source: ``ERRATA`` of each is a tuple of ``Erratum``."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from boundkit.algebra.erratum import Erratum
from boundkit.algebra.errors import BoundkitError, unknown

_ARXIV = re.compile(r"\d{4}\.\d{4,5}(v\d+)?")


@cache
def errata() -> Mapping[str, Erratum]:
    """All errata by name, in the order of their sources' years.

    >>> errata()["fedawe_step_conditions"].theorems[0]
    'fedawe_nonconvex'
    """
    files = sorted(module.name for module in pkgutil.iter_modules(__path__))
    every = [each for file in files for each in import_module(f"{__name__}.{file}").ERRATA]
    every.sort(key=lambda each: (each.source.year, each.source.authors))
    by_name = {each.name: each for each in every}
    if len(by_name) < len(every):
        raise BoundkitError("two errata have the same name.")
    return MappingProxyType(by_name)


def erratum(name: str) -> Erratum:
    """The erratum of that name. Raises BoundkitError for an unknown name, with near ones."""
    if name not in errata():
        raise unknown("erratum", name, errata())
    return errata()[name]


def errata_of(theorem: str) -> tuple[Erratum, ...]:
    """The errata that concern a theorem.

    >>> errata_of("fedavg_active_bias")[0].name
    'fedau_weights'
    """
    return tuple(each for each in errata().values() if theorem in each.theorems)


def find_errata(target: str) -> tuple[Erratum, ...]:
    """The errata that concern a theorem or a paper, by its arXiv number, or the one of that name.

    Raises BoundkitError for what is none of these.

    >>> [each.name for each in find_errata("1907.02189")][0]
    'fedavg_decaying_first_step'
    """
    from boundkit.theorems import names

    number = target.lower().removeprefix("arxiv:")
    if target in errata():
        return (erratum(target),)
    if target in names():
        return errata_of(target)
    if not _ARXIV.fullmatch(number):
        raise unknown("theorem or erratum", target, {*names(), *errata()})
    return tuple(
        each for each in errata().values() if f"arXiv:{number.partition('v')[0]}" in str(each.source)
    )
