# SPDX-License-Identifier: LGPL-2.1-or-later
"""arrowfile.py FILE...: prints files of Arrow as text, one line for each row. The reader
is made from the specification of the IPC format; no code of HDTrace or Arrow.

--make-group N prints a .stat file with N entries, and --check-group N FILE compares what
was exported of it."""
import json
import struct
import sys

# Message.fbs, Schema.fbs
SCHEMA, BATCH = 1, 3
INT, FLOAT, TEXT, TIMESTAMP = 2, 3, 5, 10
VERSION = 4


class Table:
    """A table of a FlatBuffer: its fields by number."""

    def __init__(self, data, at):
        self.data = data
        self.at = at
        self.fields = at - struct.unpack_from("<i", data, at)[0]
        self.size = struct.unpack_from("<H", data, self.fields)[0]
        assert at % 4 == 0 and self.fields >= 0 and self.size >= 4

    def place(self, number):
        """Where a field is, or None."""
        if 4 + 2 * number >= self.size:
            return None
        offset = struct.unpack_from("<H", self.data, self.fields + 4 + 2 * number)[0]
        return self.at + offset if offset else None

    def number(self, number, form, default=0):
        """A number, which is aligned."""
        at = self.place(number)
        if at is None:
            return default
        assert at % struct.calcsize("=" + form) == 0
        return struct.unpack_from("<" + form, self.data, at)[0]

    def target(self, number):
        """Where an offset points to, or None."""
        at = self.place(number)
        if at is None:
            return None
        assert at % 4 == 0
        return at + struct.unpack_from("<I", self.data, at)[0]

    def table(self, number):
        """A table that a field points to."""
        at = self.target(number)
        return None if at is None else Table(self.data, at)

    def text(self, number):
        """A text, which ends with a zero byte."""
        at = self.target(number)
        if at is None:
            return None
        length = struct.unpack_from("<I", self.data, at)[0]
        assert self.data[at + 4 + length] == 0
        return self.data[at + 4:at + 4 + length].decode()

    def tables(self, number):
        """The tables of a vector."""
        at = self.target(number)
        if at is None:
            return []
        count = struct.unpack_from("<I", self.data, at)[0]
        places = range(at + 4, at + 4 + 4 * count, 4)
        return [Table(self.data, i + struct.unpack_from("<I", self.data, i)[0])
                for i in places]

    def structs(self, number, form):
        """The structures of a vector; the first one is aligned to 8 bytes."""
        at = self.target(number)
        if at is None:
            return []
        count = struct.unpack_from("<I", self.data, at)[0]
        assert (at + 4) % 8 == 0 or not count
        size = struct.calcsize(form)
        return [struct.unpack_from(form, self.data, at + 4 + size * i)
                for i in range(count)]


def metadata_of(table, number):
    """Pairs of names and texts."""
    return {pair.text(0): pair.text(1) for pair in table.tables(number)}


class Field:
    """A column: its name, format as in Arrow's C interface, and metadata."""

    def __init__(self, table):
        self.name = table.text(0)
        kind, detail = table.number(2, "B"), table.table(3)
        assert table.number(1, "B") == 1 and table.tables(5) == []
        assert table.place(5) is not None, "readers want children"
        self.metadata = metadata_of(table, 6)
        if kind == INT:
            is_signed = detail.number(1, "B")
            self.format = {(32, 1): "i", (64, 1): "l", (32, 0): "I",
                           (64, 0): "L"}[detail.number(0, "i"), is_signed]
        elif kind == FLOAT:
            self.format = {1: "f", 2: "g"}[detail.number(0, "h")]
        elif kind == TIMESTAMP:
            assert (detail.number(0, "h"), detail.text(1)) == (3, "UTC")
            self.format = "tsn:UTC"
        else:
            assert kind == TEXT
            self.format = "u"


FORMS = {"i": "i", "l": "q", "I": "I", "L": "Q", "f": "f", "g": "d", "tsn:UTC": "q"}


class File:
    """A file: fields, metadata, and the values of each column; None is no value."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        assert data[:8] == b"ARROW1\0\0" and data[-6:] == b"ARROW1"
        size = struct.unpack("<I", data[-10:-6])[0]
        footer = self.root(data[-10 - size:-10])
        assert footer.number(0, "h") == VERSION and footer.structs(2, "<qiiq") == []
        schema = footer.table(1)
        self.order = "<>"[schema.number(0, "h")]
        self.fields = [Field(field) for field in schema.tables(1)]
        self.metadata = metadata_of(schema, 2)
        self.columns = [[] for _ in self.fields]
        self.rows = 0
        self.batches = 0
        at = self.message(data, 8, SCHEMA, 0)
        for offset, length, _, body in footer.structs(3, "<qiiq"):
            assert offset == at
            assert self.message(data, at, BATCH, body) == at + length
            at += length + body
        # The stream ends where the end of the file begins.
        assert data[at:at + 8] == b"\xff\xff\xff\xff\0\0\0\0"
        assert at + 8 == len(data) - 10 - size

    @staticmethod
    def root(data):
        """The outermost table of a buffer."""
        assert len(data) % 8 == 0
        return Table(data, struct.unpack_from("<I", data, 0)[0])

    def message(self, data, at, kind, body):
        """Read a message, and return where its body begins."""
        mark, size = struct.unpack_from("<II", data, at)
        assert mark == 0xffffffff and size % 8 == 0 and at % 8 == 0
        message = self.root(data[at + 8:at + 8 + size])
        at += 8 + size
        assert message.number(0, "h") == VERSION and message.number(1, "B") == kind
        assert message.number(3, "q") == body
        if kind == BATCH:
            self.batch(message.table(2), data[at:at + body])
        else:
            names = [Field(field).name for field in message.table(2).tables(1)]
            assert names == [field.name for field in self.fields]
        return at

    def batch(self, batch, body):
        """Read the values of a batch."""
        rows = batch.number(0, "q")
        nodes = batch.structs(1, "<qq")
        buffers = iter(batch.structs(2, "<qq"))

        def take():
            offset, length = next(buffers)
            assert offset % 8 == 0 and offset + length <= len(body)
            return body[offset:offset + length]

        assert len(nodes) == len(self.fields)
        for field, column, (length, nulls) in zip(self.fields, self.columns, nodes):
            assert length == rows
            bits = take()
            if field.format == "u":
                ends = struct.unpack(f"{self.order}{rows + 1}i", take())
                text = take()
                assert ends[0] == 0 and ends[-1] == len(text)
                values = [text[a:b].decode() for a, b in zip(ends, ends[1:])]
            else:
                values = struct.unpack(f"{self.order}{rows}{FORMS[field.format]}", take())
            if bits:
                assert len(bits) == (rows + 7) // 8
                values = [value if bits[i // 8] >> i % 8 & 1 else None
                          for i, value in enumerate(values)]
            assert sum(value is None for value in values) == nulls
            column += values
        assert next(buffers, None) is None
        self.rows += rows
        self.batches += 1


def as_text(form, value):
    """A value as text that is equal in other languages: all digits of integers, the bits
    of floating-point numbers, but NaN has many."""
    if value is None or form == "u":
        return value
    if form in "fg":
        return "NaN" if value != value else struct.pack(">d", value).hex()
    return str(value)


def group_entry(number):
    """The values of an entry; None is no value."""
    text = b"\xff" if number == 1 else b"x" * (number % 3)
    return None if number % 5 == 0 else number, text


def make_group(count):
    """Write a .stat file."""
    header = (b'<Statistics><TopologyNode><Label value="a"/></TopologyNode>'
              b'<Group name="G"><v type="INT32" missing="-1"/><s type="STRING"/></Group>'
              b'</Statistics>')
    out = [b"%05d\n" % len(header), header, struct.pack(">II", 1, 0)]
    for i in range(count):
        number, text = group_entry(i)
        out.append(struct.pack(">IIiH", 2 + i // 1000, i % 1000,
                               -1 if number is None else number, len(text)) + text)
    sys.stdout.buffer.write(b"".join(out))


def check_group(count, path):
    """Compare its values."""
    file = File(path)
    assert file.rows == count and file.batches > 1, (file.rows, file.batches)
    assert [field.name for field in file.fields] == ["start", "end", "v", "s"]
    for i, (start, end, number, text) in enumerate(zip(*file.columns)):
        wanted, data = group_entry(i)
        assert (number, text) == (wanted, data.decode(errors="replace")), i
        assert end == (2 + i // 1000) * 10**9 + i % 1000, i
        assert i == 0 or start == file.columns[1][i - 1], i


def main():
    """Print files."""
    if sys.argv[1] == "--make-group":
        make_group(int(sys.argv[2]))
        return
    if sys.argv[1] == "--check-group":
        check_group(int(sys.argv[2]), sys.argv[3])
        return
    for path in sys.argv[1:]:
        file = File(path)
        print(json.dumps([[field.name, field.format, sorted(field.metadata.items())]
                          for field in file.fields], ensure_ascii=False,
                         separators=(",", ":")))
        print(json.dumps(sorted(file.metadata.items()), ensure_ascii=False,
                         separators=(",", ":")))
        for row in zip(*file.columns):
            print(json.dumps([as_text(field.format, value)
                              for field, value in zip(file.fields, row)],
                             ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()
