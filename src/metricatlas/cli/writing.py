"""Where results go: to standard output, to a device or a pipe, or to a file that is whole."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from pathlib import Path

from metricatlas.errors import FileError


def to_stdout(text: str) -> None:
    """Write a result, all of it or an error."""
    sys.stdout.write(text)
    sys.stdout.flush()


def check_target(out: str, source: str) -> None:
    """Refuse what cannot be written, or must not be, before anything is read."""
    if _is_same(out, source):
        msg = (
            f"--out {out} must not be the file that is read: it would destroy the predictions. "
            f"Name another."
        )
        raise FileError(msg)
    target = Path(out)
    if _is_special(target):
        return
    if target.is_dir():
        raise FileError(f"{out} is a directory; name a file in it.")
    real = Path(os.path.realpath(out))
    if not real.parent.is_dir():
        link = f"it is a link to {real}, and " if target.is_symlink() else ""
        msg = f"{out} cannot be written: {link}there is no folder {real.parent}. Create it first."
        raise FileError(msg)
    if target.exists() and not target.stat().st_mode & 0o222:
        msg = f"{out} must not be read-only to be replaced; it is. Name another, or allow writing."
        raise FileError(msg)


def _is_same(out: str, source: str) -> bool:
    """Whether both are one file, by whatever names and links."""
    with contextlib.suppress(OSError, ValueError):
        given = os.fstat(sys.stdin.fileno()) if source == "-" else Path(source).stat()
        return stat.S_ISREG(given.st_mode) and os.path.samestat(given, Path(out).stat())
    return False


def _is_special(target: Path) -> bool:
    """Whether it is a device or a pipe, which is written to and not replaced."""
    return target.exists() and (
        not (target.is_file() or target.is_dir()) or target.is_relative_to("/dev")
    )


def write_file(path: str, content: bytes) -> None:
    """Write a file beside the target first, so that there is the whole file or the old one."""
    try:
        if _is_special(Path(path)):
            with Path(path).open("ab") as file:
                file.write(content)
        else:
            _replace(Path(os.path.realpath(path)), content)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}.") from error


def _replace(target: Path, content: bytes) -> None:
    partial = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.partial")
    try:
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            # Who may read it stays as it was.
            partial.chmod(stat.S_IMODE(target.stat().st_mode))
        partial.replace(target)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
