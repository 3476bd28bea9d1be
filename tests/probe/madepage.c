/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages of probes that no program has counted in; see madepage.h. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/probe/madepage.h"

static void must(int isSo)
{
	if (isSo)
		return;
	perror("madepage");
	exit(99);
}

off_t madeSlotOffset(unsigned int i)
{
	return (off_t)HD_PROBE_HEAD_SIZE +
	       (off_t)(i / HD_PROBE_CHUNK) * (off_t)HD_PROBE_CHUNK_SIZE +
	       (off_t)(i % HD_PROBE_CHUNK) * (off_t)sizeof(struct hdProbeSlot);
}

void madePut32(int fd, off_t at, uint32_t value)
{
	must(pwrite(fd, &value, sizeof(value), at) == sizeof(value));
}

void madePut64(int fd, off_t at, uint64_t value)
{
	must(pwrite(fd, &value, sizeof(value), at) == sizeof(value));
}

static void madeHead(int fd, unsigned int probes, unsigned int slots)
{
	struct hdProbeHead *head = calloc(1, sizeof(*head));

	must(head != NULL);
	head->magic = HD_PROBE_MAGIC;
	head->headSize = HD_PROBE_HEAD_SIZE;
	head->slotSize = sizeof(struct hdProbeSlot);
	head->pid = (uint32_t)getpid();
	head->tickNs = 1;
	head->begin = 1;
	head->slots = slots;
	for (unsigned int i = 1; i <= probes; i++) {
		head->entries[i].state = HD_PROBE_READY;
		head->entries[i].kind = HDPROBE_KIND_TIMER;
		snprintf(head->entries[i].name, HDPROBE_NAME_SIZE, "p%u", i);
	}
	must(pwrite(fd, head, sizeof(*head), 0) == sizeof(*head));
	free(head);
}

int madePage(unsigned int probes, unsigned int slots)
{
	int fd = memfd_create(HD_PROBE_FILE, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	must(fd >= 0);
	must(ftruncate(fd, madeSlotOffset(HD_PROBE_SLOTS)) == 0);
	madeHead(fd, probes, slots);
	for (unsigned int i = 0; i < slots; i++) {
		madePut32(fd, MADE_AT(i, probe), 1 + i % probes);
		madePut32(fd, MADE_AT(i, lane), i % HD_PROBE_LANES);
	}
	must(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
	return fd;
}
