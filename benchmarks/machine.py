"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np

PACKAGES = ("metricatlas", "numpy", "numba", "scikit-learn", "pycm")


def simd() -> str:
    """The widest instruction set that NumPy found: the ratios depend on it."""
    found = np.show_config(mode="dicts")["SIMD Extensions"]  # type: ignore[index]
    return ", ".join(found.get("found", [])) or "baseline only"


def description() -> str:
    """The machine and the versions, in words."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES if _installed(name))
    return (
        f"{_processor()}, {cores} cores, Python {platform.python_version()}, {packages}. "
        f"SIMD found by NumPy: {simd()}."
    )


def _installed(name: str) -> bool:
    try:
        version(name)
    except ModuleNotFoundError:
        return False
    return True


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor() or platform.machine()
    fields = dict(
        (part.strip() for part in line.split(":", 1))
        for line in info.read_text(encoding="utf-8").splitlines()
        if ":" in line
    )
    return f"{fields.get('model name', platform.machine())} (family {fields.get('cpu family')})"
