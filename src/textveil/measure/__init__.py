"""What a mechanism does in numbers: privacy statistics, calibration to a target."""
