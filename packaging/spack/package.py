# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spack recipe. Copy it to packages/hdtrace/ of a repository of yours (spack repo
create), and put hdtrace-VERSION.tar.xz (make dist) into the current directory:

    spack install hdtrace+mpi ^openmpi
"""
import os

from spack.package import *


class Hdtrace(AutotoolsPackage):
    """Trace what a parallel program does, how its nodes' resources are used and how
    much power they draw, in one project of trace files."""

    url = "file://{0}/hdtrace-0.1.0.tar.xz".format(os.getcwd())
    manual_download = True

    license("LGPL-2.1-or-later")

    version("0.1.0")

    variant("mpi", default=True, description="Record MPI programs")
    variant("openmp", default=True, description="Record OpenMP programs (OMPT)")
    variant("otf2", default=False, description="Export to OTF2")
    variant("viewer", default=True, description="Serve the viewer and metrics")
    variant("node", default=True, description="hdnode, which watches nodes")
    variant("cairo", default=True, description="Plot as PDF and PNG")
    variant("shared", default=True, description="Build shared libraries")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("glib@2.58:")
    depends_on("libxml2@2.9:")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")
    depends_on("otf2@2.3:", when="+otf2")
    depends_on("libmicrohttpd", when="+viewer")
    depends_on("jansson", when="+node")
    depends_on("gnutls", when="+node")
    depends_on("cairo", when="+cairo")
    depends_on("hwloc", when="+node")
    depends_on("elfutils", when="+mpi")

    conflicts("platform=darwin", msg="HDTrace reads /proc and /sys of Linux")
    conflicts("platform=windows", msg="HDTrace reads /proc and /sys of Linux")

    def configure_args(self):
        args = self.enable_or_disable("shared")
        if self.spec.satisfies("~mpi"):
            args.append("--with-mpi=no")
        elif self.spec.satisfies("^[virtuals=mpi] openmpi"):
            args.append("--with-mpi=openmpi")
        else:
            args.append("--with-mpi=mpich")
        return args
