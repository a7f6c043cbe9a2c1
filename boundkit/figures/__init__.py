"""Pictures of predictions and records. Nothing here runs or simulates."""
