"""Simulation of federated algorithms: problems, networks, data, participation, algorithms, engines.

This layer does not depend on theorems: a run has a problem, an algorithm, a participation pattern and step
sizes, and an engine returns its trajectory.
"""
