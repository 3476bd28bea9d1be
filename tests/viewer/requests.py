#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ask what hdtrace view serves, as pages of others and attackers would, too:

    requests.py URL

The project must have the group s0, the traces t0 and t1, and messages.
"""
import re
import socket
import sys
import time

URL = sys.argv[1]
HOST, PORT, TOKEN = re.fullmatch(r"http://([^:/]+):(\d+)/(\w+)/", URL).groups()
BASE = f"/{TOKEN}/"
OWN = f"{HOST}:{PORT}"
failures = 0


def send(data, waits=True):
    """Send bytes; returns all that comes back."""
    with socket.create_connection((HOST, int(PORT)), timeout=120) as peer:
        answer = b""
        try:
            peer.sendall(data)
            while waits and (some := peer.recv(1 << 16)):
                answer += some
        except (ConnectionResetError, BrokenPipeError):
            pass
        return answer


def request(path, method="GET", host=OWN, version="HTTP/1.1", **fields):
    """Bytes of a request; underscores in names of fields are dashes."""
    lines = [f"{method} {path} {version}"]
    if host is not None:
        lines.append(f"Host: {host}")
    lines += [f"{name.replace('_', '-')}: {value}"
              for name, value in fields.items()]
    return "\r\n".join(lines + ["Connection: close", "", ""]).encode()


def fail(text):
    global failures
    failures += 1
    print(text)


def check(what, data, *statuses):
    """Expect one of some status codes; 0 is no answer. Returns the answer."""
    answer = send(data)
    found = re.match(rb"HTTP/1\.[01] (\d+) ", answer)
    status = int(found[1]) if found else 0
    if status not in statuses:
        fail(f"{what}: {status}, not {statuses}")
    if status not in (0, 200) and b"mini" in answer:
        fail(f"{what}: tells something of the project")
    return answer


def paths(status, *names):
    for name in names:
        check(name, request(name), status)


# The page, and what protects it.
page = check("page", request(BASE), 200)
head, body = page.split(b"\r\n\r\n", 1)
for line in [b"text/html", b"no-store", b"nosniff", b"Referrer-Policy: no-",
             b"X-Frame-Options: DENY", b"frame-ancestors 'none'"]:
    if line not in head:
        fail(f"the header lacks {line}")
if b"connect-src 'self'" not in body or b'id="meta"' not in body:
    fail("not the page")
empty = check("HEAD", request(BASE, "HEAD"), 200)
if not empty.endswith(b"\r\n\r\n"):
    fail("HEAD has a body")

# Tokens.
wrong = ("0" if TOKEN[0] != "0" else "1") + TOKEN[1:]
paths(404, "/", f"/{wrong}/", f"/{TOKEN[:-1]}/", f"/{TOKEN}", f"/{TOKEN}0/",
      f"//{TOKEN}/", f"/{TOKEN[:-1]}", f"/{wrong}/track?id=s0", "/progress",
      f"/x/{TOKEN}/", f"/%00{TOKEN}/")

# Who may ask: not a page of others, under whatever name (DNS rebinding).
for host, status in [(OWN, 200), (f"localhost:{PORT}", 200),
                     (f"LOCALHOST:{PORT}", 200), (HOST, 403),
                     ("evil.example", 403), (f"evil.example:{PORT}", 403),
                     (f"127.0.0.1.evil.example:{PORT}", 403), ("", 403),
                     (f"{HOST}:1", 403), (f"{OWN}0", 403)]:
    check(f"Host: {host}", request(BASE, host=host), status)
check("no host", request(BASE, host=None), 400, 403)
check("no host, HTTP/1.0", request(BASE, host=None, version="HTTP/1.0"), 403)
for origin, status in [(f"http://{OWN}", 200), ("null", 403),
                       ("https://evil.example", 403), (f"https://{OWN}", 403),
                       (f"http://{OWN}.evil.example", 403)]:
    check(f"Origin: {origin}", request(BASE, Origin=origin), status)
for site, dest, status in [("same-origin", "empty", 200),
                           ("none", "document", 200),
                           ("cross-site", "document", 200),
                           ("cross-site", "empty", 403),
                           ("cross-site", "script", 403),
                           ("same-site", "iframe", 403)]:
    check(f"Sec-Fetch-Site: {site}, {dest}",
          request(BASE, Sec_Fetch_Site=site, Sec_Fetch_Dest=dest), status)

# Methods.
for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"]:
    check(method, request(BASE, method), 405)
check("POST with a body", request(BASE, "POST", Content_Length=5) + b"abcde",
      405)
check("a body that never comes",
      request(BASE, "POST", Content_Length=1 << 62), 405, 413)

# Notes: only pages of ours may change them.
NOTE = "@1247419294.5..1247419295\t\ta <b> \u202e note".encode()


def change(what, line, status, **fields):
    own = {"Origin": f"http://{OWN}", **fields}
    own = {name: value for name, value in own.items() if value is not None}
    return check(f"{what}: {line[:40]!r}",
                 request(f"{BASE}notes?do={what}", "POST",
                         Content_Length=len(line), **own) + line, status)


for fields in [{"Origin": None}, {"Origin": "null"}, {"Origin": "https://evil.example"},
               {"host": "evil.example"}, {"Sec_Fetch_Site": "cross-site"}]:
    change("add", NOTE, 403, **fields)
check("notes without the token",
      request(f"/{wrong}/notes?do=add", "POST", Origin=f"http://{OWN}",
              Content_Length=len(NOTE)) + NOTE, 405)
for line in [b"", b"no note", b"@1\ttext", b"@x\t\ttext", b"@2..1\t\ttext", b"@1\t\t",
             b"@1\t\ta\nb", b"@1\t\ta\tb", b"@1\ta\x01\tb", b"@1\t\t\xff", b"1\t\ttext",
             b"@1\t\t" + b"x" * 17000, b"@1\t\t" + b"x" * 1000000]:
    change("add", line, 400)
change("forget", NOTE, 400)
change("remove", NOTE, 409)
for line in [NOTE, b"@5\thost\tother", NOTE]:
    change("add", line, 200)
change("remove", NOTE, 200)
notes = check("notes", request(BASE + "notes"), 200)
if notes.split(b"\r\n\r\n", 1)[1] != b"@5\thost\tother\n" + NOTE + b"\n":
    fail("the notes are not those that were added")
if b"text/plain" not in notes or b"nosniff" not in notes:
    fail("notes are not plain text")

# Data, when it was read.
while b'"isComplete": true' not in send(request(BASE + "progress")):
    time.sleep(0.05)
paths(200, BASE + "progress", BASE + "track?id=s0", BASE + "track?id=t1",
      BASE + "track?id=m0", BASE + "part?at=0&size=1",
      BASE + "entries?id=s0&chunk=0&part=0", BASE + "track?id=s0&id=t99")
paths(404, *[f"{BASE}track?id={name}" for name in [
    "", "s", "s99", "t99", "m1", "x0", "s-1", "s0x", "s1e3", "s+0", "s%200",
    "s99999999999999999999", "0", "%00", "../s0"]])
paths(200, BASE + "states", BASE + "states?from=-5&to=5", BASE + "pairs")
paths(400, *[f"{BASE}states?{text}" for text in [
    "from=x", "to=", "from=5&to=4", "from=9223372036854775808", "to=1e3"]])
paths(404, BASE + "track", BASE + "track?number=s0")
paths(400, *[f"{BASE}part?{text}" for text in [
    "", "at=0", "size=1", "at=-1&size=1", "at=0&size=-1", "at=x&size=1",
    "at=0&size=", "at=9223372036854775808&size=1", "at=0&size=67108865",
    "at=0x0&size=1", "at=0&size=99999999999999999999"]])
paths(404, *[f"{BASE}part?{text}" for text in [
    "at=1000000000000&size=1", "at=9223372036854775807&size=67108864",
    "at=0&size=67108864"]])
paths(400, *[f"{BASE}entries?{text}" for text in [
    "", "id=s0", "id=s0&chunk=0", "id=s0&part=0", "id=t0&chunk=0&part=0",
    "id=s99&chunk=0&part=0", "id=s0&chunk=-1&part=0",
    "id=s0&chunk=0&part=4294967296"]])
paths(404, *[f"{BASE}entries?id=s0&{text}" for text in [
    "chunk=99&part=0", "chunk=4294967295&part=0", "chunk=0&part=99"]])

# Paths are no files.
paths(404, *[BASE + name for name in [
    "../", "..%2f..%2f..%2fetc/passwd", "/etc/passwd", "%2e%2e/", "./",
    "track/", "index.html", "favicon.ico", "mini.proj", "%ff%fe",
    "x" * 10000]])
check("absolute", request(f"http://evil.example{BASE}"), 404)
check("no path", request("*", "OPTIONS"), 405)

# What is no request.
for name, data in [
        ("nothing", b""),
        ("bytes", bytes(range(256)) * 16),
        ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        ("a line without end", b"GET /" + b"a" * 1000000),
        ("fields without end", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 100000),
        ("one field, large", request(BASE, X="y" * 1000000)),
        ("bad lengths", request(BASE, Content_Length="-1")),
        ("both lengths", request(BASE, "POST", Content_Length="1",
                                 Transfer_Encoding="chunked")),
        ("bad chunks", request(BASE, "POST", Transfer_Encoding="chunked")
         + b"ffffffffffffffffff\r\n"),
        ("HTTP/9", request(BASE, version="HTTP/9.9"))]:
    if b"mini" in send(data, data.endswith(b"\r\n\r\n")):
        fail(f"{name}: tells something of the project")

# Connections that say nothing, more of them than there may be, do not end it.
idle = [socket.create_connection((HOST, int(PORT))) for _ in range(80)]
for peer in idle:
    peer.close()
for _ in range(200):
    if send(request(BASE + "progress")).startswith(b"HTTP/1.1 200 "):
        break
else:
    fail("no answer any more")

# Only this host can reach it.
listening = set()
for name in ["tcp", "tcp6"]:
    with open(f"/proc/net/{name}", encoding="ascii") as file:
        for line in file.readlines()[1:]:
            address, port = line.split()[1].split(":")
            if line.split()[3] == "0A" and int(port, 16) == int(PORT):
                listening.add(address)
if listening not in ({"0100007F"}, {"7F000001"}):
    fail(f"listens at {listening}")
print(f"{failures} failures")
sys.exit(failures > 0)
