# A volume of GlusterFS with one of its bricks slow: a run for confusion.py.
#
#     slow.py BUILD DIRECTORY FAULT SERVER
#
# Faults: "disk" and "network", debug/delay-gen (hdgluster try --slow-at); "cpu", a
# quota of processor time for the brick's process by a control group. Where there can
# be none it is stopped most of the time. The run says which it was.
# SPDX-License-Identifier: LGPL-2.1-or-later
import glob, json, os, signal, subprocess, sys, threading, time

BRICKS = 4
PROGRAMS = 9
SIZE = int(os.environ.get("HDTRACE_GLUSTER_SIZE") or 12) << 20
# Of so many us, those in which the brick may use one processor.
PERIOD_US, QUOTA_US = 100000, 2000
# Without control groups: of so many seconds, one part in which the brick may run.
PERIOD, RUNS = 0.05, 0.06
# In files of 1 MiB, whose names spread them evenly over the bricks: of few large
# files one brick would get twice as many blocks as another, and have more to do.
WRITE = """
import os, sys
block = b"x" * (1 << 20)
for i in range(int(sys.argv[1])):
    if os.fork() == 0:
        for j in range(int(sys.argv[2]) // len(block)):
            with open(f"f{i}-{j}", "wb", buffering=0) as file:
                file.write(block)
        os._exit(0)
sys.exit(any(os.wait()[1] for _ in range(int(sys.argv[1]))))
"""


def brick_pid(directory, number):
    """The process of a brick; it names its volume file, below our directory."""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = file.read().decode().split("\0")
        except OSError:
            continue
        if words[0] == "glusterfsd" and any(
                i.startswith(directory) and i.endswith(f"/brick{number}.vol")
                for i in words):
            return int(path.split("/")[2])
    return None


class Stopping:
    """A brick that is stopped most of the time."""
    is_slow = False
    how = f"stopped for {1 - RUNS:.0%} of the time"

    def slow_down(self, pid, over):
        try:
            while not over.is_set():
                os.kill(pid, signal.SIGSTOP)
                self.is_slow = True
                over.wait(PERIOD * (1 - RUNS))
                os.kill(pid, signal.SIGCONT)
                over.wait(PERIOD * RUNS)
        except ProcessLookupError:
            pass

    def close(self):
        pass


class Quota:
    """A control group whose processes get little of one processor."""
    is_slow = False

    def __init__(self, parent, limits, version):
        self.path = os.path.join(parent, f"hdtrace-{os.getpid()}")
        self.how = f"cgroup {version}, {QUOTA_US / PERIOD_US:.0%} of a processor"
        os.mkdir(self.path)
        try:
            for name, text in limits.items():
                self.write(name, text)
        except OSError:
            os.rmdir(self.path)
            raise

    def write(self, name, text):
        with open(os.path.join(self.path, name), "w") as file:
            file.write(str(text))

    def slow_down(self, pid, over):
        self.write("cgroup.procs", pid)
        self.is_slow = True
        over.wait()

    def close(self):
        """Processes are gone a moment after who waited for them knows."""
        for _ in range(500):
            try:
                return os.rmdir(self.path)
            except OSError:
                time.sleep(0.02)
        sys.exit(f"slow.py: {self.path} cannot be removed")


def groups():
    """Where control groups with quotas may be: (directory, limits, version). The
    second version has only what its parents hand down, which is left as it is."""
    with open("/proc/self/cgroup") as file:
        mine = {i.split(":")[1]: i.strip().split(":", 2)[2] for i in file}
    with open("/proc/self/mounts") as file:
        mounts = [i.split() for i in file]
    for _, at, kind, options, *_ in mounts:
        if kind == "cgroup2":
            yield at, {"cpu.max": f"{QUOTA_US} {PERIOD_US}"}, "v2"
        elif kind == "cgroup" and "cpu" in options.split(","):
            own = next((j for i, j in mine.items() if "cpu" in i.split(",")), "/")
            for parent in at + own, at:
                yield parent, {"cpu.cfs_period_us": PERIOD_US,
                               "cpu.cfs_quota_us": QUOTA_US}, "v1"


def limiter():
    for group in groups():
        try:
            return Quota(*group)
        except OSError:
            pass
    return Stopping()


def slow_down(directory, number, limit, over):
    """Once the mount is there, which the first write says."""
    while not over.is_set():
        pid = brick_pid(directory, number)
        if pid and glob.glob(directory + "/hdgluster-*/brick*/f*"):
            return limit.slow_down(pid, over)
        time.sleep(0.02)


def main():
    build, directory, fault, server = sys.argv[1:]
    # Who ends it is to find no control group of ours.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    command = [os.path.join(build, "hdgluster"), "try", f"--bricks={BRICKS}",
               "--project=p", "--directory=" + directory]
    if fault in ("disk", "network"):
        command += [f"--slow={int(server) + 1}", "--slow-at=" + fault]
    over, limit = threading.Event(), None
    if fault == "cpu":
        limit = limiter()
        slower = threading.Thread(target=slow_down,
                                  args=(directory, int(server) + 1, limit, over))
        slower.start()
    try:
        subprocess.run(command + ["--", "python3", "-c", WRITE, str(PROGRAMS),
                                  str(SIZE)], check=True, timeout=300,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env=dict(os.environ, TMPDIR=directory))
    finally:
        over.set()
        if limit:
            slower.join()
            limit.close()
    if limit and not limit.is_slow:
        sys.exit("slow.py: the brick was not slowed down")
    host = os.uname().nodename.replace("_", "-")
    print(json.dumps({"project": os.path.join(directory, "p.proj"),
                      "nodes": [f"{host}_brick{i + 1}" for i in range(BRICKS)],
                      "how": limit.how if limit else None}))


main()
