# SPDX-License-Identifier: LGPL-2.1-or-later
"""Read what hdtrace plot drew of several projects as SVG: plotseveral.py SVG.
Prints when each time line is in which state, by the colours of the legend, what
each curve has from when to when, and which labels of the last panel have one
colour; times in s since the start of the first project."""
import sys

from plot import SVG, Picture, panels_of, points_of


def whole(value):
    """A number that is known to be whole, as text."""
    return str(round(value))


def spans_of(picture, paths):
    """From when to when something is drawn."""
    places = [x for path in paths for x, _ in points_of(path)]
    return [whole(picture.time.value(at) / 1e9)
            for at in (min(places), max(places))]


def states_of(picture):
    """Of each time line its states, by their start."""
    legend = [group for group in picture.root.findall(SVG + "g")
              if group.get("class") == "legend"][0]
    names = {box.get("fill"): text.text for box, text in
             zip(legend.findall(SVG + "path"), legend.findall(SVG + "text"))}
    for title, group in picture.titles("states"):
        found = {}
        for path in group.findall(SVG + "path"):
            found.setdefault(names[path.get("fill")], []).append(path)
        spans = [(name, *spans_of(picture, paths))
                 for name, paths in found.items()]
        # Of less than half a second only a border is here.
        spans = [span for span in spans if span[1] != span[2]]
        spans.sort(key=lambda span: int(span[1]))
        print(f"states {title}:", ", ".join(" ".join(span) for span in spans))


def steps_of(picture, axis, lines):
    """What a curve has, as from, to and value; what is the same is one."""
    found = []
    for line in lines:
        points = points_of(line)
        for (x0, y), (x1, _) in zip(points[0::2], points[1::2]):
            start, end = (whole(picture.time.value(x) / 1e9) for x in (x0, x1))
            value = whole(axis.value(y))
            if found and found[-1][1:] == [start, value]:
                found[-1][1] = end
            else:
                found.append([start, end, value])
    return found


def main(path):
    """Print all of a picture."""
    picture = Picture(path, 0)
    colours = None
    states_of(picture)
    for name, _, _, axis, curves in panels_of(picture):
        for label, lines, _ in curves:
            steps = steps_of(picture, axis, lines)
            print(f"{name} {label}:", ", ".join(map(" ".join, steps)))
        colours = {}
        for label, lines, _ in curves:
            colours.setdefault(lines[0].get("stroke"), []).append(label)
    for labels in (colours or {}).values():
        print("one colour:", " ".join(labels))


if __name__ == "__main__":
    main(*sys.argv[1:])
