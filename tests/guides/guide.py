# SPDX-License-Identifier: LGPL-2.1-or-later
"""guide.py FILE HOME DIRECTORY NUMBER: runs what a guide says, in order, as a reader would type
it into one shell at one terminal, and compares what is printed with what the
guide says is printed. doc/dev/guides.md says how guides are written for that.
Begins in a directory, and prints TAP after so many test points."""
import ctypes
import fcntl
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import termios
import time
import urllib.request

# As long as a command may take where many others run.
PATIENCE = 300
# Guides are written as on this host, and with these ports.
HOST = "node01"
PORTS = ("6526", "6527", "6528", "6529", "9526", "8080")

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
UNITS = ("[mun]?s", "(?:(?:[kMGT]|[KMGT]i)?B|bytes)", "[mkM]?J", "[mkM]?W",
         "[kMG]?Hz")
QUANTITY = re.compile(rf"({NUMBER})( +)({'|'.join(UNITS)})(?!\w)")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
CLOCK = re.compile(r"\d\d:\d\d:\d\d(?:\.\d+)?")
DOTTED = re.compile(r"\d+(?:\.\d+){2,}")
SHELL = """
set -m
trap : INT
status=0
while read -r file <&%d; do
    (exit $status)
    . "$file" %d<&- %d>&-
    status=$?
    echo $status >&%d
done
"""


class Step:
    """A command of a guide, and what it is to print; None if that is not
    said."""

    def __init__(self, number, command):
        self.number, self.command = number, command
        self.expected, self.needs = None, []

    def title(self):
        """One line, without what TAP would understand."""
        first = re.sub("#.*", "", self.command.split("\n")[0]).strip()
        return f"line {self.number}: {first}"


def is_incomplete(command):
    """Whether the shell would wait for more lines."""
    shell = subprocess.run(["bash", "-n"], input=command + "\n", text=True,
                           stderr=subprocess.PIPE, check=False)
    return command.endswith("\\") or re.search(
        "unexpected (EOF|end of file)|here-document", shell.stderr)


def depth(lines, at):
    """How deep a heading is: None for other lines."""
    if lines[at].startswith("#"):
        return len(lines[at]) - len(lines[at].lstrip("#"))
    if lines[at].strip() and not lines[at].startswith(" ") and \
            at + 1 < len(lines):
        if re.fullmatch(r"={3,}", lines[at + 1]):
            return 1
        if re.fullmatch(r"-{3,}", lines[at + 1]):
            return 2
    return None


def block(lines, at, indent):
    """What follows in the same block of a guide, and where it ends."""
    found = []
    while at < len(lines):
        line = lines[at]
        if re.match(r" *\$ ", line) or \
                line.strip() and not line.startswith(indent):
            break
        found.append(line[len(indent):])
        at += 1
    while found and not found[-1].strip():
        found.pop()
    return found, at


def parse(text):
    """The steps of a guide."""
    lines = text.split("\n")
    steps, needs, at = [], [], 0
    while at < len(lines):
        level = depth(lines, at)
        if level is not None:
            needs = [(of, words) for of, words in needs if of < level]
            here = level
        said = re.match(r"Needs: (.*)\.$", lines[at])
        if said:
            needs.append((here, said[1].split(", ")))
        found = re.match(r"( {4,})\$ (.*)", lines[at])
        at += 1
        if not found:
            continue
        indent, command = found.groups()
        step = Step(at, command)
        while is_incomplete(step.command) and at < len(lines):
            step.command += "\n" + lines[at][len(indent):]
            at += 1
        step.needs = [word for _, words in needs for word in words]
        output, at = block(lines, at, indent)
        step.expected = output or None
        steps.append(step)
    return steps


def unit_pattern(unit):
    """Any multiple of a unit."""
    return next(family for family in UNITS if re.fullmatch(family, unit))


def line_pattern(line):
    """What a line may look like on another machine."""
    pattern, at = "", 0
    while at < len(line):
        before = line[at - 1] if at else " "
        starts = not re.match(r"[\w.-]", before)
        quantity = starts and QUANTITY.match(line, at)
        number = starts and re.compile(NUMBER + r"(?!\w)").match(line, at)
        blank = re.compile(r"[ \t]+").match(line, at)
        literal = None
        if line.startswith("[...]", at):
            pattern, at = pattern + ".*?", at + 5
            continue
        for kind in (DATE, CLOCK, DOTTED):
            literal = literal or starts and kind.match(line, at)
        if literal and literal.re is DOTTED:
            pattern += re.escape(literal[0])
        elif literal:
            pattern += literal.re.pattern
        elif quantity:
            pattern += rf"{NUMBER} +{unit_pattern(quantity[3])}(?!\w)"
            literal = quantity
        elif number:
            # Few are counted, and exact; many differ, as all with a fraction.
            is_count = re.fullmatch(r"\d", number[0])
            pattern += number[0] if is_count else NUMBER
            literal = number
        elif blank:
            pattern, literal = pattern + r"[ \t]+", blank
        else:
            pattern += re.escape(line[at])
        at = literal.end() if literal else at + 1
    return pattern + r"[ \t]*\n"


def output_pattern(lines):
    """What an output may look like on another machine."""
    return re.compile("".join(r"(?:.*\n)*?" if line.strip() == "[...]"
                              else line_pattern(line) for line in lines))


def seen(data):
    """What a terminal shows after all that was written to it."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "",
                  data.decode("utf-8", "replace"))
    # A blank that does not break is one.
    text = text.replace("\r\n", "\n").replace("\xa0", " ")
    return "\n".join(line.rsplit("\r", 1)[-1] for line in text.split("\n"))


def printed(step):
    """What a command is to print itself."""
    return [line for line in step.expected if line.strip() != "^C"]


def agrees(step, text):
    """Whether a command has printed what the guide says."""
    if step.expected is None:
        return True
    expected = printed(step)
    if re.match(r"ls\b", step.command):
        # In as many columns as fit.
        return sorted(" ".join(expected).split()) == sorted(text.split())
    if text and not text.endswith("\n"):
        text += "\n"
    return output_pattern(expected).fullmatch(text) is not None


def difference(step, text):
    """What a command is to print, and which line of that it has not."""
    expected = printed(step)
    count = max(count for count in range(len(expected))
                if output_pattern(expected[:count]).match(text))
    return "\n".join(("> " if line is expected[count] else "  ") + line
                     for line in expected)


class Terminal:
    """A shell at a terminal."""

    def __init__(self, directory, environment, scripts):
        self.scripts, self.count, self.text = scripts, 0, b""
        self.master, slave = os.openpty()
        flags = termios.tcgetattr(slave)
        flags[3] &= ~termios.ECHO
        termios.tcsetattr(slave, termios.TCSANOW, flags)
        orders, self.orders = os.pipe()
        self.answers, answers = os.pipe()
        os.set_blocking(self.master, False)

        self.shell = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-c",
             SHELL % (orders, orders, answers, answers)],
            stdin=slave, stdout=slave, stderr=slave, cwd=directory,
            env=environment, pass_fds=(orders, answers),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        for fd in (slave, orders, answers):
            os.close(fd)

    def begin(self, command):
        """Begin a command."""
        self.count += 1
        self.text = b""
        path = os.path.join(self.scripts, str(self.count))
        with open(path, "w", encoding="utf-8") as script:
            script.write(command + "\n")
        os.write(self.orders, (path + "\n").encode())

    def look(self, seconds):
        """Wait for more; return the exit status once the command has ended."""
        ready, _, _ = select.select([self.master, self.answers], [], [],
                                    seconds)
        answer = os.read(self.answers, 100) if self.answers in ready else b""
        try:
            while True:
                more = os.read(self.master, 65536)
                self.text += more
                if not more:
                    break
        except OSError:
            pass
        if self.answers in ready and not answer:
            raise EOFError("the shell has ended")
        return int(answer) if answer else None

    def interrupt(self):
        """Press Ctrl-C."""
        os.write(self.master, b"\x03")

    def end(self):
        """Leave."""
        os.close(self.orders)
        os.close(self.master)
        self.shell.wait()


def fetch(url):
    """Get the page of a viewer, as a browser would."""
    with urllib.request.urlopen(url, timeout=60) as page:
        if b"<html" not in page.read(100000):
            raise ValueError(f"{url} is no page")


def run(terminal, step):
    """Run a step: its exit status and what the terminal has shown. As a reader
    would, look at a page that is served, press Ctrl-C where the guide shows
    ^C, and wait for what a command in the background prints."""
    terminal.begin(step.command)
    is_view = re.match(r"hdtrace view\b", step.command)
    shown = [line.strip() for line in step.expected or ()]
    before = shown[:shown.index("^C")] if "^C" in shown else None
    pressed, status = False, None
    deadline = time.monotonic() + PATIENCE
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            if status is None:
                terminal.interrupt()
            return status, seen(terminal.text) + \
                f"\n(not done after {PATIENCE} s)\n"
        new = terminal.look(min(left, 0.05 if status is not None else 1))
        status = new if new is not None else status
        text = seen(terminal.text)
        if status is not None:
            if not step.command.endswith("&") or agrees(step, text):
                return status, text
            continue
        if pressed:
            continue
        address = re.search(r"http://\S+\n", text) if is_view else None
        if address or before is not None and not is_view and \
                output_pattern(before).match(text):
            if address:
                fetch(address[0].strip())
            terminal.interrupt()
            pressed = True


def lacking(needs):
    """What is not here of what is needed, or None."""
    allowed = os.environ.get("HDTRACE_GUIDES", "").split()
    # A command of ours may not be in this build.
    path = os.environ["abs_top_builddir"] + ":" + os.environ["PATH"]
    for word in needs:
        if word == "root" and os.geteuid() == 0 and word in allowed or \
                word == "network" and word in allowed:
            continue
        # Not a command: a package of this build.
        if word == "python3-hdtrace" and os.path.exists(os.path.join(
                os.environ["abs_top_builddir"], "PythonModule/hdtrace/_native.abi3.so")):
            continue
        if word in ("root", "network") or \
                not shutil.which(word, path=path):
            return word
    return None


def free_port():
    """The number of a port that is free."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def here(text, names):
    """A text for this host."""
    for old, new in names.items():
        text = re.sub(rf"(?<![0-9A-Za-z.]){old}(?![0-9A-Za-z])", new, text)
    return text


def environment(home):
    """What the shell finds: nothing of who runs this."""
    tree = os.environ["abs_top_builddir"]
    commands = os.path.join(home, ".commands")
    os.makedirs(commands)
    # A browser of people's would stay.
    with open(os.path.join(commands, "xdg-open"), "w",
              encoding="ascii") as browser:
        browser.write("#!/bin/sh\n")
    os.chmod(os.path.join(commands, "xdg-open"), 0o755)
    kept = {name: value for name, value in os.environ.items()
            if not re.match("HDTRACE_|RUT_|PT_|PM_|MAKE|MFLAGS|abs_top|LC_|LANG"
                            "|NO_COLOR|COLUMNS|AM_|OMPI_|DISPLAY", name)}
    kept.update(HOME=home, LC_ALL="C.UTF-8", TERM="dumb", TMPDIR=home,
                PATH=f"{commands}:{os.environ['PATH']}",
                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1",
                OMPI_MCA_mpi_yield_when_idle="1")
    if os.environ.get("HDTRACE_GUIDES_PATH") != "none":
        kept["PATH"] = f"{tree}:{tree}/doc/examples:{kept['PATH']}"
    return kept


def children():
    """The numbers and names of processes whose parent is this one, by birth or
    because theirs has ended."""
    found = {}
    with open(f"/proc/self/task/{os.getpid()}/children",
              encoding="ascii") as pids:
        for pid in pids.read().split():
            with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                name, state = re.match(r"\d+ \((.*)\) (.)",
                                       stat.read()).groups()
            if state == "Z":
                os.waitpid(int(pid), 0)
            else:
                found[int(pid)] = name
    return found


def end_all():
    """End what was left running, and return the names of it. What was told to
    end has a while for it."""
    deadline = time.monotonic() + 10
    while children() and time.monotonic() < deadline:
        time.sleep(0.1)
    names = []
    while left := children():
        names += left.values()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return names


class Report:
    """What is printed."""

    def __init__(self, count):
        self.count = count

    def point(self, is_good, title, skipped=None, details=""):
        """A test point."""
        self.count += 1
        print(("" if is_good else "not ") + f"ok {self.count} - {title}" +
              (f" # SKIP {skipped}" if skipped else ""))
        if not is_good:
            for line in details.split("\n"):
                print("# " + line)
        sys.stdout.flush()


def run_step(terminal, step, follower, report):
    """Run a step and say what came of it."""
    try:
        status, text = run(terminal, step)
    except (OSError, ValueError) as error:
        terminal.interrupt()
        report.point(False, step.title(), details=str(error))
        return
    absent = re.search("was built without [^:(,]*", text)
    if status != 0 and absent:
        report.point(True, step.title(), skipped=absent[0].strip())
        return
    is_asked = follower and follower.command.startswith("echo $?")
    is_good = (status == 0 or is_asked) and agrees(step, text)
    details = f"exit status {status}\nprinted:\n{text}"
    if not is_good and step.expected:
        details += "\nexpected:\n" + difference(step, text)
    report.point(is_good, step.title(), details=details)


def main(path, home, start, count):
    """Run a guide."""
    # Daemons become children of this process when their parents end.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    names = {port: free_port() for port in PORTS}
    names[HOST] = re.sub("[^A-Za-z0-9.-]", "-", os.uname().nodename)
    with open(path, encoding="utf-8") as guide:
        steps = parse(guide.read())
    for step in steps:
        step.command = here(step.command, names)
        if step.expected is not None:
            step.expected = [here(line, names) for line in step.expected]
    scripts = os.path.join(home, ".scripts")
    os.makedirs(scripts)
    terminal = Terminal(start, environment(home), scripts)
    report = Report(int(count))
    for step, follower in zip(steps, steps[1:] + [None]):
        missing = lacking(step.needs)
        if missing:
            report.point(True, step.title(), skipped=f"needs {missing}")
            continue
        run_step(terminal, step, follower, report)
    terminal.end()
    left = end_all()
    report.point(not left, "nothing is left running", details=" ".join(left))
    print(f"1..{report.count}")


main(*sys.argv[1:5])
