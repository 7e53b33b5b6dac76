"""What models are worth that measures select on small samples."""
