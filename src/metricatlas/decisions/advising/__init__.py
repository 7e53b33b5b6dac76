"""Which measures to select with and to report, with reasons."""
