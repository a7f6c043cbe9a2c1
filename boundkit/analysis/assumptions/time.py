"""What the clock says of a round."""

from boundkit.algebra.vocabulary import ASYNCHRONOUS_CLOCK, OVERLAPPED_CLOCK, SYNCHRONOUS_CLOCK
from boundkit.analysis.assumptions.relation import Subject

_CLOCKS = (SYNCHRONOUS_CLOCK, OVERLAPPED_CLOCK, ASYNCHRONOUS_CLOCK)

SUBJECT = Subject("clock", choices=_CLOCKS, laws=_CLOCKS)
