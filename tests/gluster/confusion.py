# Whom hdtrace diagnose names, where it is known who is slow: many runs of a program
# with servers, each with one server made slow in one way, or none. Says whom it named
# as a table, and fails where that falls short.
#
#     confusion.py --hdtrace=PROGRAM --servers=N --faults=FAULT:LAYER+LAYER,...
#                  [--rounds=N] [--controls=N] [--miss=N] [--keep=DIR] [--table=FILE]
#                  [--timeout=SECONDS] -- COMMAND...
#
# COMMAND is called with three more arguments, an empty directory, a fault ("none"
# for a run without), and the number of a server from 0 ("-" for none). It runs the
# program once, and prints as its last line what it has recorded, as JSON:
#
#     {"project": "PATH.proj", "nodes": ["h_s0", "h_s1"]}
#
# with the node of each server; "how" may say by which means a fault was made. It is
# told to end by SIGTERM if it takes longer than SECONDS (600), and killed a minute
# later. "*" as the layers of a fault takes any.
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse, collections, json, os, random, shutil, subprocess, sys, tempfile


def options():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--hdtrace", required=True)
    parser.add_argument("--servers", type=int, required=True)
    parser.add_argument("--faults", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--controls", type=int, default=20)
    parser.add_argument("--miss", type=int, default=0, help="so many may be wrong")
    parser.add_argument("--keep", help="keep what was recorded in wrong runs there")
    parser.add_argument("--timeout", type=float, default=600, help="of a run, in s")
    parser.add_argument("--table", help="write the table there, too")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def diagnose(hdtrace, project):
    """The verdicts, the worst first."""
    result = subprocess.run([hdtrace, "diagnose", "--format=json", "--top=0", "-q",
                             project], stdout=subprocess.PIPE)
    assert result.returncode in (0, 1), (project, result.returncode)
    found = json.loads(result.stdout)
    assert found["schema"] == "hdtrace-diagnose", found
    assert found["found"] == bool(found["verdicts"]), found
    return found["verdicts"]


def run_command(given, arguments):
    """Run the command: (status, output). It is ended with us, and where it takes too
    long; it may have to clean up."""
    with subprocess.Popen(given.command + arguments, stdout=subprocess.PIPE,
                          text=True) as process:
        try:
            output = process.communicate(timeout=given.timeout)[0]
        except subprocess.TimeoutExpired:
            print("the run takes too long", flush=True)
            stop(process)
            return "timeout", ""
        except BaseException:
            stop(process)
            raise
        return process.returncode, output


def stop(process):
    process.terminate()
    try:
        process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def once(given, directory, fault, server):
    """Run it, and say whom it named: (outcome, text)."""
    status, output = run_command(given, [directory, fault, str(server)])
    if status != 0:
        return "no run", f"exit status {status}"
    run = json.loads(output.strip().splitlines()[-1])
    if run.get("how"):
        given.how[fault].add(run["how"])
    verdicts = diagnose(given.hdtrace, run["project"])
    text = "; ".join(f"{i['node']} {i['layer']} {i['ratio'] or 0:.1f}"
                     for i in verdicts) or "nobody"
    if not verdicts:
        return "nobody", text
    if fault == "none":
        return "somebody", text
    first = verdicts[0]
    if first["node"] != run["nodes"][server]:
        return "another server", text
    if "*" in given.layers[fault] or first["layer"] in given.layers[fault]:
        return "server and layer", text
    return "server, another layer", text


def plan(given):
    runs = [(fault, server) for fault in given.layers
            for server in range(given.servers)] * given.rounds
    runs += [("none", "-")] * given.controls
    # What the machine does meanwhile is not to fall on one kind of run.
    random.Random(given.seed).shuffle(runs)
    return runs


COLUMNS = ["server and layer", "server, another layer", "another server", "nobody",
           "somebody", "no run"]


def table(given, counts):
    names = list(given.layers) + (["none"] if given.controls else [])
    used = [i for i in COLUMNS if any(counts[j, i] for j in names) or i in COLUMNS[:4]]
    lines = ["| made slow | runs | " + " | ".join(used) + " |",
             "|---|" + "---:|" * (len(used) + 1)]
    for name in names:
        cells = [counts[name, i] for i in used]
        title = name if name != "none" else "nothing"
        if given.how[name]:
            title += f" ({'; '.join(sorted(given.how[name]))})"
        lines.append(f"| {title} | {sum(cells)} | " +
                     " | ".join(str(i) for i in cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    given = options()
    given.layers = dict((i.split(":", 1)[0], i.split(":", 1)[1].split("+"))
                        for i in given.faults.split(","))
    if given.seed is None:
        given.seed = int(os.environ.get("HDTRACE_TEST_SEED") or
                         random.SystemRandom().randrange(1 << 31))
    print("HDTRACE_TEST_SEED", given.seed)
    counts = collections.Counter()
    given.how = collections.defaultdict(set)
    wrong = 0
    runs = plan(given)
    for number, (fault, server) in enumerate(runs, 1):
        directory = tempfile.mkdtemp(prefix="confusion-")
        try:
            outcome, text = once(given, directory, fault, server)
            counts[fault, outcome] += 1
            good = outcome == ("nobody" if fault == "none" else "server and layer")
            wrong += not good
            print(f"{number}/{len(runs)} {fault} {server}: "
                  f"{'' if good else 'WRONG: '}{text}", flush=True)
            if not good and given.keep:
                shutil.copytree(directory, os.path.join(given.keep, f"run{number}"))
        finally:
            shutil.rmtree(directory, ignore_errors=True)
    text = table(given, counts)
    print(text, end="")
    if given.table:
        with open(given.table, "w") as file:
            file.write(text)
    if wrong > given.miss:
        print(f"{wrong} of {len(runs)} are wrong, {given.miss} may be")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
