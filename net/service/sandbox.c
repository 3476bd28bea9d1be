/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a daemon gives up; see sandbox.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/landlock.h>)
#define SANDBOX_HAS_LANDLOCK
#include <linux/landlock.h>
#endif

#include "net/service/sandbox.h"

/* ---- Capabilities ------------------------------------------------------ */

int hdSandboxKeep(uint64_t capabilities)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) != 0)
		return -errno;
	for (int i = 0; i < 2; i++) {
		uint32_t bits = (uint32_t)(capabilities >> 32 * i);

		data[i].effective &= bits;
		data[i].permitted &= bits;
		data[i].inheritable &= bits;
	}
	return syscall(SYS_capset, &header, data) == 0 ? 0 : -errno;
}

/* ---- System calls ------------------------------------------------------ */

#if defined(__x86_64__)
#define SANDBOX_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SANDBOX_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef SANDBOX_ARCHITECTURE
/* Those of today have the same numbers on all architectures. */
#define SANDBOX_OPEN_TREE 428
#define SANDBOX_PIDFD_GETFD 438
#define SANDBOX_MOUNT_SETATTR 442
/* x86-64 has a second set of numbers, from this one on. */
#define SANDBOX_OTHER_ABI 0x40000000U

/* Sanitizers find leaks by ptrace(): then bpf() stands there twice. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANDBOX_TRACE SYS_bpf
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANDBOX_TRACE SYS_bpf
#endif
#endif
#ifndef SANDBOX_TRACE
#define SANDBOX_TRACE SYS_ptrace
#endif

static const unsigned int sandboxForbidden[] = {
	/* Kernel, power and clocks. */
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_kexec_file_load,
	SYS_bpf,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_clock_adjtime,
	SYS_adjtimex,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_acct,
	SYS_quotactl,
	/* File systems and namespaces. */
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_unshare,
	SYS_setns,
	SYS_open_by_handle_at,
	SANDBOX_OPEN_TREE,
	SANDBOX_OPEN_TREE + 1 /* move_mount */,
	SANDBOX_OPEN_TREE + 2 /* fsopen */,
	SANDBOX_OPEN_TREE + 3 /* fsconfig */,
	SANDBOX_OPEN_TREE + 4 /* fsmount */,
	SANDBOX_OPEN_TREE + 5 /* fspick */,
	SANDBOX_MOUNT_SETATTR,
	/* Other processes, keys, and what is hard to watch. */
	SANDBOX_TRACE,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SANDBOX_PIDFD_GETFD,
	SYS_add_key,
	SYS_request_key,
	SYS_keyctl,
	SYS_userfaultfd,
	425 /* io_uring_setup */,
	426 /* io_uring_enter */,
	427 /* io_uring_register */,
};
#define SANDBOX_FORBIDDEN \
	(sizeof(sandboxForbidden) / sizeof(sandboxForbidden[0]))
#define SANDBOX_HEAD 4

static int sandboxInstall(struct sock_filter *filter, unsigned short length)
{
	const struct sock_fprog program = { length, filter };

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0
		       ? 0
		       : -errno;
}

int hdSandboxFilter(void)
{
	struct sock_filter filter[SANDBOX_HEAD + SANDBOX_FORBIDDEN + 2];
	const unsigned char all = SANDBOX_FORBIDDEN;
	size_t used = 0;

	/* Of another architecture, and of a second set of numbers, nothing is
	 * known: they are forbidden. */
	filter[used++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						      SANDBOX_ARCHITECTURE, 0,
						      (unsigned char)(all + 3));
	filter[used++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	filter[used++] = (struct sock_filter)BPF_JUMP(
		BPF_JMP | BPF_JGE | BPF_K, SANDBOX_OTHER_ABI,
		(unsigned char)(all + 1), 0);
	for (size_t i = 0; i < SANDBOX_FORBIDDEN; i++)
		filter[used++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, sandboxForbidden[i],
			(unsigned char)(all - i), 0);
	filter[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						      SECCOMP_RET_ALLOW);
	filter[used++] = (struct sock_filter)BPF_STMT(
		BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	return sandboxInstall(filter, (unsigned short)used);
}
#else
int hdSandboxFilter(void)
{
	return -ENOSYS;
}
#endif

/* ---- Files ------------------------------------------------------------- */

#ifdef SANDBOX_HAS_LANDLOCK
#define SANDBOX_FILE LANDLOCK_ACCESS_FS_WRITE_FILE
#define SANDBOX_WRITE                                                    \
	(SANDBOX_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                  \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |     \
	 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |   \
	 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)
/* From its second version on: else no file moves to another directory. */
#define SANDBOX_REFER (UINT64_C(1) << 13)

static void sandboxAllow(int rules, uint64_t handled, const char *path)
{
	struct landlock_path_beneath_attr beneath = {
		.parent_fd = open(path, O_PATH | O_CLOEXEC),
		.allowed_access = handled,
	};
	int directory;

	if (beneath.parent_fd < 0)
		return;
	directory = openat(beneath.parent_fd, ".", O_PATH | O_CLOEXEC);
	if (directory >= 0)
		close(directory);
	else
		beneath.allowed_access = SANDBOX_FILE;
	syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
		&beneath, 0);
	close(beneath.parent_fd);
}

int hdSandboxWrite(const char *const *paths, size_t count)
{
	struct landlock_ruleset_attr all = { .handled_access_fs =
						     SANDBOX_WRITE };
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
			       LANDLOCK_CREATE_RULESET_VERSION);
	int rules, ret;

	if (version < 1)
		return -errno;
	if (version >= 2)
		all.handled_access_fs |= SANDBOX_REFER;
	rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
	if (rules < 0)
		return -errno;
	for (size_t i = 0; i < count; i++)
		sandboxAllow(rules, all.handled_access_fs, paths[i]);
	ret = syscall(SYS_landlock_restrict_self, rules, 0) == 0 ? 0 : -errno;
	close(rules);
	return ret;
}
#else
int hdSandboxWrite(const char *const *paths, size_t count)
{
	(void)paths;
	(void)count;
	return -ENOSYS;
}
#endif
