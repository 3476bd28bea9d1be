# SPDX-License-Identifier: LGPL-2.1-or-later
"""arrowpackages.py PACKAGE DIRECTORY PROJECT: pyarrow or polars takes the tables of the
package hdtrace, and reads the same from the files of Arrow in DIRECTORY."""
import os
import sys
import tempfile

import hdtrace


def with_pyarrow(table, path):
    """Compare a table with its file, and with itself in a Parquet file."""
    import pyarrow
    import pyarrow.parquet

    own = pyarrow.table(table)
    own.validate(full=True)
    with pyarrow.ipc.open_file(path) as file:
        found = file.read_all()
    found.validate(full=True)
    assert str(found) == str(own), path
    assert found.schema.equals(own.schema, check_metadata=True), path
    with tempfile.TemporaryDirectory() as directory:
        table.to_parquet(os.path.join(directory, "table"))
        again = pyarrow.parquet.read_table(os.path.join(directory, "table"))
    assert again.num_rows == own.num_rows and again.column_names == own.column_names, path


def with_polars(table, path):
    """Compare a table with its file."""
    import polars

    assert str(polars.read_ipc(path)) == str(polars.DataFrame(table)), path


def main():
    """Compare a project."""
    package, directory, path = sys.argv[1:]
    compare = with_pyarrow if package == "pyarrow" else with_polars
    project = hdtrace.open(path)
    tables = [*project.groups, *project.traces, *project.relations]
    for table in tables:
        compare(table, os.path.join(directory, os.path.basename(table.file) + ".arrow"))
    assert tables


if __name__ == "__main__":
    main()
