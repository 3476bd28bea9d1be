# SPDX-License-Identifier: LGPL-2.1-or-later
"""Read what hdtrace plot drew as SVG as a person does, by its axes and its
legend, and compare it with the project: plot.py SVG HDTRACE PROJECT [FROM TO]"""
import re
import sys
import xml.etree.ElementTree as tree

import project

SVG = "{http://www.w3.org/2000/svg}"
# Of a point: coordinates are rounded to a hundredth.
NEAR = 0.03
PREFIXES = {"": 1, "n": 1e-9, "\u00b5": 1e-6, "\u03bc": 1e-6, "m": 1e-3,
            "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
SUPERSCRIPTS = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076"
                             "\u2077\u2078\u2079\u207b", "0123456789-")


def points_of(path):
    """The corners of a path of straight lines."""
    points, x, y = [], 0.0, 0.0
    for letter, rest in re.findall(r"([MhvlzZ])([^MhvlzZ]*)", path.get("d")):
        numbers = [float(part) for part in rest.split()]
        if letter == "M":
            x, y = numbers
        elif letter == "h":
            x += numbers[0]
        elif letter == "v":
            y += numbers[0]
        elif letter == "l":
            x, y = x + numbers[0], y + numbers[1]
        else:
            continue
        points.append((x, y))
    return points


def number_of(text):
    """What stands at a mark."""
    return float(text.replace("\u2212", "-"))


class Axis:
    """Where numbers are, by the first and the last mark."""

    def __init__(self, marks, where):
        if len(marks) < 2:
            project.fail(f"{where}: fewer than two marks")
        marks.sort()
        (a, self.first), (b, last) = marks[0], marks[-1]
        self.offset, self.scale = a, (last - self.first) / (b - a)
        for at, value in marks:
            if abs(self.place(value) - at) > NEAR:
                project.fail(f"{where}: {value} is at {at}")

    def value(self, at):
        """The number at a place."""
        return self.first + (at - self.offset) * self.scale

    def place(self, value):
        """The place of a number."""
        return self.offset + (value - self.first) / self.scale


def marks_of(group, coordinate):
    """Marks of an axis: each a black line of 3 points, and its label."""
    marks, at = [], None
    for element in group:
        if element.tag == SVG + "path" and element.get("stroke") == "#000000":
            points = points_of(element)
            length = [abs(points[1][i] - points[0][i]) for i in (0, 1)]
            is_mark = abs(length[1 - coordinate] - 3) < 1e-6
            at = points[0][coordinate] if is_mark else None
        elif element.tag == SVG + "text" and at is not None:
            marks.append((at, number_of(element.text)))
            at = None
    return marks


def factor_of(title, unit):
    """What a number at an axis is worth, by the axis' title."""
    shown = title[title.rindex("(") + 1:-1] if title.endswith(")") else ""
    if shown == unit:
        return 1
    power = re.match("10([\u2070\u00b9\u00b2\u00b3\u2074-\u207b]+)", shown)
    if power:
        return 10.0 ** int(power.group(1).translate(SUPERSCRIPTS))
    for base in (unit, unit[1:]):
        if base and shown.endswith(base) and \
                shown[:-len(base)] in PREFIXES:
            own = unit[:len(unit) - len(base)]
            return PREFIXES[shown[:-len(base)]] / PREFIXES[own]
    return project.fail(f"unit of \"{title}\", which should be \"{unit}\"")


class Picture:
    """What there is to read in an SVG."""

    def __init__(self, path, origin):
        self.root = tree.parse(path).getroot()
        time = self.find("time")[0]
        texts = [text.text for text in time.iter(SVG + "text")]
        unit = re.fullmatch(r"Time \((.*)s\)", texts[-1])
        if not unit:
            project.fail(f"title of the time axis: {texts[-1]}")
        ns = 1e9 * PREFIXES[unit.group(1)]
        self.time = Axis([(at, value * ns + origin)
                          for at, value in marks_of(time, 0)], "time")
        axis = points_of(time.find(SVG + "path"))
        self.left, self.right = axis[0][0], axis[1][0]
        self.bins = int(float(self.root.get("width")[:-2]) * 1.5)
        self.first = self.last = None

    def covers(self, first, last):
        """It must show this time."""
        for at, time in ((self.left, first), (self.right, last)):
            if abs(self.time.place(time) - at) > NEAR:
                project.fail(f"the border at {at} should be {time}")
        self.first, self.last = first, last

    def border(self, number):
        """Where a bin begins."""
        return self.first + (self.last - self.first) * number // self.bins

    def find(self, name):
        """Groups of a kind."""
        return [group for group in self.root.iter(SVG + "g")
                if group.get("class") == name]

    def titles(self, name):
        """Groups of a kind with their titles."""
        return [(group.find(SVG + "title").text, group)
                for group in self.find(name)]


def panels_of(picture):
    """Panels: their names, headings, titles of scales, scales, and curves: the
    label, the lines, and the band if there is one."""
    for name, group in picture.titles("panel"):
        upright = [text.text for text in group.findall(SVG + "text")
                   if text.get("transform")]
        heading = [text.text for text in group.findall(SVG + "text")
                   if not text.get("text-anchor")]
        parts = {"curve": {}, "band": {}}
        for part in group.findall(SVG + "g"):
            if part.get("class") in parts:
                parts[part.get("class")][part.find(SVG + "title").text] = \
                    part.findall(SVG + "path")
        curves = [(label, lines, parts["band"].get(label))
                  for label, lines in parts["curve"].items()]
        yield name, heading, upright[0], Axis(marks_of(group, 1), name), curves


def check_steps(picture, axis, lines, entries):
    """A line that has every entry."""
    found = []
    for line in lines:
        points = points_of(line)
        found += list(zip(points[0::2], points[1::2]))
    if len(found) != len(entries):
        project.fail(f"{len(found)} entries are drawn of {len(entries)}")
    for (start, end), (first, last, value) in zip(found, entries):
        for place, wanted in ((start, first), (end, last)):
            if abs(place[0] - picture.time.place(wanted)) > NEAR or \
                    abs(place[1] - axis.place(value)) > NEAR:
                project.fail(f"{value} at {wanted} is drawn at {place}")


def bins_of(picture, entries):
    """Middle, mean, minimum and maximum of each bin that has entries; the mean
    is None where less than half of the bin is known."""
    bins = [[0.0, 0, []] for _ in range(picture.bins)]
    length = picture.last - picture.first
    for first, last, value in entries:
        at = (first - picture.first) * picture.bins // length
        while at < picture.bins and (picture.border(at) < last or
                                     picture.border(at) <= first):
            inside = min(last, picture.border(at + 1)) - \
                max(first, picture.border(at))
            bins[at][0] += value * max(inside, 0)
            bins[at][1] += max(inside, 0)
            bins[at][2].append(value)
            at += 1
    found = []
    for i, (total, weight, values) in enumerate(bins):
        begin, end = picture.border(i), picture.border(i + 1)
        if weight:
            found.append(((begin + end) / 2,
                          total / weight if 2 * weight >= end - begin else None,
                          min(values), max(values)))
    return found


def check_means(picture, axis, lines, bands, entries):
    """A line of means, and its band from the smallest to the largest value."""
    means, edges = {}, {}
    for found, paths in ((means, lines), (edges, bands)):
        for path in paths:
            for x, y in points_of(path):
                found.setdefault(round(x, 1), []).append(y)

    def is_drawn(found, x, value):
        # Beside it lie others.
        if value is None:
            return True
        return any(abs(y - axis.place(value)) < NEAR
                   for i in (-1, 0, 1)
                   for y in found.get(round(x + i / 10, 1), []))

    for middle, mean, low, high in bins_of(picture, entries):
        x = picture.time.place(middle)
        if not (is_drawn(means, x, mean) and is_drawn(edges, x, low) and
                is_drawn(edges, x, high)):
            project.fail(f"mean {mean}, minimum {low}, maximum {high} are not "
                         f"drawn at {middle}")


def area_of(path):
    """The area inside of a path."""
    points = points_of(path)
    twice = sum(a[0] * b[1] - b[0] * a[1]
                for a, b in zip(points, points[1:] + points[:1]))
    return abs(twice) / 2


def nested(states, levels):
    """The times of the states of a node, by name, down to a level; levels."""
    times, stack, deepest = {}, [], 0
    for _, name, start, end in sorted(states,
                                      key=lambda s: (s[2], -s[3])):
        while stack and stack[-1] <= start:
            stack.pop()
        stack.append(end)
        if len(stack) > levels:
            continue
        deepest = max(deepest, len(stack))
        times[name] = times.get(name, 0) + end - start
    return times, deepest


def check_states(picture, dump, levels):
    """The time of each state is the area of its colour."""
    legend = [group for group in picture.root
              if group.tag == SVG + "g" and group.get("class") == "legend"][0]
    names = {}
    for path, text in zip(legend.findall(SVG + "path"),
                          legend.findall(SVG + "text")):
        names[path.get("fill")] = text.text
    drawn = 0
    for node, group in picture.titles("states"):
        times, deepest = nested([state for state in dump.states
                                 if state[0] == node], levels)
        known = set(names.values())
        wanted = {}
        for name, time in times.items():
            name = name if name in known else "other states"
            wanted[name] = wanted.get(name, 0) + time
        found = {}
        for path in group.findall(SVG + "path"):
            name = names[path.get("fill")]
            found[name] = found.get(name, 0) + area_of(path)
        # Of up to 16 time lines; 8 points is the size of the text.
        height = 0.86 * 1.3 * 8 / max(deepest, 1)
        for name, time in wanted.items():
            shown = found.get(name, 0) / height * picture.time.scale
            near = 2 * (picture.right - picture.left) / picture.bins * \
                picture.time.scale + 0.02 * time
            if abs(shown - time) > near:
                project.fail(f"{node}, {name}: {shown / 1e9} s are drawn of "
                             f"{time / 1e9}")
            drawn += 1
        if set(found) - set(wanted):
            project.fail(f"{node}: {set(found) - set(wanted)} is not there")
    print(f"{drawn} times of states are equal")


def entries_of(dump, label, title):
    """Entries and unit of the curve with a label: NODE, or NODE VALUE; panels
    of a node have that before it, and repeat it if there is one value."""
    wanted = label.replace(" (simulated)", "").split(" ")
    if len(wanted) > 1 and wanted[0] == wanted[1]:
        wanted = wanted[1:]
    found = {}
    for node, group, value, kind, start, end, _, number in dump.values:
        if kind == "STRING" or number != number:
            continue
        if wanted in ([node, value], [node, group, value]) or \
                (wanted == [node] and value == title):
            found.setdefault((node, group, value), []).append(
                (start, end, number))
    if len(found) != 1:
        project.fail(f"curve \"{label}\" of \"{title}\": {list(found)}")
    (key, entries), = found.items()
    unit = dump.units[key]
    if not is_delta(key[2], unit):
        return entries, unit
    return [(start, end, number / (end - start) * 1e9)
            for start, end, number in entries if end > start], \
        "W" if unit == "J" else f"{unit}/s"


def is_delta(name, unit):
    """Whether rates are drawn; by what the specification of the format says
    of files that do not say it."""
    return unit in ("J", "packets") or (
        not unit.endswith("/s") and
        re.match("(NET|HDD)[_ ](IN|OUT|READ|WRITE)", name) is not None)


def main(path, hdtrace, name, start=None, end=None):
    """Compare a picture with a project."""
    every = project.Dump(hdtrace, name)
    origin = min([value[4] for value in every.values] +
                 [state[2] for state in every.states] +
                 [event[2] for event in every.events])
    picture = Picture(path, origin)
    dump = project.Dump(hdtrace, name,
                        *([f"--from={start}", f"--to={end}"] if start else []))
    first = min([value[4] for value in dump.values] +
                [state[2] for state in dump.states])
    last = max([value[5] for value in dump.values] +
               [state[3] for state in dump.states])
    if start:
        first = origin + round(float(start) * 1e9)
        last = origin + round(float(end) * 1e9)
    picture.covers(first, last)
    dump.states = [(node, state, max(begin, first), min(stop, last))
                   for node, state, begin, stop in dump.states]
    curves = 0
    for title, heading, scale, axis, group in panels_of(picture):
        for label, lines, bands in group:
            entries, unit = entries_of(dump,
                                       " ".join(heading + [label]), title)
            axis_of = Axis.__new__(Axis)
            factor = factor_of(scale, unit)
            axis_of.offset, axis_of.first = axis.offset, axis.first * factor
            axis_of.scale = axis.scale * factor
            entries = [(max(begin, first), min(stop, last), value)
                       for begin, stop, value in entries]
            if bands:
                check_means(picture, axis_of, lines, bands, entries)
            else:
                check_steps(picture, axis_of, lines, entries)
            curves += 1
    if not curves:
        project.fail("no curves")
    print(f"{curves} curves are equal")
    if picture.find("states"):
        check_states(picture, dump, 2)


if __name__ == "__main__":
    main(*sys.argv[1:])
