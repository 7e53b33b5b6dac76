"""``python -m metricatlas`` is the program too."""

from metricatlas.cli import main

if __name__ == "__main__":
    main()
