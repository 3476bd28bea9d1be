/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: archives, by their directory, and as projects. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "HDTraceReadingCLibrary/src/archive.h"
#include "tests/fuzz/fuzz.h"

/* Entries lie in the file, do not overlap, and are found by their names. */
static void checkArchive(const struct hdIArchive *archive, size_t size)
{
	for (size_t i = 0; i < archive->count; i++) {
		const struct hdIArchiveEntry *entry = &archive->entries[i];

		must(*entry->name && !strchr(entry->name, '/'));
		must(entry->offset >= 0 && entry->size >= 0);
		must(entry->offset <= (int64_t)size &&
		     entry->size <= (int64_t)size - entry->offset);
		must(hdIArchiveFind(archive, entry->name) == entry);
		for (size_t k = 0; k < i; k++) {
			const struct hdIArchiveEntry *other =
				&archive->entries[k];

			must(entry->offset >= other->offset + other->size ||
			     other->offset >= entry->offset + entry->size);
		}
	}
	must(!hdIArchiveFind(archive, "no/such/entry"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("archive", MFD_CLOEXEC), ret;
	struct hdIArchive *archive = NULL;
	char why[HDI_ARCHIVE_WHY] = "";

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	ret = hdIArchiveRead(fd, (int64_t)size, &archive, why);
	must(ret == 0 || ret == -EBADMSG);
	must((ret == 0) == (archive != NULL));
	if (ret == 0) {
		checkArchive(archive, size);
		hdIArchiveFree(archive);
	} else {
		must(memchr(why, '\0', sizeof(why)) && *why);
	}
	close(fd);
	fuzzRead("fuzz.hdz", data, size);
	return 0;
}
