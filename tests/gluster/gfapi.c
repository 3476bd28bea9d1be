/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Preloaded into programs that use a volume by libgfapi, such as fio: where
 * they would ask glusterd for the volume file they get the one that
 * HDGLUSTER_VOLFILE names. And their end takes no 10 s: so often each
 * connection looks for requests that were not answered, and glfs_fini() waits
 * until it has done so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct glfs;
int glfs_set_volfile(struct glfs *fs, const char *file);
int glfs_set_volfile_server(struct glfs *fs, const char *transport,
			    const char *host, int port);
void *gf_timer_call_after(void *context, struct timespec delta,
			  void (*call)(void *), void *data);

int glfs_set_volfile_server(struct glfs *fs, const char *transport,
			    const char *host, int port)
{
	(void)transport;
	(void)host;
	(void)port;
	return glfs_set_volfile(fs, getenv("HDGLUSTER_VOLFILE"));
}

void *gf_timer_call_after(void *context, struct timespec delta,
			  void (*call)(void *), void *data)
{
	const struct timespec often = { 0, 100000000 };
	void *(*theirs)(void *, struct timespec, void (*)(void *), void *);

	*(void **)&theirs = dlsym(RTLD_NEXT, "gf_timer_call_after");
	if (!theirs) {
		fputs("gfapi.c: there is no gf_timer_call_after()\n", stderr);
		abort();
	}
	return theirs(context, delta.tv_sec == 10 ? often : delta, call, data);
}
