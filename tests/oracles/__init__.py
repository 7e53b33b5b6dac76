"""Independent answers: no file in this folder imports anything from metricatlas."""
