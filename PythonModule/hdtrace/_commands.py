# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of the commands: their JSON, and their pictures. Nothing is computed here."""
from __future__ import annotations

import html
import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional

from ._error import Error
from ._paths import BINDIR

_ROWS = 10
"""Rows of tables in notebooks."""


def find_command() -> str:
    """Return the path of hdtrace: of this build, of this installation, or in PATH."""
    package = os.path.dirname(os.path.abspath(__file__))
    build = os.path.dirname(os.path.dirname(package))
    if os.path.exists(os.path.join(build, "config.status")):
        return os.path.join(build, "hdtrace")
    installed = os.path.join(BINDIR, "hdtrace")
    if os.access(installed, os.X_OK):
        return installed
    found = shutil.which("hdtrace")
    if found is None:
        raise Error("hdtrace", text="command not found")
    return found


def options_of(options: Mapping[str, Any]) -> list[str]:
    """Return options as the command line has them.

    >>> options_of({"by_name": True, "top": 3, "node": ["a", "b"], "from_": "@1"})
    ['--by-name', '--top=3', '--node=a', '--node=b', '--from=@1']
    """
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, (list, tuple)):
            words += [f"{option}={item}" for item in value]
        else:
            words.append(f"{option}={value}")
    return words


def run(command: str, options: Mapping[str, Any], paths: Sequence[str]) -> str:
    """Run a command, and return what it prints."""
    words = [find_command(), command, "--quiet", *options_of(options),
             *(os.path.abspath(path) for path in paths)]
    # It must not take notice of a terminal.
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True,
                          encoding="utf-8", errors="replace", check=False)
    # 1: the data have problems; 3: a finding exceeds a limit.
    if done.returncode not in (0, 1, 3) or not done.stdout:
        text = done.stderr.strip().removeprefix(f"hdtrace {command}: ")
        raise Error(paths[0], text=text or f"hdtrace {command} failed")
    return done.stdout


# ---- Notebooks -------------------------------------------------------------------

def _cell(value: Any) -> str:
    """Return a value as HTML."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e8 else f"{value:.3f}"
    if isinstance(value, (dict, list)):
        return html.escape(json.dumps(value, ensure_ascii=False)[:60])
    return html.escape(str(value))


def table_html(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as a table of HTML; of long lists the first rows."""
    names = list(rows[0])
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in names)
                   + "</tr>" for row in rows[:_ROWS])
    more = f"<p>{len(rows) - _ROWS} more rows</p>" if len(rows) > _ROWS else ""
    return (f"<h4>{html.escape(title)}</h4><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{more}")


def properties_html(items: Iterable[tuple[str, Any]]) -> str:
    """Return properties as a table of HTML."""
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{_cell(value)}</td></tr>"
                   for name, value in items)
    return f"<table><tbody>{rows}</tbody></table>"


class Document(dict[str, Any]):
    """The JSON of a command; doc/json.md describes its keys. Notebooks show it as
    tables."""

    def _repr_html_(self) -> str:
        plain = [(name, value) for name, value in self.items()
                 if not isinstance(value, (dict, list)) and value is not None]
        parts = [properties_html(plain)]
        for name, value in self.items():
            if isinstance(value, dict) and value:
                inner = [item for item in value.items()
                         if not isinstance(item[1], (dict, list))]
                parts.append(f"<h4>{html.escape(name)}</h4>" + properties_html(inner))
            elif isinstance(value, list) and value and isinstance(value[0], dict):
                parts.append(table_html(name, value))
        return "".join(parts)


class Picture(str):
    """A picture as SVG, which notebooks show."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str) -> None:
        """Write the picture to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)


def document(command: str, options: Mapping[str, Any], paths: Sequence[str]) -> Document:
    """Run a command, and return its JSON."""
    return Document(json.loads(run(command, {**options, "format": "json"}, paths)))


def picture(values: Optional[Sequence[str]], states: Any, options: Mapping[str, Any],
            path: str) -> Picture:
    """Return the SVG of hdtrace plot."""
    given = {"value": values, "states": "below" if states is True else states or None,
             **options, "type": "svg", "output": "-"}
    return Picture(run("plot", given, [path]))
