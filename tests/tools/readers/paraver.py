# SPDX-License-Identifier: LGPL-2.1-or-later
"""paraver.py PREFIX: checks that PREFIX.prv, .pcf and .row keep to what
Paraver's documentation says of its traces, as far as HDTrace writes them, and
that damaged copies of them do not (unless --undamaged is said)."""
import re
import sys

HEADER = re.compile(
    r"#Paraver \((\d\d)/(\d\d)/(\d\d(?:\d\d)?) at (\d\d):(\d\d)\):"
    r"(\d+)_(?:ns|us|ms):(\d+)\(([\d,]+)\):(\d+):(.+)")
APPLICATION = re.compile(r"(\d+)\(([\d:,]+)\)")


class Wrong(Exception):
    """Something is not as it should be."""


def want(is_good, text):
    """Complain unless it is good."""
    if not is_good:
        raise Wrong(text)


def integers(text, separator):
    """Numbers without sign."""
    parts = text.split(separator)
    want(all(part.isdigit() for part in parts), f"no numbers: {text}")
    return [int(part) for part in parts]


class Configuration:
    """A .pcf file: states, and types of events with their values."""

    def __init__(self, text):
        self.states, self.types, self.values = {}, {}, {}
        section, current = None, []
        for line in text.split("\n"):
            if line in ("STATES", "EVENT_TYPE", "VALUES", "DEFAULT_OPTIONS"):
                want(line != "VALUES" or current, "VALUES without a type")
                section = line
                current = [] if line == "EVENT_TYPE" else current
            elif not line:
                if section != "DEFAULT_OPTIONS":
                    section = None
            else:
                self.take(section, line, current)
        want(self.states or self.types, "an empty configuration")

    def take(self, section, line, current):
        """Take a line of a section."""
        want(section, f"outside of a section: {line}")
        if section == "DEFAULT_OPTIONS":
            want(re.fullmatch(r"(LEVEL|UNITS) +[A-Z]+", line),
                 f"no option: {line}")
        elif section == "STATES":
            number, name = self.split(line)
            want(number not in self.states, f"state {number} twice")
            self.states[number] = name
        elif section == "EVENT_TYPE":
            parts = line.split(None, 2)
            want(len(parts) == 3 and parts[0].isdigit() and
                 parts[1].isdigit(), f"no type: {line}")
            number = int(parts[1])
            want(number not in self.types, f"type {number} twice")
            self.types[number] = parts[2]
            current.append(number)
        elif section == "VALUES":
            number, name = self.split(line)
            for kind in current:
                values = self.values.setdefault(kind, {})
                want(number not in values, f"value {number} twice")
                values[number] = name

    @staticmethod
    def split(line):
        """"3    Name" """
        parts = line.split(None, 1)
        want(len(parts) == 2 and parts[0].isdigit(), f"no name: {line}")
        return int(parts[0]), parts[1]


class Header:
    """The first line of a .prv file."""

    def __init__(self, line):
        match = HEADER.fullmatch(line)
        want(match, f"header: {line}")
        day, month, _, hour, minute = (int(match[i]) for i in range(1, 6))
        want(1 <= day <= 31 and 1 <= month <= 12 and hour < 24 and minute < 60,
             "no date in the header")
        self.length = int(match[6])
        cpus = integers(match[8], ",")
        want(len(cpus) == int(match[7]) and 0 not in cpus,
             "not as many nodes as announced")
        self.nodes = len(cpus)
        applications = match[10].split("):")
        applications = [part + ")" for part in applications[:-1]] + \
            applications[-1:]
        want(len(applications) == int(match[9]) > 0,
             "not as many applications as announced")
        self.threads = {}
        for number, text in enumerate(applications, 1):
            self.take(number, text)

    def take(self, number, text):
        """Take the tasks of an application: threads, and the node."""
        match = APPLICATION.fullmatch(text)
        want(match, f"application: {text}")
        tasks = [integers(task, ":") for task in match[2].split(",")]
        want(len(tasks) == int(match[1]), "not as many tasks as announced")
        for task, numbers in enumerate(tasks, 1):
            want(len(numbers) == 2 and numbers[0] > 0 and
                 1 <= numbers[1] <= self.nodes, f"task: {numbers}")
            self.threads[number, task] = numbers[0]


class Trace:
    """The records of a .prv file."""

    def __init__(self, text, configuration):
        lines = text.split("\n")
        want(lines[-1] == "", "the last line has no end")
        self.header = Header(lines[0])
        self.configuration = configuration
        self.counts = {1: 0, 2: 0, 3: 0}
        self.busy = {}
        last = 0
        for line in lines[1:-1]:
            fields = line.split(":")
            want(all(re.fullmatch(r"-?\d+", field) for field in fields),
                 f"no numbers: {line}")
            numbers = [int(field) for field in fields]
            want(numbers[0] in self.counts and len(numbers) > 6,
                 f"no record: {line}")
            self.counts[numbers[0]] += 1
            want(numbers[5] >= last, f"not in the order of time: {line}")
            last = numbers[5]
            self.check_place(numbers[1:5], line)
            (self.check_state, self.check_event,
             self.check_message)[numbers[0] - 1](numbers, line)

    def check_time(self, time, line):
        """Within the length of the trace."""
        want(0 <= time <= self.header.length, f"time: {line}")

    def check_place(self, place, line):
        """CPU, application, task, thread; CPU 0 is any."""
        cpu, application, task, thread = place
        threads = self.header.threads.get((application, task), 0)
        want(cpu >= 0 and 1 <= thread <= threads, f"place: {line}")

    def check_state(self, numbers, line):
        """1:cpu:appl:task:thread:begin:end:state"""
        want(len(numbers) == 8, f"state: {line}")
        begin, end, state = numbers[5:]
        want(begin < end, f"length: {line}")
        self.check_time(end, line)
        want(state in self.configuration.states, f"no such state: {line}")
        place = tuple(numbers[2:5])
        want(begin >= self.busy.get(place, 0), f"two states at once: {line}")
        self.busy[place] = end

    def check_event(self, numbers, line):
        """2:cpu:appl:task:thread:time:type:value[:type:value]..."""
        want(len(numbers) % 2 == 0, f"event: {line}")
        self.check_time(numbers[5], line)
        for kind, value in zip(numbers[6::2], numbers[7::2]):
            want(kind in self.configuration.types, f"no such type: {line}")
            values = self.configuration.values.get(kind)
            want(values is None or value in values, f"no such value: {line}")

    def check_message(self, numbers, line):
        """3:sender:logical:physical:receiver:logical:physical:size:tag"""
        want(len(numbers) == 15, f"message: {line}")
        self.check_place(numbers[7:11], line)
        sent, received = numbers[5:7], numbers[11:13]
        for time in sent + received:
            self.check_time(time, line)
        want(received[1] >= sent[0], f"arrives before it is sent: {line}")
        want(numbers[13] >= 0, f"size: {line}")


def check_rows(text, header):
    """A .row file: names of nodes and of threads."""
    sizes, left, level = {}, 0, ""
    for line in text.split("\n"):
        match = re.fullmatch(r"LEVEL (\w+) SIZE (\d+)", line)
        if match:
            want(left == 0, f"{level}: {left} names are missing")
            level, left = match[1], int(match[2])
            sizes[level] = left
        elif line:
            left -= 1
            want(left >= 0, f"{level}: too many names")
    want(left == 0, f"{level}: {left} names are missing")
    want(sizes.get("NODE") == header.nodes, "nodes of .row")
    want(sizes.get("THREAD") == sum(header.threads.values()),
         "threads of .row")


def check(files):
    """Check the texts of a trace; returns the numbers of records."""
    configuration = Configuration(files[".pcf"])
    trace = Trace(files[".prv"], configuration)
    check_rows(files[".row"], trace.header)
    return trace.counts


def first(kind):
    """A pattern for the first record of a kind, fields in groups."""
    return r"(?m)^(" + kind + r"):(\d+):(\d+):(\d+):(\d+):(\d+):(.*)$"


# What is damaged: the file, a pattern, and what stands there instead.
DAMAGES = [
    ("no date", ".prv", r"^#Paraver \(\d\d", "#Paraver (32"),
    ("no unit of time", ".prv", "_[num]s:", "_xs:"),
    ("a node more", ".prv", r"_ns:(\d+)\(", r"_ns:1\1("),
    ("an application more", ".prv", r"\):(\d):", r"):9:"),
    ("a task more", ".prv", r":(\d+)\((\d+):", r":9\1(\2:"),
    ("a thread of no node", ".prv", r":(\d+)\((\d+):\d+", r":\1(\2:999"),
    ("a trace that is too short", ".prv", r"\):\d+_ns", "):1_ns"),
    ("a record of another kind", ".prv", first("2"), r"4:\2:\3:\4:\5:\6:\7"),
    ("a record of text", ".prv", first("2"), r"2:\2:\3:\4:x:\6:\7"),
    ("a record that is cut", ".prv", first("2"), r"2:\2:\3:\4:\5"),
    ("a fraction", ".prv", first("2"), r"2:\2:\3:\4:\5:\6.5:\7"),
    ("an unknown application", ".prv", first("2"), r"2:\2:9:\4:\5:\6:\7"),
    ("an unknown task", ".prv", first("2"), r"2:\2:\3:999:\5:\6:\7"),
    ("an unknown thread", ".prv", first("2"), r"2:\2:\3:\4:99:\6:\7"),
    ("thread 0", ".prv", first("2"), r"2:\2:\3:\4:0:\6:\7"),
    ("time that decreases", ".prv", first("2"),
     r"2:\2:\3:\4:\5:999999999999999999:\7"),
    ("a type without a value", ".prv", first("2"), r"2:\2:\3:\4:\5:\6:\7:7"),
    ("an unknown type", ".prv", first("2"), r"2:\2:\3:\4:\5:\6:77:1"),
    ("a state of no length", ".prv", first("1"), r"1:\2:\3:\4:\5:\6:\6:1"),
    ("an unknown state", ".prv", r"(?m)^(1:.*):\d+$", r"\1:9999"),
    ("two states at once", ".prv", r"(?m)^(1:.*)$", r"\1\n\1"),
    ("a message that is cut", ".prv", r"(?m)^(3:.*):\d+$", r"\1"),
    ("a message to nobody", ".prv",
     r"(?m)^(3(?::\d+){6}):(\d+):\d+:", r"\1:\2:99:"),
    ("a message that comes early", ".prv",
     r"(?m)^(3(?::\d+){10}):\d+:\d+:", r"\1:0:0:"),
    ("no end of the last line", ".prv", r"\n\Z", ""),
    ("a state without a name", ".pcf", r"(?m)^1    .*$", "1"),
    ("a name without a number", ".pcf", r"(?m)^1    ", "x    "),
    ("a state twice", ".pcf", r"(?m)^(1    .*)$", r"\1\n\1"),
    ("a type twice", ".pcf", r"(?s)(EVENT_TYPE\n[^\n]*\n)", r"\1\1"),
    ("values of no type", ".pcf", r"EVENT_TYPE\n[^\n]*\n", ""),
    ("no name of a value", ".pcf", r"(?s)VALUES\n.*", ""),
    ("nothing", ".pcf", r"(?s).*", ""),
    ("a name too few", ".row", r"(?m)^.*\n\Z", ""),
    ("a name too many", ".row", r"\Z", "more\n"),
    ("another number of nodes", ".row", r"NODE SIZE (\d+)", "NODE SIZE 99"),
    ("no threads", ".row", r"LEVEL THREAD SIZE \d+", "LEVEL CPU SIZE 0"),
]


def main():
    """Check, then damage."""
    files = {}
    for suffix in (".prv", ".pcf", ".row"):
        with open(sys.argv[1] + suffix, encoding="utf-8") as file:
            files[suffix] = file.read()
    try:
        print(check(files))
    except Wrong as error:
        print(error)
        sys.exit(1)
    if "--undamaged" in sys.argv:
        return
    bad = 0
    for name, suffix, pattern, instead in DAMAGES:
        damaged, count = re.subn(pattern, instead, files[suffix], count=1)
        if damaged == files[suffix] or not count:
            print(f"{name}: nothing to damage")
            bad += "--all" in sys.argv
            continue
        try:
            check({**files, suffix: damaged})
            print(f"{name}: not noticed")
            bad += 1
        except Wrong as error:
            print(f"{name}: {error}")
    sys.exit(1 if bad else 0)


main()
