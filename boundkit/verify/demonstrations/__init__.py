"""Runs that show one thing each, as small results with their numbers: what a sentence on a slide means."""
