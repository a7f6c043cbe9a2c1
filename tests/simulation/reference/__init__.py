"""Every algorithm written again in plain loops, from its paper's update rule, to hold boundkit against.

No import of boundkit, no torch, one replica, no noise. ``replay(algorithm, spec)`` returns the server's
models x_0, ..., x_T. What the sources leave open is chosen here, and the choices are listed in CHOICES.md.
"""

from tests.simulation.reference.replay import REFERENCES, mean_models, replay

__all__ = ["REFERENCES", "mean_models", "replay"]
