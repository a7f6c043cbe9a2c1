"""The lecture: a site that opens from disk, written from theorems, records and chapters."""
