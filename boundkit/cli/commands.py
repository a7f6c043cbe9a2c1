"""The commands, and the exit codes that all of them share."""

from __future__ import annotations

GROUPS: dict[str, dict[str, str]] = {
    "Ask": {
        "list": "list_theorems",
        "show": "show",
        "find": "find",
        "predict": "predict",
        "tune": "tune",
        "rounds": "rounds",
        "rate": "rate",
        "regimes": "regimes",
        "sensitivity": "sensitivity",
        "compare": "compare",
        "cost": "cost",
        "graph": "graph",
    },
    "Simulate": {
        "simulate": "simulate",
        "sweep": "sweep",
        "objective": "objective",
        "rounds-to-target": "rounds_to_target",
        "diagnose": "diagnose",
        "forecast": "forecast",
        "plan": "plan",
        "demonstrate": "demonstrate",
    },
    "Verify": {
        "verify": "verify",
        "check": "check",
        "new-theorem": "new_theorem",
        "proof": "proof",
    },
    "Break": {
        "attack search": "attack_search",
        "attack mutants": "attack_mutants",
        "attack worst-case": "attack_worst_case",
    },
    "Show": {
        "figure": "figure",
        "lecture": "lecture",
        "export": "export",
        "examples": "examples",
    },
}
"""The module of each command, by group, in the order in which help lists them."""

COMMANDS: dict[str, str] = {name: module for group in GROUPS.values() for name, module in group.items()}
"""The module of each command; a name of two words is a subcommand."""

RENAMED: dict[str, str] = {
    "complexity": "rounds --formula",
    "quiz": "sensitivity --quiz",
    "time": "cost --time",
    "costs": "cost",
    "assumptions": "graph --assumptions",
    "reductions": "graph",
    "skew": "objective --skew",
    "gallery": "figure --all",
    "falsify": "attack search",
    "mutate": "attack mutants",
    "worst-case": "attack worst-case",
    "ledger": "proof",
}
"""What takes the place of each command that was removed."""

DONE, FELL_SHORT, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
