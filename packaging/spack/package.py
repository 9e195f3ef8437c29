# SPDX-License-Identifier: MIT
import os

from spack.package import *


class OmpdLinux(AutotoolsPackage):
    """Explains OpenMP programs that hang or crash, on the shell, in gdb and in lldb."""

    # The archive of the sources lies beside this file, as SHA256SUMS has its sum.
    url = "file://%s/ompd-linux-0.1.0.tar.xz" % os.path.dirname(__file__)
    license("MIT")
    version("0.1.0")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("elfutils@0.188:", type="run")

    def configure_args(self):
        return ["--disable-tests"]

    @run_after("install")
    def join(self):
        mkdirp(self.prefix.lib.elfutils)
        symlink(self.spec["elfutils"].prefix.lib.join("libdw.so.1"),
                self.prefix.lib.elfutils.join("libdw.so.1"))
        filter_file("/usr/bin/python3", self.spec["python"].command.path,
                    self.prefix.bin.ompd, string=True)

    sanity_check_is_file = ["bin/ompd", "bin/ompd-run", "lib/libompd.so", "lib/libompd-hooks.so",
                            "share/ompd/gdb/ompd-gdb.py", "share/ompd/lldb/ompd_lldb.py"]
