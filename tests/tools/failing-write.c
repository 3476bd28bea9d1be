/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a command whose writes to files fail as if the disk were full, by the
 * kernel's notification of system calls: the number FIRST and, with "on", all
 * that follow. FIRST 0 lets all writes succeed. Pipes and terminals are left
 * alone. Prints the number of writes to the file COUNT; exits as the command
 * does, with 128 + its signal, or with 77 where the kernel cannot do that.
 *
 *     failing-write COUNT FIRST once|on COMMAND [ARGUMENT...]
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#define UNSUPPORTED 77

static const int writes[] = { SYS_write,   SYS_pwrite64,  SYS_writev,
			      SYS_pwritev, SYS_ftruncate, SYS_fallocate,
			      SYS_fsync,   SYS_fdatasync };
enum { WRITES = sizeof(writes) / sizeof(*writes) };

/* Ask for these calls of this process; the descriptor that tells of them. */
static int notified(void)
{
	struct sock_filter filter[WRITES + 3];
	const struct sock_fprog program = { .len = WRITES + 3,
					    .filter = filter };

	filter[0] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (unsigned int i = 0; i < WRITES; i++)
		filter[i + 1] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)writes[i],
			(unsigned char)(WRITES - i), 0);
	filter[WRITES + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
							  SECCOMP_RET_ALLOW);
	filter[WRITES + 2] = (struct sock_filter)BPF_STMT(
		BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* Pass a descriptor to another process, or get it: -1 is none. */
static void handOver(int to, int fd)
{
	char byte = fd < 0 ? 'n' : 'y';
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .head = { .cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS,
				.cmsg_len = CMSG_LEN(sizeof(int)) } };
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	if (sendmsg(to, &message, 0) != 1)
		_exit(99);
}

static int takeOver(int from)
{
	char byte = 'n';
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	int fd = -1;

	if (recvmsg(from, &message, 0) == 1 && byte == 'y' &&
	    message.msg_controllen >= CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	return fd;
}

/* Whether a call is for a file, other than messages on standard error. */
static bool isOfFile(const struct seccomp_notif *call)
{
	char path[64];
	struct stat status;

	if (call->data.args[0] == STDERR_FILENO)
		return false;
	snprintf(path, sizeof(path), "/proc/%u/fd/%d", call->pid,
		 (int)call->data.args[0]);
	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Answer all calls until the command and its children are gone: how many. */
static unsigned long answer(int listener, unsigned long first, bool isOn)
{
	unsigned long count = 0;

	for (;;) {
		struct pollfd wait = { listener, POLLIN, 0 };
		struct seccomp_notif call = { 0 };
		struct seccomp_notif_resp response = { 0 };

		if (poll(&wait, 1, -1) < 0 && errno == EINTR)
			continue;
		if (!(wait.revents & POLLIN))
			return count;
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
			continue;
		response.id = call.id;
		response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		if (isOfFile(&call)) {
			count++;
			if (first > 0 &&
			    (count == first || (isOn && count > first))) {
				response.flags = 0;
				response.error = -ENOSPC;
			}
		}
		/* ENOENT: the caller was killed. */
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
	}
}

int main(int argc, char **argv)
{
	int sockets[2], listener, status;
	unsigned long first, count;
	FILE *file;
	pid_t pid;

	if (argc < 5)
		return 99;
	first = strtoul(argv[2], NULL, 10);
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sockets) != 0)
		return 99;
	pid = fork();
	if (pid == 0) {
		listener = notified();
		handOver(sockets[1], listener);
		if (listener < 0)
			_exit(UNSUPPORTED);
		close(listener);
		execvp(argv[4], argv + 4);
		_exit(127);
	}
	close(sockets[1]);
	listener = takeOver(sockets[0]);
	count = listener < 0 ? 0
			     : answer(listener, first, !strcmp(argv[3], "on"));
	if (waitpid(pid, &status, 0) != pid)
		return 99;
	file = fopen(argv[1], "w");
	if (!file || fprintf(file, "%lu\n", count) < 0 || fclose(file) != 0)
		return 99;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
