"""Errors as users meet them: one message, one exit code, no traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from metricatlas.errors import MetricAtlasError

BAD_DATA = 1
INTERRUPTED = 130
PIPE_CLOSED = 141
#: Set in the environment, it shows where an unexpected error comes from.
TRACEBACK = "METRICATLAS_TRACEBACK"


@contextmanager
def reported() -> Iterator[None]:
    """Turn whatever a command raises into a message and an exit code."""
    try:
        yield
        # What is still in the buffer may meet a closed pipe, and should do so here.
        sys.stdout.flush()
    except MetricAtlasError as error:
        raise _failed(f"Error: {error}") from error
    except KeyboardInterrupt as error:
        raise typer.Exit(INTERRUPTED) from error
    except BrokenPipeError as error:
        # Whoever reads has seen enough. What Python flushes at its end must go somewhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(PIPE_CLOSED) from error
    except MemoryError as error:
        raise _failed("Error: there is not enough memory for this file.") from error
    except Exception as error:
        # Those of typer know themselves how to end.
        if hasattr(error, "exit_code") or isinstance(error, typer.Abort) or TRACEBACK in os.environ:
            raise
        kind, text = type(error).__name__, str(error).strip()
        message = (
            f"Error: something unexpected happened ({kind}: {text}). This is a mistake in "
            f"metricatlas: please report it. {TRACEBACK}=1 in the environment shows where it was."
        )
        raise _failed(message) from error


def _failed(message: str) -> typer.Exit:
    typer.echo(message, err=True)
    return typer.Exit(BAD_DATA)
