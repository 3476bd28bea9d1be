/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The operations of GlusterFS 10, each once: everything that has to be said of
 * all of them is made of this table. tests/gluster/xlator-table.c compares it
 * with struct xlator_fops.
 *
 *     FOP(name, INDEX, PARAMETERS, ARGUMENTS, RESULTS, RESULT ARGUMENTS,
 *         ABOUT, NEW)
 *
 * - PARAMETERS of the operation between `this` and `xdata`, and ARGUMENTS that
 *   hand them on; RESULTS are the callback's behind `op_errno`.
 * - ABOUT says what the operation works on: ON_PATH(loc), ON_FILE(fd),
 *   ON_NOTHING, and with it AT(offset), OF(size), LOCKS(blocks: whether it
 * waits for the lock) and MOVES_BYTES (its result is a number of bytes).
 * - NEW is the struct iatt of the result that tells which file was made or
 *   found, or NULL.
 *
 * getspec has no xdata and is no operation on files: it is passed on.
 */
#ifndef HDG_FOPS_H
#define HDG_FOPS_H

/* Lists of one macro argument. */
#define HDG_LIST(...) __VA_ARGS__

#define HDG_FOPS(FOP)                                                          \
	FOP(stat, STAT, HDG_LIST(loc_t *loc), HDG_LIST(loc),                   \
	    HDG_LIST(struct iatt *buf, dict_t *xdata), HDG_LIST(buf, xdata),   \
	    ON_PATH(loc), NULL)                                                \
	FOP(readlink, READLINK, HDG_LIST(loc_t *loc, size_t size),             \
	    HDG_LIST(loc, size),                                               \
	    HDG_LIST(const char *path, struct iatt *buf, dict_t *xdata),       \
	    HDG_LIST(path, buf, xdata), ON_PATH(loc) OF(size), NULL)           \
	FOP(mknod, MKNOD,                                                      \
	    HDG_LIST(loc_t *loc, mode_t mode, dev_t rdev, mode_t umask),       \
	    HDG_LIST(loc, mode, rdev, umask),                                  \
	    HDG_LIST(inode_t *inode, struct iatt *buf, struct iatt *preparent, \
		     struct iatt *postparent, dict_t *xdata),                  \
	    HDG_LIST(inode, buf, preparent, postparent, xdata), ON_PATH(loc),  \
	    buf)                                                               \
	FOP(mkdir, MKDIR, HDG_LIST(loc_t *loc, mode_t mode, mode_t umask),     \
	    HDG_LIST(loc, mode, umask),                                        \
	    HDG_LIST(inode_t *inode, struct iatt *buf, struct iatt *preparent, \
		     struct iatt *postparent, dict_t *xdata),                  \
	    HDG_LIST(inode, buf, preparent, postparent, xdata), ON_PATH(loc),  \
	    buf)                                                               \
	FOP(unlink, UNLINK, HDG_LIST(loc_t *loc, int xflags),                  \
	    HDG_LIST(loc, xflags),                                             \
	    HDG_LIST(struct iatt *preparent, struct iatt *postparent,          \
		     dict_t *xdata),                                           \
	    HDG_LIST(preparent, postparent, xdata), ON_PATH(loc), NULL)        \
	FOP(rmdir, RMDIR, HDG_LIST(loc_t *loc, int xflags),                    \
	    HDG_LIST(loc, xflags),                                             \
	    HDG_LIST(struct iatt *preparent, struct iatt *postparent,          \
		     dict_t *xdata),                                           \
	    HDG_LIST(preparent, postparent, xdata), ON_PATH(loc), NULL)        \
	FOP(symlink, SYMLINK,                                                  \
	    HDG_LIST(const char *linkname, loc_t *loc, mode_t umask),          \
	    HDG_LIST(linkname, loc, umask),                                    \
	    HDG_LIST(inode_t *inode, struct iatt *buf, struct iatt *preparent, \
		     struct iatt *postparent, dict_t *xdata),                  \
	    HDG_LIST(inode, buf, preparent, postparent, xdata), ON_PATH(loc),  \
	    buf)                                                               \
	FOP(rename, RENAME, HDG_LIST(loc_t *oldloc, loc_t *newloc),            \
	    HDG_LIST(oldloc, newloc),                                          \
	    HDG_LIST(struct iatt *buf, struct iatt *preoldparent,              \
		     struct iatt *postoldparent, struct iatt *prenewparent,    \
		     struct iatt *postnewparent, dict_t *xdata),               \
	    HDG_LIST(buf, preoldparent, postoldparent, prenewparent,           \
		     postnewparent, xdata),                                    \
	    ON_PATH(oldloc), NULL)                                             \
	FOP(link, LINK, HDG_LIST(loc_t *oldloc, loc_t *newloc),                \
	    HDG_LIST(oldloc, newloc),                                          \
	    HDG_LIST(inode_t *inode, struct iatt *buf, struct iatt *preparent, \
		     struct iatt *postparent, dict_t *xdata),                  \
	    HDG_LIST(inode, buf, preparent, postparent, xdata),                \
	    ON_PATH(oldloc), buf)                                              \
	FOP(truncate, TRUNCATE, HDG_LIST(loc_t *loc, off_t offset),            \
	    HDG_LIST(loc, offset),                                             \
	    HDG_LIST(struct iatt *prebuf, struct iatt *postbuf,                \
		     dict_t *xdata),                                           \
	    HDG_LIST(prebuf, postbuf, xdata), ON_PATH(loc) AT(offset), NULL)   \
	FOP(open, OPEN, HDG_LIST(loc_t *loc, int32_t flags, fd_t *fd),         \
	    HDG_LIST(loc, flags, fd), HDG_LIST(fd_t *file, dict_t *xdata),     \
	    HDG_LIST(file, xdata), ON_PATH(loc), NULL)                         \
	FOP(readv, READ,                                                       \
	    HDG_LIST(fd_t *fd, size_t size, off_t offset, uint32_t flags),     \
	    HDG_LIST(fd, size, offset, flags),                                 \
	    HDG_LIST(struct iovec *vector, int32_t count, struct iatt *stbuf,  \
		     struct iobref *iobref, dict_t *xdata),                    \
	    HDG_LIST(vector, count, stbuf, iobref, xdata),                     \
	    ON_FILE(fd) AT(offset) OF(size) MOVES_BYTES, NULL)                 \
	FOP(writev, WRITE,                                                     \
	    HDG_LIST(fd_t *fd, struct iovec *vector, int32_t count,            \
		     off_t offset, uint32_t flags, struct iobref *iobref),     \
	    HDG_LIST(fd, vector, count, offset, flags, iobref),                \
	    HDG_LIST(struct iatt *prebuf, struct iatt *postbuf,                \
		     dict_t *xdata),                                           \
	    HDG_LIST(prebuf, postbuf, xdata),                                  \
	    ON_FILE(fd) AT(offset) OF(iov_length(vector, count)) MOVES_BYTES,  \
	    NULL)                                                              \
	FOP(statfs, STATFS, HDG_LIST(loc_t *loc), HDG_LIST(loc),               \
	    HDG_LIST(struct statvfs *buf, dict_t *xdata),                      \
	    HDG_LIST(buf, xdata), ON_PATH(loc), NULL)                          \
	FOP(flush, FLUSH, HDG_LIST(fd_t *fd), HDG_LIST(fd),                    \
	    HDG_LIST(dict_t *xdata), HDG_LIST(xdata), ON_FILE(fd), NULL)       \
	FOP(fsync, FSYNC, HDG_LIST(fd_t *fd, int32_t datasync),                \
	    HDG_LIST(fd, datasync),                                            \
	    HDG_LIST(struct iatt *prebuf, struct iatt *postbuf,                \
		     dict_t *xdata),                                           \
	    HDG_LIST(prebuf, postbuf, xdata), ON_FILE(fd), NULL)               \
	FOP(setxattr, SETXATTR,                                                \
	    HDG_LIST(loc_t *loc, dict_t *dict, int32_t flags),                 \
	    HDG_LIST(loc, dict, flags), HDG_LIST(dict_t *xdata),               \
	    HDG_LIST(xdata), ON_PATH(loc), NULL)                               \
	FOP(getxattr, GETXATTR, HDG_LIST(loc_t *loc, const char *name),        \
	    HDG_LIST(loc, name), HDG_LIST(dict_t *dict, dict_t *xdata),        \
	    HDG_LIST(dict, xdata), ON_PATH(loc), NULL)                         \
	FOP(removexattr, REMOVEXATTR, HDG_LIST(loc_t *loc, const char *name),  \
	    HDG_LIST(loc, name), HDG_LIST(dict_t *xdata), HDG_LIST(xdata),     \
	    ON_PATH(loc), NULL)                                                \
	FOP(opendir, OPENDIR, HDG_LIST(loc_t *loc, fd_t *fd),                  \
	    HDG_LIST(loc, fd), HDG_LIST(fd_t *file, dict_t *xdata),            \
	    HDG_LIST(file, xdata), ON_PATH(loc), NULL)                         \
	FOP(fsyncdir, FSYNCDIR, HDG_LIST(fd_t *fd, int32_t datasync),          \
	    HDG_LIST(fd, datasync), HDG_LIST(dict_t *xdata), HDG_LIST(xdata),  \
	    ON_FILE(fd), NULL)                                                 \
	FOP(access, ACCESS, HDG_LIST(loc_t *loc, int32_t mask),                \
	    HDG_LIST(loc, mask), HDG_LIST(dict_t *xdata), HDG_LIST(xdata),     \
	    ON_PATH(loc), NULL)                                                \
	FOP(create, CREATE,                                                    \
	    HDG_LIST(loc_t *loc, int32_t flags, mode_t mode, mode_t umask,     \
		     fd_t *fd),                                                \
	    HDG_LIST(loc, flags, mode, umask, fd),                             \
	    HDG_LIST(fd_t *file, inode_t *inode, struct iatt *buf,             \
		     struct iatt *preparent, struct iatt *postparent,          \
		     dict_t *xdata),                                           \
	    HDG_LIST(file, inode, buf, preparent, postparent, xdata),          \
	    ON_PATH(loc), buf)                                                 \
	FOP(ftruncate, FTRUNCATE, HDG_LIST(fd_t *fd, off_t offset),            \
	    HDG_LIST(fd, offset),                                              \
	    HDG_LIST(struct iatt *prebuf, struct iatt *postbuf,                \
		     dict_t *xdata),                                           \
	    HDG_LIST(prebuf, postbuf, xdata), ON_FILE(fd) AT(offset), NULL)    \
	FOP(fstat, FSTAT, HDG_LIST(fd_t *fd), HDG_LIST(fd),                    \
	    HDG_LIST(struct iatt *buf, dict_t *xdata), HDG_LIST(buf, xdata),   \
	    ON_FILE(fd), NULL)                                                 \
	FOP(lk, LK, HDG_LIST(fd_t *fd, int32_t cmd, struct gf_flock *flock),   \
	    HDG_LIST(fd, cmd, flock),                                          \
	    HDG_LIST(struct gf_flock *held, dict_t *xdata),                    \
	    HDG_LIST(held, xdata),                                             \
	    ON_FILE(fd) LOCKS(hdgFlockWaits(cmd, flock)), NULL)                \
	FOP(lookup, LOOKUP, HDG_LIST(loc_t *loc), HDG_LIST(loc),               \
	    HDG_LIST(inode_t *inode, struct iatt *buf, dict_t *xdata,          \
		     struct iatt *postparent),                                 \
	    HDG_LIST(inode, buf, xdata, postparent), ON_PATH(loc), buf)        \
	FOP(readdir, READDIR, HDG_LIST(fd_t *fd, size_t size, off_t offset),   \
	    HDG_LIST(fd, size, offset),                                        \
	    HDG_LIST(gf_dirent_t *entries, dict_t *xdata),                     \
	    HDG_LIST(entries, xdata), ON_FILE(fd) AT(offset) OF(size), NULL)   \
	FOP(inodelk, INODELK,                                                  \
	    HDG_LIST(const char *volume, loc_t *loc, int32_t cmd,              \
		     struct gf_flock *flock),                                  \
	    HDG_LIST(volume, loc, cmd, flock), HDG_LIST(dict_t *xdata),        \
	    HDG_LIST(xdata), ON_PATH(loc) LOCKS(hdgFlockWaits(cmd, flock)),    \
	    NULL)                                                              \
	FOP(finodelk, FINODELK,                                                \
	    HDG_LIST(const char *volume, fd_t *fd, int32_t cmd,                \
		     struct gf_flock *flock),                                  \
	    HDG_LIST(volume, fd, cmd, flock), HDG_LIST(dict_t *xdata),         \
	    HDG_LIST(xdata), ON_FILE(fd) LOCKS(hdgFlockWaits(cmd, flock)),     \
	    NULL)                                                              \
	FOP(entrylk, ENTRYLK,                                                  \
	    HDG_LIST(const char *volume, loc_t *loc, const char *basename,     \
		     entrylk_cmd cmd, entrylk_type type),                      \
	    HDG_LIST(volume, loc, basename, cmd, type),                        \
	    HDG_LIST(dict_t *xdata), HDG_LIST(xdata),                          \
	    ON_PATH(loc) LOCKS(cmd == ENTRYLK_LOCK), NULL)                     \
	FOP(fentrylk, FENTRYLK,                                                \
	    HDG_LIST(const char *volume, fd_t *fd, const char *basename,       \
		     entrylk_cmd cmd, entrylk_type type),                      \
	    HDG_LIST(volume, fd, basename, cmd, type),                         \
	    HDG_LIST(dict_t *xdata), HDG_LIST(xdata),                          \
	    ON_FILE(fd) LOCKS(cmd == ENTRYLK_LOCK), NULL)                      \
	FOP(xattrop, XATTROP,                                                  \
	    HDG_LIST(loc_t *loc, gf_xattrop_flags_t optype, dict_t *xattr),    \
	    HDG_LIST(loc, optype, xattr),                                      \
	    HDG_LIST(dict_t *result, dict_t *xdata), HDG_LIST(result, xdata),  \
	    ON_PATH(loc), NULL)                                                \
	FOP(fxattrop, FXATTROP,                                                \
	    HDG_LIST(fd_t *fd, gf_xattrop_flags_t optype, dict_t *xattr),      \
	    HDG_LIST(fd, optype, xattr),                                       \
	    HDG_LIST(dict_t *result, dict_t *xdata), HDG_LIST(result, xdata),  \
	    ON_FILE(fd), NULL)                                                 \
	FOP(fgetxattr, FGETXATTR, HDG_LIST(fd_t *fd, const char *name),        \
	    HDG_LIST(fd, name), HDG_LIST(dict_t *dict, dict_t *xdata),         \
	    HDG_LIST(dict, xdata), ON_FILE(fd), NULL)                          \
	FOP(fsetxattr, FSETXATTR,                                              \
	    HDG_LIST(fd_t *fd, dict_t *dict, int32_t flags),                   \
	    HDG_LIST(fd, dict, flags), HDG_LIST(dict_t *xdata),                \
	    HDG_LIST(xdata), ON_FILE(fd), NULL)                                \
	FOP(rchecksum, RCHECKSUM,                                              \
	    HDG_LIST(fd_t *fd, off_t offset, int32_t len),                     \
	    HDG_LIST(fd, offset, len),                                         \
	    HDG_LIST(uint32_t weak, uint8_t *strong, dict_t *xdata),           \
	    HDG_LIST(weak, strong, xdata), ON_FILE(fd) AT(offset) OF(len),     \
	    NULL)                                                              \
	FOP(setattr, SETATTR,                                                  \
	    HDG_LIST(loc_t *loc, struct iatt *stbuf, int32_t valid),           \
	    HDG_LIST(loc, stbuf, valid),                                       \
	    HDG_LIST(struct iatt *prebuf, struct iatt *postbuf,                \
		     dict_t *xdata),                                           \
	    HDG_LIST(prebuf, postbuf, xdata), ON_PATH(loc), NULL)              \
	FOP(fsetattr, FSETATTR,                                                \
	    HDG_LIST(fd_t *fd, struct iatt *stbuf, int32_t valid),             \
	    HDG_LIST(fd, stbuf, valid),                                        \
	    HDG_LIST(struct iatt *prebuf, struct iatt *postbuf,                \
		     dict_t *xdata),                                           \
	    HDG_LIST(prebuf, postbuf, xdata), ON_FILE(fd), NULL)               \
	FOP(readdirp, READDIRP, HDG_LIST(fd_t *fd, size_t size, off_t offset), \
	    HDG_LIST(fd, size, offset),                                        \
	    HDG_LIST(gf_dirent_t *entries, dict_t *xdata),                     \
	    HDG_LIST(entries, xdata), ON_FILE(fd) AT(offset) OF(size), NULL)   \
	FOP(fremovexattr, FREMOVEXATTR, HDG_LIST(fd_t *fd, const char *name),  \
	    HDG_LIST(fd, name), HDG_LIST(dict_t *xdata), HDG_LIST(xdata),      \
	    ON_FILE(fd), NULL)                                                 \
	FOP(fallocate, FALLOCATE,                                              \
	    HDG_LIST(fd_t *fd, int32_t keep, off_t offset, size_t len),        \
	    HDG_LIST(fd, keep, offset, len),                                   \
	    HDG_LIST(struct iatt *prebuf, struct iatt *postbuf,                \
		     dict_t *xdata),                                           \
	    HDG_LIST(prebuf, postbuf, xdata), ON_FILE(fd) AT(offset) OF(len),  \
	    NULL)                                                              \
	FOP(discard, DISCARD, HDG_LIST(fd_t *fd, off_t offset, size_t len),    \
	    HDG_LIST(fd, offset, len),                                         \
	    HDG_LIST(struct iatt *prebuf, struct iatt *postbuf,                \
		     dict_t *xdata),                                           \
	    HDG_LIST(prebuf, postbuf, xdata), ON_FILE(fd) AT(offset) OF(len),  \
	    NULL)                                                              \
	FOP(zerofill, ZEROFILL, HDG_LIST(fd_t *fd, off_t offset, off_t len),   \
	    HDG_LIST(fd, offset, len),                                         \
	    HDG_LIST(struct iatt *prebuf, struct iatt *postbuf,                \
		     dict_t *xdata),                                           \
	    HDG_LIST(prebuf, postbuf, xdata), ON_FILE(fd) AT(offset) OF(len),  \
	    NULL)                                                              \
	FOP(ipc, IPC, HDG_LIST(int32_t op), HDG_LIST(op),                      \
	    HDG_LIST(dict_t *xdata), HDG_LIST(xdata), ON_NOTHING, NULL)        \
	FOP(seek, SEEK, HDG_LIST(fd_t *fd, off_t offset, gf_seek_what_t what), \
	    HDG_LIST(fd, offset, what), HDG_LIST(off_t found, dict_t *xdata),  \
	    HDG_LIST(found, xdata), ON_FILE(fd) AT(offset), NULL)              \
	FOP(lease, LEASE, HDG_LIST(loc_t *loc, struct gf_lease *lease),        \
	    HDG_LIST(loc, lease),                                              \
	    HDG_LIST(struct gf_lease *held, dict_t *xdata),                    \
	    HDG_LIST(held, xdata), ON_PATH(loc), NULL)                         \
	FOP(compound, COMPOUND, HDG_LIST(void *args), HDG_LIST(args),          \
	    HDG_LIST(void *data, dict_t *xdata), HDG_LIST(data, xdata),        \
	    ON_NOTHING, NULL)                                                  \
	FOP(getactivelk, GETACTIVELK, HDG_LIST(loc_t *loc), HDG_LIST(loc),     \
	    HDG_LIST(lock_migration_info_t *locklist, dict_t *xdata),          \
	    HDG_LIST(locklist, xdata), ON_PATH(loc), NULL)                     \
	FOP(setactivelk, SETACTIVELK,                                          \
	    HDG_LIST(loc_t *loc, lock_migration_info_t *locklist),             \
	    HDG_LIST(loc, locklist), HDG_LIST(dict_t *xdata), HDG_LIST(xdata), \
	    ON_PATH(loc), NULL)                                                \
	FOP(put, PUT,                                                          \
	    HDG_LIST(loc_t *loc, mode_t mode, mode_t umask, uint32_t flags,    \
		     struct iovec *vector, int32_t count, off_t offset,        \
		     struct iobref *iobref, dict_t *xattr),                    \
	    HDG_LIST(loc, mode, umask, flags, vector, count, offset, iobref,   \
		     xattr),                                                   \
	    HDG_LIST(inode_t *inode, struct iatt *buf, struct iatt *preparent, \
		     struct iatt *postparent, dict_t *xdata),                  \
	    HDG_LIST(inode, buf, preparent, postparent, xdata),                \
	    ON_PATH(loc) AT(offset) OF(iov_length(vector, count)), buf)        \
	FOP(icreate, ICREATE, HDG_LIST(loc_t *loc, mode_t mode),               \
	    HDG_LIST(loc, mode),                                               \
	    HDG_LIST(inode_t *inode, struct iatt *buf, dict_t *xdata),         \
	    HDG_LIST(inode, buf, xdata), ON_PATH(loc), buf)                    \
	FOP(namelink, NAMELINK, HDG_LIST(loc_t *loc), HDG_LIST(loc),           \
	    HDG_LIST(struct iatt *prebuf, struct iatt *postbuf,                \
		     dict_t *xdata),                                           \
	    HDG_LIST(prebuf, postbuf, xdata), ON_PATH(loc), NULL)              \
	FOP(copy_file_range, COPY_FILE_RANGE,                                  \
	    HDG_LIST(fd_t *fd_in, off64_t off_in, fd_t *fd_out,                \
		     off64_t off_out, size_t len, uint32_t flags),             \
	    HDG_LIST(fd_in, off_in, fd_out, off_out, len, flags),              \
	    HDG_LIST(struct iatt *stbuf, struct iatt *prebuf,                  \
		     struct iatt *postbuf, dict_t *xdata),                     \
	    HDG_LIST(stbuf, prebuf, postbuf, xdata),                           \
	    ON_FILE(fd_out) AT(off_out) OF(len) MOVES_BYTES, NULL)

#endif
