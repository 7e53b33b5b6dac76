"""The command line: one small file a command. Commands import what they need when they run."""

from metricatlas.cli.app import app, main

__all__ = ["app", "main"]
