# SPDX-License-Identifier: LGPL-2.1-or-later
"""HDTrace in Python: every recorded number in NumPy, pandas and Arrow.

    import hdtrace

    project = hdtrace.open("run")
    power = project.groups[0].column("P")
    power.times, power.values           # memoryviews, for numpy.asarray()
    project.groups[0].to_pandas()

It also records Python programs:

    with hdtrace.state("train", number=3):
        ...

Times are nanoseconds since 1970, as in the files. Files that are damaged are read as far
as possible, and project.diagnostics lists the problems.
"""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Union

from ._commands import Document, Picture
from ._error import Error
from ._paths import VERSION as __version__
from ._project import (Column, Diagnostic, Events, Group, Node, Project,
                       RelationList, Relations, Time, Trace)
from ._recording import (RecordedGroup, event, finish, group, record, state, traced)
from ._tables import Table, Texts, Value

__all__ = ["Column", "Diagnostic", "Document", "Error", "Events", "Group", "Node", "Picture",
           "Project", "RecordedGroup", "RelationList", "Relations", "Table", "Texts", "Time",
           "Trace", "Value", "event", "finish", "group", "open", "record", "state",
           "traced"]


def open(path: Union[str, "os.PathLike[str]"], from_: Time = None, to: Time = None,
         nodes: Union[str, Sequence[str], None] = None) -> Project:
    """Open a project.

    path is a .proj file, its path without .proj, a directory that contains one .proj,
    an archive (.hdz), or a single .stat, .trc or .rel file.

    from_ and to select data that are at least partly after and before a time: a number
    of seconds since the start of the project, a text as the commands take it ("500ms",
    "@1700000000.25"), a datetime, or a numpy.datetime64. nodes is a pattern, or several:
    nodes whose path matches, and all below them.

    Raises Error if the project cannot be read.
    """
    return Project(path, from_, to, nodes)
