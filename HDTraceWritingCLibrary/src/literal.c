/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts in memory that nobody writes to; see literal.h. */
#include "config.h"

#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "HDTraceWritingCLibrary/src/literal.h"

/* Programs and libraries have two or three. */
#define LITERAL_PARTS 16

static struct {
	size_t count;
	struct {
		uintptr_t begin;
		uintptr_t end;
	} parts[LITERAL_PARTS];
} literal;

/* Whether this library is in a program or library. */
static bool literalIsOurs(const struct dl_phdr_info *info)
{
	uintptr_t here = (uintptr_t)&literal;

	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD &&
		    here - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
			return true;
	}
	return false;
}

static int literalVisit(struct dl_phdr_info *info, size_t size, void *unused)
{
	/* Not just the first one: this library may be in another namespace. */
	bool isProgram = (uintptr_t)info->dlpi_phdr == getauxval(AT_PHDR);

	(void)size;
	(void)unused;
	if (!isProgram && !literalIsOurs(info))
		return 0;
	for (size_t i = 0;
	     i < info->dlpi_phnum && literal.count < LITERAL_PARTS; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD || (part->p_flags & PF_W))
			continue;
		literal.parts[literal.count].begin = begin;
		literal.parts[literal.count++].end = begin + part->p_filesz;
	}
	return 0;
}

static void literalFind(void)
{
	dl_iterate_phdr(literalVisit, NULL);
}

void hdLiteralPrepare(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, literalFind);
}

bool hdLiteralIs(const char *text)
{
	uintptr_t at = (uintptr_t)text;

	for (size_t i = 0; i < literal.count; i++)
		if (at >= literal.parts[i].begin && at < literal.parts[i].end)
			return memchr(text, '\0', literal.parts[i].end - at);
	return false;
}
