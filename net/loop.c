/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A loop over file descriptors; see loop.h. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "net/loop.h"

/* Events that are taken in one go. */
#define EVENTS_MAX 128

#define NS_PER_MS INT64_C(1000000)
#define TIMEOUT_MAX_MS 60000

static void loopWoken(struct hdPoll *poll, uint32_t events)
{
	struct hdLoop *loop =
		(struct hdLoop *)(void *)((char *)poll -
					  offsetof(struct hdLoop, wake));
	eventfd_t unused;

	(void)events;
	eventfd_read(loop->wakeFd, &unused);
	loop->woken(loop);
}

int hdLoopOpen(struct hdLoop *loop, void (*woken)(struct hdLoop *loop))
{
	*loop = (struct hdLoop){
		.fd = epoll_create1(EPOLL_CLOEXEC),
		.wakeFd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.wake = { .ready = loopWoken },
		.woken = woken,
	};
	if (loop->fd < 0 || loop->wakeFd < 0)
		return -errno;
	return hdLoopAdd(loop, loop->wakeFd, EPOLLIN, &loop->wake);
}

static int loopControl(struct hdLoop *loop, int operation, int fd,
		       uint32_t events, struct hdPoll *poll)
{
	struct epoll_event event = { .events = events, .data.ptr = poll };

	return epoll_ctl(loop->fd, operation, fd, &event) == 0 ? 0 : -errno;
}

int hdLoopAdd(struct hdLoop *loop, int fd, uint32_t events, struct hdPoll *poll)
{
	return loopControl(loop, EPOLL_CTL_ADD, fd, events, poll);
}

int hdLoopChange(struct hdLoop *loop, int fd, uint32_t events,
		 struct hdPoll *poll)
{
	return loopControl(loop, EPOLL_CTL_MOD, fd, events, poll);
}

void hdLoopRemove(struct hdLoop *loop, int fd)
{
	loopControl(loop, EPOLL_CTL_DEL, fd, 0, NULL);
}

int hdLoopTimeout(int64_t now, int64_t until)
{
	if (until == INT64_MAX)
		return -1;
	if (until <= now)
		return 0;
	if (until - now >= TIMEOUT_MAX_MS * NS_PER_MS)
		return TIMEOUT_MAX_MS;
	return (int)((until - now + NS_PER_MS - 1) / NS_PER_MS);
}

void hdLoopStep(struct hdLoop *loop, int timeoutMs)
{
	struct epoll_event events[EVENTS_MAX];
	int count = epoll_wait(loop->fd, events, EVENTS_MAX, timeoutMs);

	for (int i = 0; i < count && !loop->isOver; i++) {
		struct hdPoll *poll = events[i].data.ptr;

		poll->ready(poll, events[i].events);
	}
}

unsigned long hdLoopFiles(unsigned long wanted)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return wanted;
	limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	setrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

void hdLoopClose(struct hdLoop *loop)
{
	if (loop->wakeFd >= 0)
		close(loop->wakeFd);
	if (loop->fd >= 0)
		close(loop->fd);
}
