"""Build the documentation site for tests."""

import shutil
import subprocess
import sys
from pathlib import Path

from smalldocs.check import scan

ROOT = Path(__file__).parents[2]
# The command, which finds the class of each of a million tokens once for all that are alike: a fifth of its time.
SMALLDOCS = """
import functools, sys
from smalldocs import cli, highlight
highlight.css_class = functools.cache(highlight.css_class)
sys.exit(cli.main())
"""
PARTS = ("nbs", "docs", "figures", "anthrokit", "data", "settings.ini", "_quarto.yml")


def build(copy):
    """Copy the sources of the site to a folder, render the site there, and return the folder."""
    listing = ["git", "ls-files", "-co", "--exclude-standard", *PARTS]
    files = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in filter(lambda name: (ROOT / name).exists(), files):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
    rendering = subprocess.run([sys.executable, "-c", SMALLDOCS, "render", "--strict", copy], capture_output=True, text=True)
    assert rendering.returncode == 0, rendering.stderr
    unread = {path: scan(path.read_text(encoding="utf-8")) for path in copy.rglob("*.md")}
    assert unread and not any(unread.values()), unread
    return copy
