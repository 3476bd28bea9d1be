# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recording: states, events and groups of a Python program.

If hdmpirun records the program, they are in the traces of the ranks. Otherwise, the first
one begins a project of its own.
"""
from __future__ import annotations

import atexit
import functools
import inspect
import os
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, Optional, TypeVar, Union, overload

from . import _native

_Function = TypeVar("_Function", bound=Callable[..., Any])

_is_started = False


def record(project: Optional[str] = None, *, host: Optional[str] = None,
           rank: Optional[str] = None) -> None:
    """Begin a project. Without this call, the first state begins one that is named after
    the program, with a number if it exists.

    project is a name, optionally with a directory. host and rank are labels in the
    topology; the default is the name of this host, and the rank of MPI or 0. If hdmpirun
    records the program, its project is used.
    """
    global _is_started
    if not _native.start(project, _program(), host, rank):
        raise RuntimeError("the recording has begun")
    if not _is_started:
        atexit.register(_native.stop)
        _is_started = True


def _program() -> str:
    name = os.path.basename(sys.argv[0] if sys.argv else "")
    return os.path.splitext(name)[0] if name not in ("", "-c", "-m") else "python"


def _start() -> None:
    if not _is_started:
        try:
            record()
        except RuntimeError:
            pass


def finish() -> Optional[str]:
    """End the project and close its files. Returns its path without .proj, or None if
    hdmpirun writes it. hdtrace merge makes its .proj file. A program that exits does this,
    too."""
    project = _native.project()
    error = _native.stop()
    if error is not None:
        raise OSError(error)
    return project


def _checked(attributes: dict[str, Any]) -> dict[str, Any]:
    for key in attributes:
        if not key.isascii() or key in ("time", "end"):
            raise ValueError(f"attribute {key!r}: a name of ASCII letters, digits and _ "
                             "that is not time or end is expected")
    return attributes


class state:
    """A state of the calling thread, from the begin of the block to its end.

        with hdtrace.state("train", number=3, rate=0.1) as current:
            ...
            current.set(loss=loss)

    Attributes are integers, floating-point numbers or texts. A block that raises an
    exception has the attribute error.
    """

    __slots__ = ("_name", "_attributes", "_number")

    def __init__(self, name: str, /, **attributes: Any) -> None:
        self._name = name
        self._attributes = _checked(attributes)
        self._number = 0

    def set(self, **attributes: Any) -> None:
        """Add attributes; for the innermost state of the thread only."""
        _checked(attributes)
        if self._number:
            _native.put(self._number, attributes)

    def __enter__(self) -> "state":
        if not _is_started:
            _start()
        self._number = _native.begin(self._name)
        if self._attributes and self._number:
            _native.put(self._number, self._attributes)
        return self

    def __exit__(self, kind: Optional[type[BaseException]],
                 error: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        number, self._number = self._number, 0
        if number:
            if kind is not None:
                _native.put(number, {"error": kind.__name__})
            _native.end(number)


@overload
def traced(function: _Function, /) -> _Function: ...


@overload
def traced(name: str, /) -> Callable[[_Function], _Function]: ...


def traced(function: Union[_Function, str], /) -> Any:
    """Record each call of a function as a state.

        @hdtrace.traced
        def step(): ...

        @hdtrace.traced("training step")
        def step(): ...

    Of a coroutine, the state lasts until it ends, and includes the time in which it waits.
    """
    if isinstance(function, str):
        return functools.partial(_wrap, name=function)
    return _wrap(function, name=state_name(function.__qualname__))


def _wrap(function: Any, name: str) -> Any:
    if inspect.iscoroutinefunction(function):
        @functools.wraps(function)
        async def coroutine(*arguments: Any, **named: Any) -> Any:
            with state(name):
                return await function(*arguments, **named)
        return coroutine

    begin, end = _native.begin, _native.end

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if not _is_started:
            _start()
        number = begin(name)
        try:
            return function(*arguments, **named)
        except BaseException as error:
            if number:
                _native.put(number, {"error": type(error).__name__})
            raise
        finally:
            if number:
                end(number)
    return call


def state_name(name: str, module: str = "") -> str:
    """Return the name of a state of a function.

    >>> state_name("Net.fit.<locals>.step", "train"), state_name("f.<locals>.<lambda>")
    ('train.Net.fit.step', 'f.lambda')
    """
    parts = [part.strip("<>") for part in name.split(".") if part != "<locals>"]
    return ".".join([module, *parts] if module else parts)


def event(name: str) -> None:
    """Record an event, which has a time but no duration."""
    _start()
    _native.event(name)


class RecordedGroup:
    """A statistics group that is being recorded; see group()."""

    def __init__(self, name: str, values: dict[str, tuple[Optional[str], str]]) -> None:
        _start()
        self.name = name
        self.values = tuple(values)
        self._number = _native.group(name, tuple(
            (value, unit or None, kind) for value, (unit, kind) in values.items()))

    def write(self, *numbers: float, **named: float) -> None:
        """Write an entry: numbers in the order of the values, or by name. It covers the
        time since the previous entry. Values that are not given have no value.

            losses.write(loss=0.25)
        """
        row = [float("nan")] * len(self.values)
        if len(numbers) > len(row):
            raise TypeError(f"the group {self.name} has {len(row)} values")
        row[:len(numbers)] = numbers
        for name, number in named.items():
            if name not in self.values:
                raise TypeError(f"the group {self.name} has no value {name!r}")
            row[self.values.index(name)] = number
        _native.write(self._number, tuple(row))


def group(name: str, /, **values: Union[str, tuple[str, str]]) -> RecordedGroup:
    """Create a statistics group at the node of the process. Each value has a unit, or a
    unit and a kind: gauge (the default), counter or delta.

        losses = hdtrace.group("Losses", loss="J", samples=("", "delta"))
        losses.write(loss=0.25, samples=64)

    Under hdmpirun, the project needs a name (hdmpirun -p).
    """
    return RecordedGroup(name, {
        value: (unit, "gauge") if isinstance(unit, str) else unit
        for value, unit in values.items()})
