# SPDX-License-Identifier: LGPL-2.1-or-later
"""large.py: time and memory that a group of 10^7 entries takes: make verify-python. The best
of three reads takes at most 1 s of CPU time, and at most 1.1 times the memory of its
columns."""
import os
import subprocess
import sys
import tempfile

ENTRIES = 10**7
CHUNK = 1000
HEADER = b"""<Statistics>
<TopologyNode>
  <Label value="node" />
</TopologyNode>
<Group name="G" timestampDatatype="EPOCH" timeAdjustment="">
  <Value name="P" type="DOUBLE" unit="W" kind="gauge" />
</Group>
</Statistics>
"""
READ = """
import resource, time, hdtrace
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
power = hdtrace.open("g_node_G.stat").groups[0].column("P")
took = time.process_time() - start
print(took, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used) * 1024)
assert len(power) == %d and power.times[-1] == 10**9 * (100 + %d), power
assert power.values[0] == power.values[-1] == 1.0
"""


def write(path):
    """Write the group: an entry each millisecond."""
    chunk = bytearray(16 * CHUNK)
    for i in range(CHUNK):
        chunk[16 * i + 4:16 * i + 16] = (i * 10**6).to_bytes(4, "big") + \
            b"\x3f\xf0\0\0\0\0\0\0"
    with open(path, "wb") as file:
        file.write(b"%05d\n" % len(HEADER) + HEADER)
        file.write((100).to_bytes(4, "big") + bytes(4))
        # The first second has an entry less: the start.
        for second in range(ENTRIES // CHUNK + 1):
            for byte, digit in enumerate((100 + second).to_bytes(4, "big")):
                chunk[byte::16] = bytes([digit]) * CHUNK
            file.write(chunk[16:] if second == 0 else
                       chunk[:16] if second == ENTRIES // CHUNK else chunk)


def main():
    """Measure."""
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        write("g_node_G.stat")
        code = READ % (ENTRIES, ENTRIES // CHUNK)
        runs = [subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE,
                               check=True).stdout.split() for _ in range(3)]
        os.chdir("/")
    seconds = min(float(run[0]) for run in runs)
    columns = 3 * 8 * ENTRIES
    memory = max(int(run[1]) for run in runs) / columns
    print(f"10^7 entries: {seconds:.2f} s of CPU time, {memory:.3f} times the memory of "
          "the columns")
    assert seconds <= 1 and memory <= 1.1


main()
