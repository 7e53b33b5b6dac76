"""The only loops over examples: each fact in plain arrays and compiled."""
