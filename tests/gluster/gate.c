/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A translator of GlusterFS that holds writes while there is a file: a storage
 * that is shut, until the test removes it. Each write or lock that comes adds a
 * byte to FILE.in, which may be a FIFO. The header's config.h is in the options
 * of the compiler.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <glusterfs/xlator.h>
#include <glusterfs/defaults.h>

static char path[4096], entered[4100];

/* Say that something has come. */
static void gateEntered(void)
{
	int in = open(entered, O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (in < 0)
		return;
	if (write(in, "x", 1) != 1)
		perror(entered);
	close(in);
}

static int32_t gateWritev(call_frame_t *frame, xlator_t *this, fd_t *fd,
			  struct iovec *vector, int32_t count, off_t offset,
			  uint32_t flags, struct iobref *iobref, dict_t *xdata)
{
	/* What a frame is marked with is its translator's, as features/marker
	 * takes it to be. */
	frame->cookie = this;
	gateEntered();
	while (access(path, F_OK) == 0)
		usleep(2000);
	return default_writev(frame, this, fd, vector, count, offset, flags,
			      iobref, xdata);
}

static int32_t gateLk(call_frame_t *frame, xlator_t *this, fd_t *fd,
		      int32_t command, struct gf_flock *lock, dict_t *xdata)
{
	gateEntered();
	return default_lk(frame, this, fd, command, lock, xdata);
}

static int32_t init(xlator_t *this)
{
	char *file = NULL;

	if (dict_get_str(this->options, "file", &file) != 0)
		return -1;
	snprintf(path, sizeof(path), "%s", file);
	snprintf(entered, sizeof(entered), "%s.in", file);
	return 0;
}

static void fini(xlator_t *this)
{
	(void)this;
}

static struct xlator_fops fops = { .writev = gateWritev, .lk = gateLk };
static struct xlator_cbks cbks;
static struct volume_options options[] = {
	{ .key = { "file" }, .type = GF_OPTION_TYPE_ANY },
	{ .key = { NULL } },
};

xlator_api_t xlator_api = {
	.init = init,
	.fini = fini,
	.op_version = { 1 },
	.fops = &fops,
	.cbks = &cbks,
	.options = options,
	.identifier = "gate",
	.category = GF_EXPERIMENTAL,
};
