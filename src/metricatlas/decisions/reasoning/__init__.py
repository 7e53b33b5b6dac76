"""Why two measures prefer different models."""
