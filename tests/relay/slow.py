# The relay, with one of its servers slow: a run for tests/gluster/confusion.py.
#
#     slow.py BUILD DIRECTORY FAULT SERVER
#
# Faults are made from outside where that is possible: "disk", the server's option;
# "network", a proxy before the server that lets through a few bytes at a time; "cpu",
# the server is stopped most of the time.
# SPDX-License-Identifier: LGPL-2.1-or-later
import json, os, signal, socket, subprocess, sys, threading, time

SERVERS = 4
CLIENTS = 9
CALLS = int(os.environ.get("HDTRACE_RELAY_CALLS") or 12)
SIZE = "4M"
DELAY_MS = 20
# A network that takes so many bytes at a time, this often.
CHUNK, PAUSE = 64 * 1024, 0.004
# Of so many seconds, one part in which the server may run.
PERIOD, RUNS = 0.05, 0.15


def copy(source, target):
    try:
        while True:
            data = source.recv(CHUNK)
            if not data:
                break
            time.sleep(PAUSE)
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def small(end):
    """What is on the way is to wait for us, and not in buffers of the kernel."""
    for which in socket.SO_RCVBUF, socket.SO_SNDBUF:
        end.setsockopt(socket.SOL_SOCKET, which, CHUNK)
    return end


def proxy(port):
    """A port before another one, that is slow."""
    listener = small(socket.socket())
    listener.bind(("127.0.0.1", 0))
    listener.listen()

    def serve():
        while True:
            near = listener.accept()[0]
            far = small(socket.socket())
            far.connect(("127.0.0.1", port))
            for ends in (near, far), (far, near):
                threading.Thread(target=copy, args=ends, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


def stop_mostly(pid, over):
    while not over.is_set():
        os.kill(pid, signal.SIGSTOP)
        over.wait(PERIOD * (1 - RUNS))
        os.kill(pid, signal.SIGCONT)
        over.wait(PERIOD * RUNS)


def end(server):
    """Wait for a server that was told to end; its status."""
    try:
        return server.wait(60)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
        return "killed"


def main():
    build, directory, fault, server = sys.argv[1:]
    relay = os.path.join(build, "doc/examples/relay/relay-")
    os.chdir(directory)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    servers, ports, over, stopper = [], [], threading.Event(), None
    try:
        for i in range(SERVERS):
            os.mkdir(f"s{i}")
            slow = str(i) == server
            servers.append(subprocess.Popen(
                [relay + "server", "--project=p", "--host=h", f"--name=s{i}"] +
                [f"--delay={DELAY_MS}"] * (slow and fault == "disk") + [f"s{i}"],
                stdout=subprocess.PIPE, text=True))
            port = int(servers[i].stdout.readline().split()[-1])
            ports.append(proxy(port) if slow and fault == "network" else port)
            if slow and fault == "cpu":
                stopper = threading.Thread(target=stop_mostly,
                                           args=(servers[i].pid, over))
                stopper.start()
        subprocess.run([relay + "client", "--project=p", "--host=h",
                        f"--clients={CLIENTS}", f"--count={CALLS}", f"--size={SIZE}",
                        "--servers=" + ",".join(f"127.0.0.1:{i}" for i in ports),
                        "write"], check=True, timeout=300)
    finally:
        # Nothing is to end this before all have ended.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        over.set()
        if stopper:
            stopper.join()
        for i in servers:
            i.terminate()
        ended = [end(i) for i in servers]
    assert ended == [0] * SERVERS, ended
    subprocess.run([os.path.join(build, "hdtrace"), "merge", "-q", "p"], check=True)
    print(json.dumps({"project": os.path.join(directory, "p.proj"),
                      "nodes": [f"h_s{i}" for i in range(SERVERS)]}))


main()
