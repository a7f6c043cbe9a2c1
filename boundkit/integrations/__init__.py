"""Recorders of training runs in other packages: each calls ``boundkit.track``'s recorder from their hooks."""
