"""Thresholds: where to cut scores, what that is worth, and where models change places."""
