"""Draw the README's picture anew from what the first example prints: ``python docs/draw.py``."""

import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Run the example and export its output as a terminal window."""
    script = ROOT / "examples" / "first_look.py"
    environment = {**os.environ, "COLUMNS": "80"}
    run = subprocess.run(
        [sys.executable, script], check=True, capture_output=True, text=True, env=environment
    )
    console = Console(record=True, width=80, file=StringIO())
    console.print(Text("$ make run", style="bold"))
    console.print(Text(run.stdout.rstrip()))
    picture = console.export_svg(title="metricatlas")
    # The fonts of the reader's own machine do: a picture that loads nothing is always there.
    picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    (ROOT / "docs" / "first-look.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
