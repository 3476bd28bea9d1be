# SPDX-License-Identifier: LGPL-2.1-or-later
"""python3 -m hdtrace run: record the functions of a program."""
from __future__ import annotations

import argparse
import fnmatch
import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Optional

import hdtrace

from . import _commands, _native, _recording
from ._paths import VERSION

_CALLS = 5000
"""Calls from which the cost of a call is estimated."""
_SKIPPED = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")


def _decision(patterns: Sequence[str], directory: str
              ) -> Callable[[CodeType, Optional[str]], Optional[str]]:
    """Return the function that names the states of a code, or not."""
    others = tuple(os.path.join(sysconfig.get_path(name), "") for name
                   in ("stdlib", "platstdlib", "purelib", "platlib"))
    own = os.path.dirname(os.path.abspath(__file__))

    def decide(code: CodeType, module: Optional[str]) -> Optional[str]:
        if code.co_name in _SKIPPED or os.path.dirname(code.co_filename) == own:
            return None
        if patterns:
            if not any(fnmatch.fnmatchcase(module or "", item) for item in patterns):
                return None
        else:
            file = os.path.abspath(code.co_filename)
            # The importer and generated code have no file.
            if code.co_filename.startswith("<") or not file.startswith(directory) \
                    or file.startswith(others):
                return None
        name = "" if module in (None, "__main__") else module or ""
        if code.co_name == "<module>":
            return name or "main"
        return _recording.state_name(code.co_qualname, name)
    return decide


def _time(call: Callable[[], None]) -> float:
    """Return the seconds that a call takes; the best of three runs."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for _ in range(_CALLS):
            call()
        best = min(best, time.perf_counter() - start)
    return best / _CALLS


def _cost() -> tuple[float, float]:
    """Return the seconds by which recorded and other calls take longer."""
    def empty() -> None:
        pass

    def other() -> None:
        pass

    directory = tempfile.mkdtemp()
    plain = _time(empty)
    try:
        _native.start(os.path.join(directory, "cost"), None, None, None)
        _native.profile_start(
            lambda code, module: "cost" if code is empty.__code__ else None)
        sys.setprofile(_native.profile)
        recorded, skipped = _time(empty), _time(other)
    finally:
        sys.setprofile(None)
        _native.profile_stop()
        _native.stop()
        shutil.rmtree(directory, ignore_errors=True)
    return max(recorded - plain, 0), max(skipped - plain, 0)


def _merge(project: str) -> bool:
    """Make the .proj file; returns whether there is one."""
    try:
        done = subprocess.run([_commands.find_command(), "merge", "--quiet", "--",
                               project], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, check=False)
    except (OSError, hdtrace.Error):
        return False
    return done.returncode in (0, 1)


def _say(calls: int, project: Optional[str]) -> None:
    """Print what was recorded, and the cost."""
    text = f"{calls} calls recorded"
    if project is not None:
        recorded, skipped = _cost()
        text += (f"; each took {recorded * 1e6:.2f} us longer, other calls "
                 f"{skipped * 1e6:.2f} us; project: {project}")
        if not _merge(project):
            text += f" (run hdtrace merge {project})"
    print(f"hdtrace run: {text}", file=sys.stderr)


def _run(options: argparse.Namespace) -> None:
    script = options.script
    directory = os.path.join(os.path.dirname(os.path.abspath(script)), "")
    sys.argv = [script, *options.arguments]
    sys.path[0] = directory[:-1]
    if options.project is not None or not _recording._is_started:
        _recording.record(options.project)
    _native.profile_start(_decision(options.module, directory))
    threading.setprofile(_native.profile)
    sys.setprofile(_native.profile)
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        calls = _native.profile_stop()
        project = _recording.finish()
        if not options.quiet:
            _say(calls, project)
        elif project is not None:
            _merge(project)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python3 -m hdtrace", description="Record a Python program.")
    parser.add_argument("--version", action="version", version=f"hdtrace {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run", help="Run a program, and record its functions as states",
        description="Run a program, and record its functions as states.")
    run.add_argument("-p", "--project", metavar="NAME",
                     help="Name of the project (default: that of the program)")
    run.add_argument("--module", metavar="PATTERN", action="append", default=[],
                     help="Only functions of matching modules (default: modules in the "
                     "directory of the program)")
    run.add_argument("-q", "--quiet", action="store_true",
                     help="Do not print the number and cost of calls")
    run.add_argument("script", metavar="SCRIPT", help="Program to run")
    run.add_argument("arguments", metavar="ARG", nargs=argparse.REMAINDER,
                     help="Its arguments")
    _run(parser.parse_args())


main()
