#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Evaluate a recipe as its package manager does, with functions that record:

    packaging.py spack|easybuild FILE VERSION
"""
import ast
import sys
import types


def fail(text):
    sys.exit("# " + text)


class Spec:
    """A spec of Spack that satisfies some texts."""

    def __init__(self, *texts):
        self.texts = texts

    def satisfies(self, text):
        return text in self.texts


def spack(path, version):
    """Run the class body with the directives of Spack, and its methods."""
    calls = {}

    def directive(name):
        def record(*args, **options):
            calls.setdefault(name, []).append((args, options))

        return record

    module = types.ModuleType("spack.package")
    for name in ("license", "version", "variant", "depends_on", "conflicts"):
        setattr(module, name, directive(name))

    class AutotoolsPackage:
        def enable_or_disable(self, name):
            return ["--enable-" + name]

    module.AutotoolsPackage = AutotoolsPackage
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = module
    names = {}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), names)
    package = names["Hdtrace"]()
    if calls["version"][0][0] != (version,):
        fail("version %s; expected %s" % (calls["version"], version))
    variants = {args[0] for args, _ in calls["variant"]}
    for _, options in calls["depends_on"]:
        when = options.get("when", "").lstrip("+~")
        if when and when not in variants:
            fail("condition of no variant: " + when)
    for spec, expected in (
        (Spec("~mpi"), "--with-mpi=no"),
        (Spec("^[virtuals=mpi] openmpi"), "--with-mpi=openmpi"),
        (Spec(), "--with-mpi=mpich"),
    ):
        package.spec = spec
        if expected not in package.configure_args():
            fail("configure_args() lacks " + expected)


def easybuild(path, version):
    """An EasyBuild file has assignments only."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for node in ast.parse(text, path).body:
        if not isinstance(node, ast.Assign):
            fail("line %d: not an assignment" % node.lineno)
    names = {}
    exec(compile(text, path, "exec"), names)
    for name in (
        "easyblock", "name", "version", "homepage", "description", "toolchain",
        "sources", "sanity_check_paths", "moduleclass",
    ):
        if name not in names:
            fail("missing: " + name)
    if names["version"] != version or version not in path:
        fail("version %s; expected %s" % (names["version"], version))
    if not set(names["toolchain"]) == {"name", "version"}:
        fail("the toolchain needs name and version")


{"spack": spack, "easybuild": easybuild}[sys.argv[1]](sys.argv[2], sys.argv[3])
