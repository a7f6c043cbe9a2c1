"""ClusterFedVARP (Jhunjhunwala, Sharma, Nagarkatti, Joshi, arXiv 2207.14130): see fedvarp.py.

One stored update a cluster instead of one a client. Without the option ``clusters`` it is FedVARP; with one
cluster, FedAvg with plain means.
"""

from __future__ import annotations

from boundkit.simulation.algorithms.fedvarp import FedVARP


class ClusterFedVARP(FedVARP):
    """ClusterFedVARP; ``clusters`` null (each client its own), or lists of clients, each client in one."""

    name = "clusterfedvarp"
    reference = "arXiv 2207.14130, ClusterFedVARP"
    harmless = frozenset({"clusters"})  # symbols of the theorems
