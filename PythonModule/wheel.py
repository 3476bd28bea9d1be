# SPDX-License-Identifier: LGPL-2.1-or-later
"""wheel.py VERSION LICENCE FOLDER [OUTPUT]: make a wheel of the package in FOLDER/hdtrace.

The module uses Python's limited API, so the wheel is for all versions from 3.11 on. It
needs the libraries of this system (GLib, libxml2), so its platform is linux_MACHINE, and
not manylinux: auditwheel, which would add them, is not in Debian.
"""
import base64
import hashlib
import os
import platform
import sys
import zipfile

METADATA = """Metadata-Version: 2.1
Name: hdtrace
Version: {version}
Summary: HDTrace projects in NumPy, pandas and Arrow, and Python programs traced
License: LGPL-2.1-or-later
Requires-Python: >=3.11
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
"""
WHEEL = """Wheel-Version: 1.0
Generator: hdtrace ({version})
Root-Is-Purelib: false
Tag: {tag}
"""


def digest(data):
    """The hash of a file as RECORD has it."""
    hashed = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return "sha256=" + hashed.rstrip(b"=").decode()


def main():
    """Write the wheel."""
    version, licence, folder, *output = sys.argv[1:]
    tag = f"cp311-abi3-linux_{platform.machine()}"
    info = f"hdtrace-{version}.dist-info"
    files = {}
    package = os.path.join(folder, "hdtrace")
    for name in sorted(os.listdir(package)):
        path = os.path.join(package, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                files[f"hdtrace/{name}"] = file.read()
    with open(licence, "rb") as file:
        files[f"{info}/COPYING"] = file.read()
    files[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(version=version, tag=tag).encode()
    record = "".join(f"{name},{digest(data)},{len(data)}\n"
                     for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = os.path.join(*output, f"hdtrace-{version}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            mode = 0o755 if name.endswith(".so") else 0o644
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    print(f"{path}: for this system only; it needs GLib and libxml2")


main()
