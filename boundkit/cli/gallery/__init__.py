"""A maker for each figure of ``boundkit.figures.gallery``: ``make(asked)`` reads the words and draws."""
