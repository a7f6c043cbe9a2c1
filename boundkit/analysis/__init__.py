"""What one asks a bound: functions of values, which know no theorem by name."""
