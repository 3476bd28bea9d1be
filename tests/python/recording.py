# SPDX-License-Identifier: LGPL-2.1-or-later
"""recording.py HDTRACE: what Python programs record is read again. It prints TAP."""
import asyncio
import math
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import traceback

import hdtrace
from hdtrace import _native


def states_of(project, thread="0"):
    """The states of a thread: (name, depth, attributes)."""
    trace = next(trace for trace in project.traces if trace.node.label == thread)
    names = trace.column_names
    columns = []
    for name in names:
        nulls = trace.nulls(name)
        columns.append([None if nulls is not None and nulls[i] else value
                        for i, value in enumerate(trace.values(name))])
    rows = []
    for row in zip(*columns):
        named = dict(zip(names, row))
        rows.append((named["name"], named["depth"],
                     {name[1:]: value for name, value in named.items()
                      if name[0] == "@" and value is not None
                      and not (isinstance(value, float) and math.isnan(value))}))
    return rows


def recorded(name):
    """The project of a recording that ends now."""
    path = hdtrace.finish()
    assert path == name, path
    subprocess.run([sys.argv[1], "merge", "-q", name], check=True,
                   stdout=subprocess.DEVNULL)
    project = hdtrace.open(name)
    assert subprocess.run([sys.argv[1], "check", "-q", name], check=False,
                          stdout=subprocess.DEVNULL).returncode == 0
    return project


def test_states():
    """states have attributes and nest"""
    hdtrace.record("states", host="h", rank="3")
    with hdtrace.state("outer \u00fc", n=3, x=0.5, who="a<b", big=2**70, yes=True) as outer:
        with hdtrace.state("Nested"):
            outer.set(lost=1)
        outer.set(loss=1e-300)
    try:
        with hdtrace.state("1"):
            raise KeyError
    except KeyError:
        pass
    # Keys and values that go away while they are recorded.
    with hdtrace.state("own") as own:
        class Changes:
            def __str__(self):
                attributes.clear()
                return "1"
        attributes = {"a" + str(1): Changes(), "b" + str(2): Changes()}
        assert _native.put(own._number, attributes)
    hdtrace.event("done & \"x\"")
    project = recorded("states")
    assert project.levels == ("Host", "Rank", "Thread")
    assert project.traces[0].node == "h_3_0"
    assert states_of(project) == [
        ("_Nested", 1, {"name": "Nested"}),
        ("outer__", 0, {"name": "outer \u00fc", "n": 3, "x": 0.5, "who": "a<b",
                        "big": str(2**70), "yes": 1, "loss": 1e-300}),
        ("_1", 0, {"name": "1", "error": "KeyError"}),
        ("own", 0, {"a1": 1, "b2": 1})], states_of(project)
    assert list(project.traces[0].events.values("name")) == ['done & "x"']


def test_functions():
    """traced functions and coroutines are states"""
    hdtrace.record("functions")

    @hdtrace.traced
    def double(number):
        """Doubles."""
        return 2 * number

    @hdtrace.traced("named")
    def fails():
        raise ValueError

    @hdtrace.traced
    async def waits():
        await asyncio.sleep(0.001)
        return 5

    async def both():
        return await asyncio.gather(waits(), waits())

    assert double(4) == 8 and double.__doc__ == "Doubles."
    try:
        fails()
        raise AssertionError
    except ValueError:
        pass
    assert asyncio.run(both()) == [5, 5]
    with hdtrace.state("after"):
        pass
    found = [(name, attributes) for name, _, attributes
             in states_of(recorded("functions"))]
    name = "test_functions."
    assert found == [(name + "double", {}), ("named", {"error": "ValueError"}),
                     (name + "waits", {}), (name + "waits", {}), ("after", {})], found


def test_groups():
    """groups have entries, and power in them is energy of states"""
    hdtrace.record("groups", host="h")
    energy = hdtrace.group("Energy", P="W", n=("", "delta"))
    with hdtrace.state("work"):
        time.sleep(0.05)
    assert _native.write(energy._number, (1.0,)) is False
    energy.write(10, n=3)
    energy.write(n=4)
    for call in (lambda: energy.write(1, 2, 3), lambda: energy.write(q=1)):
        try:
            call()
            raise AssertionError
        except TypeError:
            pass
    project = recorded("groups")
    energy.write(5)
    group = project.group("Energy")
    assert group.node == "h_0" and list(group["n"].values) == [3, 4]
    assert group["P"].values[0] == 10 and math.isnan(group["P"].values[1])
    assert group["P"].unit == "W" and group["n"].kind == "delta"
    assert group["P"].starts[1] == group["P"].times[0]
    region = project.stat(regions="work")["regions"][0]
    assert abs(region["energy"] - 10 * region["duration_s"]) < 1e-6, region
    assert region["energy_unit"] == "J" and region["known_s"] > 0.05, region


def test_threads():
    """each thread has a trace"""
    hdtrace.record("threads")

    def work():
        for i in range(100):
            with hdtrace.state("work", i=i):
                pass

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    project = recorded("threads")
    assert len(project.traces) == 8
    for trace in project.traces:
        assert list(trace.values("@i")) == list(range(100))


def record_child():
    """Record in a child of fork()."""
    with hdtrace.state("child"):
        pass


def test_fork():
    """children of fork() do not harm the recording"""
    hdtrace.record("fork")
    with hdtrace.state("before"):
        pass
    child = multiprocessing.get_context("fork").Process(target=record_child)
    child.start()
    child.join()
    assert child.exitcode == 0
    with hdtrace.state("after"):
        pass
    assert [name for name, _, _ in states_of(recorded("fork"))] == ["before", "after"]


def test_arguments():
    """wrong arguments are refused; nothing else harms the program"""
    for call in (lambda: hdtrace.state("x", end=1), lambda: hdtrace.state("x", **{"\u00fc": 1}),
                 lambda: hdtrace.state("x").set(time=1)):
        try:
            call()
            raise AssertionError
        except ValueError:
            pass
    with hdtrace.state("not recorded any more"):
        pass
    hdtrace.record("deep")
    open_states = [hdtrace.state("s", n=i) for i in range(2000)]
    for item in open_states:
        item.__enter__()
    for item in open_states:
        item.__exit__(None, None, None)
    with hdtrace.state("a" * 5000):
        pass
    with hdtrace.state(""):
        pass
    assert _native.put(0, {"a": 1}) is False and _native.write(99, (1.0,)) is False
    _native.end(2**63)
    try:
        hdtrace.record("deep")
        raise AssertionError
    except RuntimeError:
        pass
    found = states_of(recorded("deep"))
    assert len(found) == 902, len(found)
    assert found[-2][0] == "a" * 255 and found[-2][2] == {"name": "a" * 5000}


def test_files():
    """a project that cannot be written is said once, and the program goes on"""
    done = subprocess.run(
        [sys.executable, "-c", "import hdtrace\nhdtrace.record('/proc/no/x')\n"
         "for i in range(3):\n    with hdtrace.state('s'):\n        print(i)"],
        capture_output=True, text=True, check=True)
    assert done.stdout == "0\n1\n2\n" and done.stderr.count("\n") == 1, done


def profiled(decide, call):
    """Call with the profile of this thread."""
    _native.profile_start(decide)
    sys.setprofile(_native.profile)
    try:
        call()
    finally:
        sys.setprofile(None)
        _native.profile_stop()


def test_profile():
    """decisions about functions outlast what other threads do meanwhile"""
    hdtrace.record("profile")
    asked = []

    def outer():
        pass

    def fill():
        sys.setprofile(_native.profile)
        names = {}
        for i in range(1000):
            exec(f"def f{i}(): pass\nf{i}()", names)
        sys.setprofile(None)

    def decide(code, _):
        asked.append(code.co_name)
        if code is outer.__code__:
            thread = threading.Thread(target=fill)
            thread.start()
            thread.join()
            return "outer"
        return None

    def decide_end(code, _):
        _native.profile_stop()
        return code.co_name

    profiled(decide, outer)
    assert len(asked) > 1000 and asked.count("outer") == 1, asked.count("outer")
    profiled(decide_end, outer)
    assert [name for name, _, _ in states_of(recorded("profile"))] == ["outer"]


def test_depth():
    """calls that are too deep to be recorded leave others their states"""
    hdtrace.record("depth")

    def inner():
        pass

    def outer(depth):
        if depth > 0:
            outer(depth - 1)
        if depth == 990:
            inner()

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(5000)
    for _ in range(2):
        profiled(lambda code, _: code.co_name.replace("<lambda>", "") or None,
                 lambda: outer(1000))
    sys.setrecursionlimit(limit)
    found = states_of(recorded("depth"))
    assert [state[:2] for state in found if state[0] == "inner"] == [("inner", 11)] * 2
    assert found[-1][:2] == ("outer", 0)


def test_directory():
    """the project stays where it began when the directory changes"""
    before = os.getcwd()
    for prefix, name in (("", "moved"), ("dir/", "prefixed")):
        os.makedirs("dir", exist_ok=True)
        os.environ["HDTRACE_PREFIX"] = prefix
        hdtrace.record(name)
        os.chdir("dir")
        try:
            with hdtrace.state("s"):
                pass
            path = hdtrace.finish()
        finally:
            os.chdir(before)
            del os.environ["HDTRACE_PREFIX"]
        assert path == (os.path.join(before, name) if not prefix else name), path
        subprocess.run([sys.argv[1], "merge", "-q", prefix + name], check=True,
                       stdout=subprocess.DEVNULL)
        assert [state[0] for state in states_of(hdtrace.open(prefix + name))] == ["s"]


def test_run():
    """python3 -m hdtrace run records the functions of a program"""
    os.makedirs("program", exist_ok=True)
    with open("program/main.py", "w", encoding="utf-8") as file:
        file.write("import sys, json, helper\n"
                   "class Net:\n    def fit(self):\n        return (lambda: 1)()\n"
                   "for i in range(5): Net().fit()\n"
                   "helper.help(json.dumps([1]))\n"
                   "print(sys.argv[1:], __name__)\nsys.exit(7)\n")
    with open("program/helper.py", "w", encoding="utf-8") as file:
        file.write("def help(text):\n    return numbers(3)\n"
                   "def numbers(n):\n    return list(yields(n))\n"
                   "def yields(n):\n    for i in range(n): yield i\n")

    def run(*words):
        return subprocess.run([sys.executable, "-m", "hdtrace", "run", *words],
                              capture_output=True, text=True, check=False)

    done = run("-p", "run", "program/main.py", "-x", "y")
    assert done.returncode == 7 and done.stdout == "['-x', 'y'] __main__\n", done
    assert "19 calls recorded; each took " in done.stderr, done.stderr
    names = [name for name, _, _ in states_of(hdtrace.open("run"))]
    assert names == ["helper", "Net"] + ["Net.fit.lambda", "Net.fit"] * 5 + \
        ["helper.yields"] * 4 + ["helper.numbers", "helper.help", "main"], names
    done = run("-q", "-p", "filtered", "--module=help*", "program/main.py")
    assert done.stderr == "" and done.returncode == 7, done
    names = {name for name, _, _ in states_of(hdtrace.open("filtered"))}
    assert names == {"helper", "helper.yields", "helper.numbers", "helper.help"}, names
    done = run("program/main.py")
    assert done.returncode == 7 and "project: main\n" in done.stderr, done
    assert run("program/none.py").returncode == 1
    assert run().returncode == 2


def main():
    """Run the tests."""
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - {test.__doc__}", flush=True)
        except Exception:  # The next test runs, too.
            _native.stop()
            print(f"not ok {number} - {test.__doc__}")
            print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
    print(f"1..{len(tests)}")


main()
