"""In what our learners differ from Weka's of the same name."""

DIFFERENCES: dict[str, tuple[object, ...]] = {}
