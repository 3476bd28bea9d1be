# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is raised."""
from __future__ import annotations


class Error(Exception):
    """A project that cannot be read, or a command that failed.

    >>> raise Error("run.proj", 120, 7, "not XML")
    Traceback (most recent call last):
    hdtrace._error.Error: run.proj: line 7: not XML
    """

    def __init__(self, path: str, offset: int = -1, line: int = 0,
                 text: str = "") -> None:
        super().__init__(path, offset, line, text)
        self.path = path
        """Path of the file."""
        self.offset = offset
        """Byte offset in the file, or -1."""
        self.line = line
        """Line in the file from 1, or 0."""
        self.text = text
        """The problem."""

    def __str__(self) -> str:
        place = self.path
        if self.line > 0:
            place += f": line {self.line}"
        elif self.offset >= 0:
            place += f": byte {self.offset}"
        return f"{place}: {self.text}" if self.text else place
