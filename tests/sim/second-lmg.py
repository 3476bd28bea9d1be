#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A second simulator of the ZES ZIMMER LMG450 on a pty, written from the specification alone.

Law: U = 230 + channel, I = 0.5 * channel, P = U * I * (1 + (cycle mod 10) / 100).

Decisions where the specification is open:
Cycle number: 0 until the first CONT ON; the first cycle that ends after it is 1, and it runs
    on from there in any mode, so that values and --lose are known in advance.
COUNT?: (--start-count + cycles ended since the start) mod 65536, always running; in ASCII an
    integer, in PACKED a single like all values; it takes no channel digit.  --count error:
    -113 in the queue and an empty value (ASCII: empty field; PACKED: `#10` with --blocks
    each, no bytes with one).  values: in its place all measured values of the line again.
    stuck: --start-count, or 1 where that is 0.  none: nothing in the reply.
BREAK: tcsendbreak has no effect on a pty.  Stand-in: an open of the slave while no other peer
    has it open (seen with inotify).  It ends continuous mode and INIM, goes back to ASCII and
    SCPI, drops waiting commands; action list, cycle length and error queue stay.
*RST: cycle 0.5 s, continuous mode off, action list empty, INIM off, ASCII (SCPI's *RST value
    of FORMat); language, error queue, cycle number and counter stay.
Languages: `*` commands, GTL and [:]SYSTem:LANGuage SHORT|SCPI work in both, all others in
    SHORT only.  Case does not matter.
INIM: "always copy at the end of a cycle".  It empties the buffer; a value query waits for the
    end of the running cycle while the buffer is empty, else answers at once.  Without INIM
    every line with value queries waits.  Later lines wait their turn.
CYCL and *RST begin a new cycle at once; the one cut short is not counted.  CONT ON does not:
    the phase is the device's own, the first message comes at the end of that cycle.
ACTN takes the rest of its line; its commands run, and make errors, at the end of each cycle.
Replies: ASCII fields are joined by `;`, also the channels of one query.  UTRMS?;P? is UTRMS of
    all channels, then P.  PACKED blocks: `#500024` (one) or `#14` (each).  Texts stay text in
    PACKED, set off by `;`.  A line without answers has no reply.  A command in error is
    skipped and the rest of its line runs.
ERRALL? empties the queue (20 entries): `code,"text"` joined by commas, or `0,"No error"`.
Output goes out at once (no baud rate), to nobody while no peer has the pty open; 64 KiB wait
    for a peer that does not read (RTS/CTS), then whole messages are lost.
Log: `cycle counter realtime sent|lost values...` for each cycle with a message due; realtime
    is the end of the cycle; values are the measured ones in query order, without COUNT?.
"""

import argparse
import collections
import ctypes
import itertools
import os
import re
import select
import signal
import struct
import sys
import termios
import time
import tty

IN_CLOSE, IN_OPEN = 0x18, 0x20
HELD_MAX = 65536
QUEUE_MAX = 20
QUERY = re.compile(r"(UTRMS|ITRMS|P)(\d*)\?|COUNT\?", re.IGNORECASE)
CYCLE_DEFAULT, CYCLE_MIN, CYCLE_MAX = 0.5, 0.05, 60.0
FIELDS = {float: "{:.4E}".format, int: str, str: str, type(None): lambda _: ""}

Moment = collections.namedtuple("Moment", "cycle counter")


class CommandError(Exception):
    """A command that goes to the error queue: code, text."""


def law(name, channel, cycle):
    """The true value of one quantity."""
    volt, ampere, factor = 230.0 + channel, 0.5 * channel, 1 + (cycle % 10) / 100
    return {"UTRMS": volt, "ITRMS": ampere, "P": volt * ampere * factor}[name]


def read(fd):
    try:
        return os.read(fd, 4096)
    except BlockingIOError:
        return b""


class Device:
    """The meter.  Reply items: float (measured), int (counter), None (empty), str (text)."""

    def __init__(self, options, send):
        self.options = options
        self.send = send
        self.errors = []
        self.lines = collections.deque()
        self.job = self.base = None
        self.short = False
        self.ended = 0
        self.reset()

    def reset(self):
        """*RST."""
        self.continuous = self.packed = self.inim = False
        self.buffer = None
        self.action = []
        self.set_cycle(CYCLE_DEFAULT)

    def line_break(self):
        """BREAK."""
        self.continuous = self.packed = self.short = self.inim = False
        self.buffer = self.job = None
        self.lines.clear()

    def set_cycle(self, seconds):
        self.length = seconds * (1 + self.options.drift * 1e-6)
        self.deadline = time.monotonic() + self.length

    def error(self, code, text, unit):
        if len(self.errors) < QUEUE_MAX:
            self.errors.append('%d,"%s;%s"' % (code, text, unit.replace('"', "'")))
        else:
            self.errors[-1] = '-350,"Queue overflow"'

    def work(self):
        """Run waiting lines until one has to wait for the end of the cycle."""
        while self.job or self.lines:
            if not self.job:
                self.job = self.run_line(self.lines.popleft())
            try:
                next(self.job)
                return
            except StopIteration:
                self.job = None

    def run_line(self, line):
        """A generator that runs one line and yields to wait for the end of a cycle."""
        items = []
        units = [unit.strip() for unit in line.split(";") if unit.strip()]
        for number, unit in enumerate(units):
            if self.short and unit.upper() == "ACTN":
                self.action = units[number + 1:]
                break
            while self.is_query(unit) and self.buffer is None:
                yield
            items += self.run_unit(unit, self.buffer)
        if items:
            self.send(self.encode(items))
        if not self.inim:
            self.buffer = None

    def run_unit(self, unit, moment):
        try:
            return self.measure(unit, moment) if self.is_query(unit) else self.command(unit)
        except CommandError as problem:
            self.error(*problem.args, unit)
            return []

    def is_query(self, unit):
        return self.short and QUERY.fullmatch(unit)

    def measure(self, unit, moment):
        name, digits = QUERY.fullmatch(unit).groups()
        if not name:
            return self.count(moment)
        channels = range(1, self.options.channels + 1)
        if digits and int(digits) not in channels:
            raise CommandError(-114, "Header suffix out of range")
        return [law(name.upper(), channel, moment.cycle)
                for channel in ([int(digits)] if digits else channels)]

    def count(self, moment):
        if self.options.count == "error":
            self.error(-113, "Undefined header", "COUNT?")
        return {"works": [moment.counter], "zero": [0], "error": [None], "none": [],
                "stuck": [self.options.start_count % 65536 or 1],
                "values": [moment.counter]}[self.options.count]  # encode() puts the values there

    def command(self, unit):
        head, _, argument = unit.upper().partition(" ")
        argument = argument.strip()
        if head == "*IDN?":
            return [self.options.idn]
        if head == "GTL":
            return []
        if head == "*CLS":
            self.errors = []
        elif head == "*RST":
            self.reset()
        elif re.fullmatch(r":?SYST(EM)?:LANG(UAGE)?", head):
            self.short = self.choice(argument, SHORT=True, SCPI=False)
        elif self.short and head == "ERRALL?":
            taken, self.errors = self.errors, []
            return [",".join(taken) or '0,"No error"']
        elif self.short and head == "INIM":
            self.inim, self.buffer = True, None
        elif self.short and head == "FRMT":
            self.packed = self.choice(argument, ASCII=False, PACKED=True)
        elif self.short and head == "CYCL":
            if not re.fullmatch(r"\+?(\d+\.?\d*|\.\d+)(E[+-]?\d+)?", argument):
                raise CommandError(-104, "Data type error")
            if not CYCLE_MIN <= float(argument) <= CYCLE_MAX:
                raise CommandError(-222, "Data out of range")
            self.set_cycle(float(argument))
        elif self.short and head == "CONT":
            self.continuous = self.choice(argument, ON=True, OFF=False)
            if self.continuous and self.base is None:
                self.base = self.ended
        else:
            raise CommandError(-113, "Undefined header")
        return []

    @staticmethod
    def choice(argument, **known):
        if argument not in known:
            raise CommandError(-224, "Illegal parameter value")
        return known[argument]

    def encode(self, items):
        if self.options.count == "values":
            values = [item for item in items if isinstance(item, float)]
            items = itertools.chain.from_iterable(
                values if isinstance(item, int) else [item] for item in items)
        parts = []
        for is_text, group in itertools.groupby(items, lambda item: isinstance(item, str)):
            if self.packed and not is_text:
                parts.append(self.blocks(group))
            else:
                parts += [FIELDS[type(item)](item).encode() for item in group]
        return b";".join(parts) + b"\n"

    def blocks(self, numbers):
        data = [b"" if item is None else struct.pack("<f", item) for item in numbers]
        if self.options.blocks == "each":
            return b"".join(b"#1%d%s" % (len(value), value) for value in data)
        data = b"".join(data)
        return b"#5%05d%s" % (len(data), data)

    def end_cycle(self):
        at = time.time() + self.deadline - time.monotonic()
        self.deadline += self.length
        self.ended += 1
        moment = Moment(0 if self.base is None else self.ended - self.base,
                        (self.options.start_count + self.ended) % 65536)
        if self.inim or self.job:
            self.buffer = moment
        if self.continuous:
            self.run_action(moment, at)
        self.work()

    def run_action(self, moment, at):
        items = [item for unit in self.action for item in self.run_unit(unit, moment)]
        if not items:
            return
        sent = moment.cycle not in self.options.lose and self.send(self.encode(items))
        if self.options.log:
            values = " ".join("%.9g" % item for item in items if isinstance(item, float))
            self.options.log.write("%d %d %.6f %s %s\n" % (
                *moment, at, "sent" if sent else "lost", values))


class Line:
    """The pty, with the device at its master end."""

    def __init__(self, options):
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        self.name = os.ttyname(self.slave)
        libc = ctypes.CDLL(None, use_errno=True)
        self.watch = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if libc.inotify_add_watch(self.watch, self.name.encode(), IN_OPEN | IN_CLOSE) < 0:
            raise OSError(ctypes.get_errno(), "inotify", self.name)
        self.peers = 0
        self.partial = self.held = b""
        self.device = Device(options, self.send)

    def send(self, message):
        """Take a message for the peer, if any; False where there is no room for it."""
        if not self.peers:
            return True
        if len(self.held) + len(message) > HELD_MAX:
            return False
        self.held += message
        self.flush()
        return True

    def flush(self):
        try:
            while self.held:
                self.held = self.held[os.write(self.master, self.held):]
        except BlockingIOError:
            pass

    def watch_opens(self):
        events = read(self.watch)
        while events:
            _, mask, _, length = struct.unpack_from("iIII", events)
            events = events[16 + length:]
            self.peers = max(self.peers + (1 if mask & IN_OPEN else -1), 0)
            if not self.peers:
                self.held = b""
                termios.tcflush(self.slave, termios.TCIFLUSH)
            elif self.peers == 1 and mask & IN_OPEN:
                self.partial = b""
                self.device.line_break()

    def serve(self):
        while True:
            wait = max(self.device.deadline - time.monotonic(), 0)
            wait = min(wait, 0.02) if self.held else wait
            select.select([self.master, self.watch], [], [], wait)
            # Events after data: an open is always seen before what was written after it.
            data = read(self.master)
            self.watch_opens()
            *lines, self.partial = (self.partial + data).split(b"\n")
            self.device.lines.extend(line.decode("ascii", "replace") for line in lines)
            self.device.work()
            self.flush()
            while self.device.deadline <= time.monotonic():
                self.device.end_cycle()


def parse(arguments):
    parser = argparse.ArgumentParser(description="simulator of an LMG450 on a pty")
    parser.add_argument("--link", required=True, help="symlink to make to the pty")
    parser.add_argument("--count", default="works",
                        choices=["works", "zero", "error", "values", "stuck", "none"])
    parser.add_argument("--blocks", default="one", choices=["one", "each"])
    parser.add_argument("--lose", default=frozenset(), metavar="N,M,...",
                        type=lambda text: frozenset(map(int, text.split(","))))
    parser.add_argument("--channels", type=int, default=4)
    parser.add_argument("--idn", default="ZES ZIMMER,LMG450,SECOND SIMULATOR,1.0")
    parser.add_argument("--start-count", type=int, default=0)
    parser.add_argument("--log", type=lambda path: open(path, "w", buffering=1))
    parser.add_argument("--drift", type=float, default=0.0, metavar="PPM")
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    line = Line(options)
    if os.path.islink(options.link):
        os.unlink(options.link)
    os.symlink(line.name, options.link)
    try:
        print("ready", flush=True)
        line.serve()
    finally:
        if os.path.islink(options.link) and os.readlink(options.link) == line.name:
            os.unlink(options.link)


if __name__ == "__main__":
    main()
