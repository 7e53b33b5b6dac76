"""How fast metricatlas is, as ratios to its peers, measured side by side in one run."""
