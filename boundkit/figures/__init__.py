"""Pictures of predictions and records. Nothing here runs or simulates: where a record is missing, it says so."""
