"""A maker for each figure of ``boundkit.figures.gallery``: ``make(request)`` reads the words and draws."""
