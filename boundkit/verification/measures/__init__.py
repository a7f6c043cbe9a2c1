"""What claims measure beyond the observables of a run; see ``claims``."""
