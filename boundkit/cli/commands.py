"""The commands, and the exit codes that all of them share."""

from __future__ import annotations

COMMANDS: dict[str, str] = {
    "list": "list_theorems",
    "show": "show",
    "predict": "predict",
    "tune": "tune",
    "rounds": "rounds",
    "rate": "rate",
    "complexity": "complexity",
    "regimes": "regimes",
    "sensitivity": "sensitivity",
    "time": "round_time",
    "quiz": "quiz",
    "compare": "compare",
    "costs": "costs",
    "assumptions": "assumptions",
    "find": "find",
    "simulate": "simulate",
    "objective": "objective",
    "skew": "skew",
    "new-theorem": "new_theorem",
    "check": "check",
    "reductions": "reductions",
    "demonstrate": "demonstrate",
    "verify": "verify",
    "falsify": "falsify",
    "mutate": "mutate",
    "worst-case": "worst_case",
    "ledger": "ledger",
    "sweep": "sweep",
    "rounds-to-target": "rounds_to_target",
    "diagnose": "diagnose",
    "figure": "figure",
    "gallery": "whole_gallery",
    "lecture": "lecture",
    "export": "export",
}
"""The module of each command, in the order in which help lists them."""

DONE, FELL_SHORT, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
