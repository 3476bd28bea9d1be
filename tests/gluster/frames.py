# Operations of all kinds in a directory of a mount.
#
#     frames.py DIRECTORY
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import ctypes, errno, fcntl, os, sys

libc = ctypes.CDLL(None, use_errno=True)
PUNCH, KEEP, ZERO = 2, 1, 16
os.chdir(sys.argv[1])


def fallocate(fd, mode, offset, length):
    if libc.fallocate(fd, mode, ctypes.c_long(offset), ctypes.c_long(length)):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def may(function, *arguments):
    """What not every volume can."""
    try:
        function(*arguments)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL,
                               errno.EXDEV):
            raise


os.makedirs("a/b")
for i in range(12):
    with open(f"a/f{i}", "w+b", buffering=0) as file:
        fd = file.fileno()
        # Two blocks, and a hole.
        os.pwrite(fd, b"x" * 70000, 0)
        os.pwrite(fd, b"y" * 70000, 5 << 20)
        os.pread(fd, 140000, (4 << 20) - 70000)
        may(os.lseek, fd, 100000, os.SEEK_DATA)
        os.fsync(fd)
        os.fdatasync(fd)
        os.fstat(fd)
        os.fchmod(fd, 0o640)
        os.utime(fd, (1, 2))
        os.setxattr(fd, "user.k", b"v")
        os.getxattr(fd, "user.k")
        os.listxattr(fd)
        os.removexattr(fd, "user.k")
        fcntl.lockf(fd, fcntl.LOCK_EX)
        fcntl.lockf(fd, fcntl.LOCK_UN)
        fcntl.flock(fd, fcntl.LOCK_SH)
        may(fallocate, fd, KEEP, 0, 6 << 20)
        may(fallocate, fd, PUNCH | KEEP, 4096, 8192)
        may(fallocate, fd, ZERO, 0, 4096)
        os.ftruncate(fd, 100000)
        with open(f"a/copy{i}", "wb", buffering=0) as copy:
            may(os.copy_file_range, fd, copy.fileno(), 50000)
    os.truncate(f"a/f{i}", 5000)
    os.setxattr(f"a/f{i}", "user.k", b"v")
    os.getxattr(f"a/f{i}", "user.k")
    os.removexattr(f"a/f{i}", "user.k")
    os.chmod(f"a/f{i}", 0o600)
    os.access(f"a/f{i}", os.R_OK | os.W_OK)
    os.link(f"a/f{i}", f"a/l{i}")
    os.symlink(f"f{i}", f"a/s{i}")
    os.readlink(f"a/s{i}")
    os.mkfifo(f"a/p{i}")
    os.rename(f"a/f{i}", f"a/b/g{i}")
    os.rename(f"a/l{i}", f"a/copy{i}")
    os.stat(f"a/b/g{i}")
os.statvfs(".")
top = os.open("a", os.O_RDONLY | os.O_DIRECTORY)
os.fsync(top)
os.listdir(top)
os.close(top)
os.rename("a/b", "a/c")
for i in os.scandir("a"):
    i.stat(follow_symlinks=False)
for path, directories, files in os.walk("a", topdown=False):
    for name in files:
        os.unlink(os.path.join(path, name))
    os.rmdir(path)
