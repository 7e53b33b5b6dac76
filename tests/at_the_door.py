"""What the tests of the door share: its answers in forms that can be compared."""

from metricatlas.predictions import read_predictions


def one_block(*arguments, **options):
    """Return the only block of predictions."""
    ((_, block),), _ = read_predictions(*arguments, **options)
    return block


def answer(*arguments, **options):
    """Return everything that the door says, as plain values."""
    blocks, named = read_predictions(*arguments, **options)
    said = [
        {
            "rows": rows.tolist(),
            "kind": block.kind,
            "classes": block.classes,
            "types": (block.truth.dtype, block.values.dtype),
            "truth": block.truth.tolist(),
            "values": block.values.tolist(),
            "weight": None if block.weight is None else block.weight.tolist(),
            "starts": block.starts.tolist(),
        }
        for rows, block in blocks
    ]
    return said, {name: list(column) for name, column in named.columns.items()}
