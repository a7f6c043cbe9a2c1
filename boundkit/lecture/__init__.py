"""The lecture: a site that opens from disk, written from chapters, theorems and records."""
