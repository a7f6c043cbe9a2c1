"""Clients on the command line: vectors, rows by semicolons, solvers, and weights that are written out."""

import pytest

from tests.cli.conftest import Command

NOVA = ("predict", "fednova_nonconvex")


def test_momentum_by_hand(boundkit: Command) -> None:
    answer = boundkit(
        *NOVA, "tau_i=2,5,9", "p_i=0.2,0.3,0.5", "solver=momentum", "rho_momentum=0.9", "--json"
    )
    assert answer.code == 0
    norms = [sum(sum(0.9**k for k in range(j)) for j in range(1, steps + 1)) for steps in (2, 5, 9)]
    assert norms[0] == pytest.approx(1 + 1.9, rel=1e-12)
    effective = 0.2 * norms[0] + 0.3 * norms[1] + 0.5 * norms[2]
    assert answer.json["terms"]["initial gap"] == pytest.approx(8 / effective, rel=1e-12)
    drift = 24e-6 * norms[2] * (norms[2] - 1)
    assert answer.json["terms"]["client drift"] == pytest.approx(drift, rel=1e-12)
    assert answer.json["terms"]["objective inconsistency"] == 0


def test_plain_words_name_the_clients(boundkit: Command) -> None:
    answer = boundkit("predict", "fedavg_nonconvex_unequal_steps", "tau_i=2,5,9", "p_i=0.2,0.3,0.5")
    assert answer.code == 0
    assert "tau_i = 2, 5, 9" in answer.out
    assert "tau_eff = 6.4" in answer.out
    assert "objective inconsistency" in answer.out


def test_written_weights_are_those_of_the_solver(boundkit: Command) -> None:
    written = boundkit(*NOVA, "a_i=1,0.5,0.25;1,0.5", "p_i=0.4,0.6", "--json").json
    solved = boundkit(*NOVA, "tau_i=3,2", "p_i=0.4,0.6", "solver=decay", "decay=0.5", "--json").json
    assert written["terms"] == pytest.approx(solved["terms"], rel=1e-12)


def test_one_list_of_weights_is_for_all_clients(boundkit: Command) -> None:
    written = boundkit(*NOVA, "a_i=1,1,1", "m=7", "--json").json
    solved = boundkit(*NOVA, "tau=3", "m=7", "--json").json
    assert written["terms"] == pytest.approx(solved["terms"], rel=1e-12)


def test_rows_are_rounds(boundkit: Command) -> None:
    answer = boundkit("predict", "fednova_nonconvex_varying", "tau_i=2,4;3,3;1,1", "T=300", "--json")
    assert answer.json["terms"]["initial gap"] == pytest.approx(4 / (0.001 * 300 * 7 / 3), rel=1e-12)


def test_the_largest_step_of_a_proximal_solver_is_found(boundkit: Command) -> None:
    words = ("tau_i=2,9", "solver=proximal", "mu_prox=1", "L=1", "beta=1")
    largest = boundkit(*NOVA, *words, "--json").json["step_size"]["largest"]
    within = boundkit(*NOVA, *words, f"eta={largest * (1 - 1e-9)}", "--json").json
    beyond = boundkit(*NOVA, *words, f"eta={largest * (1 + 1e-9)}", "--json").json
    assert (within["step_size"]["holds"], beyond["step_size"]["holds"]) == (True, False)


def test_axes_and_clients_go_together(boundkit: Command) -> None:
    grid = boundkit(*NOVA, "tau_i=2,9", "eta=0.001,0.002", "solver=decay", "decay=0.5,1", "--json").json
    assert grid["axes"] == ["eta", "decay"]
    plain = boundkit(*NOVA, "tau_i=2,9", "eta=0.002", "--json").json
    assert grid["total"][1][1] == pytest.approx(plain["total"], rel=1e-12)


def test_a_theorem_without_clients_takes_no_weights(boundkit: Command) -> None:
    answer = boundkit("predict", "fedavg_nonconvex", "a_i=1,1;1")
    assert answer.code == 2
    assert "unknown parameter" in answer.err
