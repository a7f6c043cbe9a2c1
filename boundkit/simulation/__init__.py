"""Simulation of federated algorithms: problems, networks, data, participation, algorithms, engines.

Nothing here knows a theorem: a run has a problem, an algorithm, a participation pattern and step sizes, and
an engine returns its trajectory.
"""
