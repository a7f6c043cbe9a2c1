"""The report page of many verdicts: a table, a section with a picture each, and all at a glance."""

from __future__ import annotations

from boundkit.figures.verification_report.write import check_format, draw_svg, write_report

__all__ = ["check_format", "draw_svg", "write_report"]
