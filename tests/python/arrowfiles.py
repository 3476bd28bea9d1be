# SPDX-License-Identifier: LGPL-2.1-or-later
"""arrowfiles.py READERS HDTRACE DIRECTORY PROJECT...: what hdtrace export --to arrow
writes to DIRECTORY is what the package hdtrace reads."""
import os
import shutil
import subprocess
import sys

import arrowread
import hdtrace

sys.path.insert(0, sys.argv[1])
import arrowfile  # noqa: E402


def tables_of(project):
    """The tables of a project with the names of their files, and whether they are
    written without rows, too."""
    def name(file, ending):
        path = os.path.basename(file.file)
        return (path[:-4] if path.endswith(".zst") else path) + ending

    for group in project.groups:
        if group.is_readable:
            yield name(group, ".arrow"), group, True
    for trace in project.traces:
        yield name(trace, ".arrow"), trace, True
        yield name(trace, ".events.arrow"), trace.events, False
    for relations in project.relations:
        yield name(relations, ".arrow"), relations, True
        yield name(relations, ".relations.arrow"), relations.list, False


def compare(path, table):
    """Compare a file with a table; returns the number of values."""
    file = arrowfile.File(path)
    fields, columns, metadata = arrowread.read(table)
    found = [(field.name, field.format, field.metadata) for field in file.fields]
    assert found == [tuple(field) for field in fields], (path, found, fields)
    assert file.metadata == metadata, (path, file.metadata, metadata)
    count = 0
    for field, own, other in zip(file.fields, file.columns, columns):
        assert [arrowfile.as_text(field.format, value) for value in own] == \
            [arrowfile.as_text(field.format, value) for value in other], (path, field.name)
        count += len(own)
    return count


def main():
    """Compare projects."""
    command, directory, *projects = sys.argv[2:]
    count = 0
    for path in projects:
        shutil.rmtree(directory, ignore_errors=True)
        status = subprocess.run([command, "export", "--to", "arrow", "-q", "-o", directory,
                                 path], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, check=False).returncode
        assert status in (0, 1), (path, status)
        project = hdtrace.open(path)
        found = set(os.listdir(directory))
        for name, table, is_always in tables_of(project):
            if is_always or len(table):
                count += compare(os.path.join(directory, name), table)
                found.remove(name)
        assert not found, (path, found)
    print(f"{count} values of {len(projects)} projects")
    assert count


if __name__ == "__main__":
    main()
