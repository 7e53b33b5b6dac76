"""One's own measures: modules that are imported before anything is looked up."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterable
from pathlib import Path

from metricatlas.errors import MetricAtlasError, OptionError


def import_modules(names: Iterable[str]) -> None:
    """Import modules by name, from the working directory too; what they print is no result."""
    for name in names:
        if "" not in sys.path:
            sys.path.insert(0, "")
        with contextlib.redirect_stdout(sys.stderr):
            _import(name)


def _import(name: str) -> None:
    try:
        importlib.import_module(name)
    except MetricAtlasError as error:
        raise OptionError(f"{name} cannot be imported: {error}") from error
    except SystemExit as error:
        msg = (
            f"{name} must not end the program when it is imported; it calls exit({error.code!r}). "
            f'Put what it runs under `if __name__ == "__main__":`.'
        )
        raise OptionError(msg) from error
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise OptionError(f"{name} cannot be imported: {why}.{_hint(name)}") from error


def _hint(name: str) -> str:
    if not name.endswith(".py") and "/" not in name:
        return ""
    module = ".".join(Path(name).with_suffix("").parts)
    return f" --import takes the name of a module, perhaps {module}, not of a file."
