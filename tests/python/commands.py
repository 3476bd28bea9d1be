# SPDX-License-Identifier: LGPL-2.1-or-later
"""commands.py HDTRACE: results of commands, in the project mini in this directory; and the
examples in the texts of the package. It prints TAP."""
import doctest
import json
import os
import subprocess
import sys
import traceback
import xml.etree.ElementTree as tree

import hdtrace
from hdtrace import _commands, _error, _project, _recording, _tables


def command(*words):
    """The JSON that a command prints."""
    done = subprocess.run([sys.argv[1], *words, "--format=json", "-q"],
                          stdout=subprocess.PIPE, check=False)
    assert done.returncode in (0, 1), done.returncode
    return json.loads(done.stdout)


def raises(call):
    """The error that a call raises."""
    try:
        call()
    except hdtrace.Error as error:
        return error
    raise AssertionError("no error")


def test_equal():
    """dictionaries are the JSON of the commands"""
    path = os.path.abspath("mini")
    project = hdtrace.open("mini")
    assert project.report() == command("report", path)
    assert project.report(top=1, attribution="cpu") == \
        command("report", "--top=1", "--attribution=cpu", path)
    assert project.stat(value=["P"]) == command("stat", "--value=P", path)
    assert project.compare(project) == command("compare", path, path)
    assert project.compare("mini")["schema"] == "hdtrace-compare"
    findings = project.findings()
    assert findings["findings"] == project.report()["findings"]
    assert list(findings)[:4] == ["schema", "version", "project", "findings"]
    assert "contains no levels" in raises(project.loads).text


def test_selection():
    """commands select what the project selects"""
    path = os.path.abspath("mini")
    project = hdtrace.open("mini", from_=1, to="3s", nodes="alpha")
    begin = hdtrace.open("mini").start
    times = [f"--{name}=@{ns // 10**9}.{ns % 10**9:09d}" for name, ns
             in (("from", begin + 10**9), ("to", begin + 3 * 10**9))]
    assert project.stat() == command("stat", "--node=alpha", *times, path)
    assert project.stat(node="beta") == command("stat", "--node=beta", *times, path)
    part = hdtrace.open("mini", from_=1, to="3s")
    assert part.report() == command("report", *times, path)
    whole = hdtrace.open("mini")
    for call in (project.report, project.findings, lambda: part.compare(whole),
                 lambda: whole.compare(project), lambda: project.compare("mini")):
        try:
            call()
            raise AssertionError
        except ValueError:
            pass


def test_errors():
    """failures of commands are errors with their message"""
    error = raises(lambda: hdtrace.open("mini").report(nonsense=True))
    assert 'unknown option: "--nonsense"' in error.text, error
    assert error.path.endswith("mini")
    raises(lambda: hdtrace.open("mini").compare("nothing"))


def test_pictures():
    """plots are SVG, as hdtrace plot draws it"""
    picture = hdtrace.open("mini").plot("P", states=True)
    root = tree.fromstring(picture._repr_svg_().encode())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    drawn = subprocess.run([sys.argv[1], "plot", "-q", "--value=P", "--states=below",
                            "--output=-", os.path.abspath("mini")],
                           stdout=subprocess.PIPE, check=True).stdout
    assert drawn.decode() == picture
    picture.save("picture.svg")
    assert os.path.getsize("picture.svg") == len(drawn)


def test_notebooks():
    """notebooks get tables of valid HTML"""
    project = hdtrace.open("mini")
    project.diagnostics.append(project.diagnostics[0] if project.diagnostics else
                               hdtrace.Diagnostic("<f>", 1, 2, "a & b"))
    for item in (project, project.report(), project.findings(), project.stat()):
        text = item._repr_html_()
        root = tree.fromstring(f"<div>{text}</div>")
        assert root.findall(".//td"), text
    text = _commands.table_html("<t>", [{"a<": "b&", "n": None, "d": {"<": 1}}] * 12)
    assert "2 more rows" in text and tree.fromstring(f"<p>{text}</p>")


def test_examples():
    """examples in texts of the package are right"""
    for module in (_commands, _error, _project, _recording, _tables):
        result = doctest.testmod(module)
        assert result.failed == 0, module
    assert doctest.testmod(_commands).attempted > 0


def main():
    """Run the tests."""
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - {test.__doc__}")
        except Exception:  # The next test runs, too.
            print(f"not ok {number} - {test.__doc__}")
            print("# " + traceback.format_exc().replace("\n", "\n# "))
    print(f"1..{len(tests)}")


main()
