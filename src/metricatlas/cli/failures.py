"""Errors as users meet them: one message, one exit code, no traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from metricatlas.cli.letters import one_line
from metricatlas.errors import MetricAtlasError, OptionError

#: The data cannot be evaluated, or the result cannot be written.
BAD_DATA = 1
#: The command line cannot be understood.
BAD_USAGE = 2
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
        code = BAD_USAGE if isinstance(error, OptionError) else BAD_DATA
        raise _failed(f"Error: {error}", code) from error
    except KeyboardInterrupt as error:
        raise typer.Exit(INTERRUPTED) from error
    except BrokenPipeError as error:
        # Whoever reads has seen enough.
        drop_output()
        raise typer.Exit(PIPE_CLOSED) from error
    except OSError as error:
        drop_output()
        raise _failed(refused_by_system(error)) from error
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


@contextmanager
def understood() -> Iterator[None]:
    """Count what is wrong here as a mistake on the command line, not in the data."""
    try:
        yield
    except MetricAtlasError as error:
        raise OptionError(str(error)) from error


def refused_by_system(error: OSError) -> str:
    """What the operating system would not do: mostly, take more output."""
    what = f"{error.filename} cannot be used" if error.filename else "the output cannot be written"
    return f"Error: {what}: {error.strerror or error}."


def drop_output() -> None:
    """Let what Python still flushes at its end go nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - to the end


def _failed(message: str, code: int = BAD_DATA) -> typer.Exit:
    typer.echo(one_line(message), err=True)
    return typer.Exit(code)
