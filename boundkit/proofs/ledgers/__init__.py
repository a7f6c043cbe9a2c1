"""Proofs whose steps are evaluated on runs, term by term, for bounds of FedAvg and FedNova."""
