/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call sites; see sites.h. */
#include "config.h"

#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if HAVE_EXECINFO_H
#include <execinfo.h>
#endif

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/core/sites.h"
#include "common/environment.h"
#include "common/hex.h"

/* As many frames are looked at to leave the MPI library, and around a call. */
#define FRAMES_MAX (32 + HDMPI_SITE_DEPTH_MAX)
/* Longer build ids are cut; usual ones have 20 bytes. */
#define BUILD_ID_MAX 64
#define NO_SITE UINT32_MAX

/* What a return address is in. */
enum place {
	PLACE_STAYS, /* An object that was there at the beginning. */
	PLACE_LOADED,
	PLACE_MPI, /* The MPI library, which is not of interest. */
};

/* A program or shared library. */
struct object {
	uintptr_t bias; /* What was added to its addresses when it was met. */
	char buildId[2 * BUILD_ID_MAX + 1];
	char *path;
	struct object *next;
	uint32_t number; /* In this process. */
};

/* Where an address is. */
struct location {
	uintptr_t address;
	bool isFound;
	enum place place;
	uintptr_t bias;
	char buildId[2 * BUILD_ID_MAX + 1];
	char path[PATH_MAX];     /* Empty: the program. */
	unsigned long long gone; /* How many objects have gone. */
	size_t index;
};

struct site {
	uintptr_t address; /* As in the file of its object. */
	const struct object *object;
	uint32_t caller; /* NO_SITE: not asked for. */
	bool isKnown;    /* The trace says what it is. */
};

/* An address on its way into a site. */
struct entry {
	uintptr_t address; /* 0: none. */
	uint32_t caller;
	uint32_t site;
	enum place place;
};

struct hdmpiSites {
	struct entry *entries; /* By hash. */
	size_t size;           /* A power of 2. */
	size_t used;
	struct site *sites; /* By number. */
	uint32_t count, room;
	uint32_t *numbers;      /* By hash of what the site is. */
	size_t numbersSize;     /* A power of 2. */
	unsigned char *objects; /* Bit set of those the trace knows. */
	size_t objectsSize;
	unsigned long long gone; /* When the entries were right. */
	/* Of the address that is looked up: too large for small stacks. */
	struct location *location;
};

static struct {
	pthread_mutex_t lock;
	struct object *objects;
	uint32_t count;
	/* States may be left out because they are nested too deeply. */
	bool mayBeLeftOut;
} sites = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Objects that were there before main(); the loader lists them first. */
static size_t objectsAtBegin;

static int countObject(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	++*(size_t *)data;
	return 0;
}

static void __attribute__((__constructor__)) sitesLoaded(void)
{
	dl_iterate_phdr(countObject, &objectsAtBegin);
}

/* ---- Addresses -------------------------------------------------------------
 */

bool hdmpiSiteIsOfMpi(const char *path)
{
	static const char *const names[] = {
		"libmpi.so",   "libmpi_",      "libmpich",
		"libmpifort",  "libmpicxx.so", "libopen-rte",
		"libopen-pal", "mca_",         "libhdMPI-",
	};
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Find the build id among notes. */
static void readNotes(const unsigned char *at, size_t size, char *buildId)
{
	ElfW(Nhdr) note;

	while (size >= sizeof(note)) {
		size_t name, description;

		memcpy(&note, at, sizeof(note));
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		description = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		at += sizeof(note);
		size -= sizeof(note);
		if (name > size || description > size - name)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(at, "GNU", 4) == 0) {
			size_t bytes = note.n_descsz < BUILD_ID_MAX
					       ? note.n_descsz
					       : BUILD_ID_MAX;

			*hdHexPut(buildId, at + name, bytes) = '\0';
			return;
		}
		at += name + description;
		size -= name + description;
	}
}

/* Whether an object holds the address: then say what it is. */
static int locateIn(struct dl_phdr_info *info, size_t size, void *data)
{
	struct location *location = data;
	bool isHere = false;

	(void)size;
	location->gone = info->dlpi_subs;
	for (size_t i = 0; i < info->dlpi_phnum && !isHere; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		isHere = header->p_type == PT_LOAD &&
			 location->address - info->dlpi_addr - header->p_vaddr <
				 header->p_memsz;
	}
	location->index++;
	if (!isHere)
		return 0;
	location->isFound = true;
	location->bias = info->dlpi_addr;
	location->place =
		location->index <= objectsAtBegin ? PLACE_STAYS : PLACE_LOADED;
	if (hdmpiSiteIsOfMpi(info->dlpi_name))
		location->place = PLACE_MPI;
	snprintf(location->path, sizeof(location->path), "%s", info->dlpi_name);
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_NOTE && !*location->buildId)
			readNotes((const unsigned char *)info->dlpi_addr +
					  header->p_vaddr,
				  header->p_memsz, location->buildId);
	}
	return 1;
}

static void locate(uintptr_t address, struct location *location)
{
	memset(location, 0, sizeof(*location));
	/* What is in no object may be in one later. */
	location->place = PLACE_LOADED;
	/* The call is before it, and may be the last thing in its segment. */
	location->address = address - 1;
	dl_iterate_phdr(locateIn, location);
}

static int takeGone(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	*(unsigned long long *)data = info->dlpi_subs;
	return 1;
}

/* ---- Objects ---------------------------------------------------------------
 */

/* The path of an object as others find it. */
static char *mpiSitesPathOf(struct location *location)
{
	ssize_t length;
	char *path;

	if (*location->path) {
		path = realpath(location->path, NULL);
		return path ? path : strdup(location->path);
	}
	length = readlink("/proc/self/exe", location->path,
			  sizeof(location->path) - 1);
	location->path[length > 0 ? length : 0] = '\0';
	return strdup(location->path);
}

/* The object of a location; NULL without memory. The lock is held. */
static struct object *objectFind(const struct location *location,
				 const char *path)
{
	struct object *object = sites.objects;

	/* It may come again, and elsewhere. */
	while (object && (strcmp(object->buildId, location->buildId) != 0 ||
			  strcmp(object->path, path) != 0))
		object = object->next;
	if (object)
		return object;
	object = calloc(1, sizeof(*object));
	if (!object)
		return NULL;
	object->path = strdup(path);
	if (!object->path) {
		free(object);
		return NULL;
	}
	object->bias = location->bias;
	memcpy(object->buildId, location->buildId, sizeof(object->buildId));
	object->number = sites.count++;
	object->next = sites.objects;
	sites.objects = object;
	return object;
}

static const struct object *mpiSitesObjectOf(struct location *location)
{
	char *path = location->isFound ? mpiSitesPathOf(location) : strdup("");
	struct object *object = NULL;

	if (!path)
		return NULL;
	pthread_mutex_lock(&sites.lock);
	object = objectFind(location, path);
	pthread_mutex_unlock(&sites.lock);
	free(path);
	return object;
}

/* ---- Sites of a thread -----------------------------------------------------
 */

static size_t mpiSitesHashOf(uint64_t first, uint64_t second, size_t size)
{
	uint64_t hash = (first + second) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(hash >> 32) & (size - 1);
}

/* Where the entry of an address is, or would be. */
static struct entry *mpiSitesEntryAt(const struct hdmpiSites *self,
				     uintptr_t address, uint32_t caller)
{
	size_t i = mpiSitesHashOf(address, caller, self->size);

	while (self->entries[i].address &&
	       (self->entries[i].address != address ||
		self->entries[i].caller != caller))
		i = (i + 1) & (self->size - 1);
	return &self->entries[i];
}

/* Lay the entries out anew: all, or those of objects that stay. */
static int entriesLayOut(struct hdmpiSites *self, size_t size, bool isAll)
{
	struct hdmpiSites other = *self;

	other.size = size;
	other.used = 0;
	other.entries = calloc(size, sizeof(*other.entries));
	if (!other.entries)
		return -1;
	for (size_t i = 0; i < self->size; i++) {
		const struct entry *entry = &self->entries[i];

		if (!entry->address || (!isAll && entry->place != PLACE_STAYS))
			continue;
		*mpiSitesEntryAt(&other, entry->address, entry->caller) =
			*entry;
		other.used++;
	}
	free(self->entries);
	*self = other;
	return 0;
}

/* Objects have gone: what lay in them is to be looked up again. */
static int entriesRenew(struct hdmpiSites *self, unsigned long long gone)
{
	if (self->gone == gone)
		return 0;
	if (self->size && entriesLayOut(self, self->size, false) < 0)
		return -1;
	self->gone = gone;
	return 0;
}

/* Make room for one more. */
static int entriesGrow(struct hdmpiSites *self)
{
	if (2 * self->used < self->size)
		return 0;
	return entriesLayOut(self, self->size ? 2 * self->size : 64, true);
}

/* Where the number of a site is, or would be: then it is NO_SITE. */
static uint32_t *mpiSitesNumberAt(const struct hdmpiSites *self,
				  const struct site *site)
{
	size_t i = mpiSitesHashOf(site->address,
				  ((uint64_t)site->object->number << 32) +
					  site->caller,
				  self->numbersSize);

	for (;; i = (i + 1) & (self->numbersSize - 1)) {
		const struct site *other;

		if (self->numbers[i] == NO_SITE)
			return &self->numbers[i];
		other = &self->sites[self->numbers[i]];
		if (other->address == site->address &&
		    other->object == site->object &&
		    other->caller == site->caller)
			return &self->numbers[i];
	}
}

/* Make room for one more site. */
static int sitesGrow(struct hdmpiSites *self)
{
	uint32_t room = self->room ? 2 * self->room : 64;
	struct site *larger;
	uint32_t *numbers;

	if (self->count < self->room)
		return 0;
	larger = realloc(self->sites, room * sizeof(*larger));
	if (!larger)
		return -1;
	self->sites = larger;
	numbers = malloc(2 * (size_t)room * sizeof(*numbers));
	if (!numbers)
		return -1;
	free(self->numbers);
	self->numbers = numbers;
	self->numbersSize = 2 * (size_t)room;
	memset(numbers, 0xff, self->numbersSize * sizeof(*numbers));
	for (uint32_t i = 0; i < self->count; i++)
		*mpiSitesNumberAt(self, &self->sites[i]) = i;
	self->room = room;
	return 0;
}

/* The site at a location, which may have been there before. */
static uint32_t siteAt(struct hdmpiSites *self, struct location *location,
		       uint32_t caller)
{
	const struct site site = {
		/* That of the instruction behind the call. */
		.address = location->address + 1 - location->bias,
		.object = mpiSitesObjectOf(location),
		.caller = caller,
	};
	uint32_t *number;

	if (!site.object || self->count == NO_SITE || sitesGrow(self) < 0)
		return NO_SITE;
	number = mpiSitesNumberAt(self, &site);
	if (*number == NO_SITE) {
		*number = self->count;
		self->sites[self->count++] = site;
	}
	return *number;
}

/* What is known of an address: NULL without memory. */
static struct entry *entryFind(struct hdmpiSites *self, uintptr_t address,
			       uint32_t caller)
{
	struct entry *entry =
		self->size ? mpiSitesEntryAt(self, address, caller) : NULL;
	struct location *location = self->location;
	unsigned long long gone = 0;

	if (__builtin_expect(
		    entry && entry->address && entry->place == PLACE_STAYS, 1))
		return entry;
	if (entry && entry->address) {
		dl_iterate_phdr(takeGone, &gone);
		if (gone == self->gone)
			return entry;
	}
	locate(address, location);
	if (entriesRenew(self, location->gone) < 0 || entriesGrow(self) < 0)
		return NULL;
	entry = mpiSitesEntryAt(self, address, caller);
	if (!entry->address)
		self->used++;
	*entry = (struct entry){
		.address = address,
		.caller = caller,
		.site = siteAt(self, location, caller),
		.place = location->place,
	};
	return entry;
}

#if HAVE_EXECINFO_H
/* Return addresses from the wrapper's on, as many as there are. */
static size_t framesOf(uintptr_t caller, uintptr_t *frames)
{
	void *all[FRAMES_MAX];
	int count = backtrace(all, FRAMES_MAX), at = 0;

	while (at < count && (uintptr_t)all[at] != caller)
		at++;
	for (int i = at; i < count; i++)
		frames[i - at] = (uintptr_t)all[i];
	if (at < count)
		return (size_t)(count - at);
	frames[0] = caller;
	return 1;
}
#else
static size_t framesOf(uintptr_t caller, uintptr_t *frames)
{
	frames[0] = caller;
	return 1;
}
#endif

/* A site of several frames, or one outside of the MPI library that called. */
static int64_t findAround(struct hdmpiSites *self, uintptr_t caller)
{
	size_t depth = (size_t)hdmpiOptions.siteDepth, first = 0, last;
	uintptr_t frames[FRAMES_MAX];
	size_t count = framesOf(caller, frames);
	uint32_t around = NO_SITE;
	struct entry *entry;

	while (first < count &&
	       (entry = entryFind(self, frames[first], NO_SITE)) != NULL &&
	       entry->place == PLACE_MPI)
		first++;
	/* A thread of the MPI library's own. */
	if (first == count)
		first = 0;
	last = count - first < depth ? count : first + depth;
	for (size_t i = last; i > first; i--) {
		entry = entryFind(self, frames[i - 1], around);
		if (!entry || entry->site == NO_SITE)
			return -1;
		around = entry->site;
	}
	return around;
}

/* What a thread knows; NULL without memory. */
static struct hdmpiSites *sitesOf(struct hdmpiThread *thread)
{
	struct hdmpiSites *self = thread->sites;

	if (__builtin_expect(self != NULL, 1))
		return self;
	self = calloc(1, sizeof(*self));
	if (!self)
		return NULL;
	self->location = malloc(sizeof(*self->location));
	if (!self->location) {
		free(self);
		return NULL;
	}
	thread->sites = self;
	return self;
}

int64_t hdmpiSiteOfStack(struct hdmpiThread *thread, const uintptr_t *frames,
			 size_t count)
{
	const struct hdmpiSites *self = sitesOf(thread);
	uint32_t around = NO_SITE;

	for (size_t i = count; self && i > 0; i--) {
		struct entry *entry =
			entryFind(thread->sites, frames[i - 1], around);

		if (!entry || entry->site == NO_SITE)
			return -1;
		around = entry->site;
	}
	return self && count > 0 ? (int64_t)around : -1;
}

int64_t hdmpiSiteFind(struct hdmpiThread *thread, const void *caller)
{
	uintptr_t address = (uintptr_t)caller;
	struct entry *entry;

	if (!sitesOf(thread))
		return -1;
	if (hdmpiOptions.siteDepth > 1)
		return findAround(thread->sites, address);
	entry = entryFind(thread->sites, address, NO_SITE);
	if (!entry)
		return -1;
	if (entry->place == PLACE_MPI)
		return findAround(thread->sites, address);
	return entry->site == NO_SITE ? -1 : (int64_t)entry->site;
}

/* ---- What the trace says ---------------------------------------------------
 */

static bool objectIsKnown(const struct hdmpiSites *self, uint32_t number)
{
	return number / 8 < self->objectsSize &&
	       self->objects[number / 8] >> number % 8 & 1;
}

static void objectSetKnown(struct hdmpiSites *self, uint32_t number)
{
	if (number / 8 >= self->objectsSize) {
		size_t size = number / 8 + 8;
		unsigned char *larger = realloc(self->objects, size);

		if (!larger)
			return;
		memset(larger + self->objectsSize, 0, size - self->objectsSize);
		self->objects = larger;
		self->objectsSize = size;
	}
	self->objects[number / 8] |= (unsigned char)(1U << number % 8);
}

/* Say what a site and its object are. */
static int mpiSitesDescribeSite(struct hdmpiThread *thread,
				const struct site *site, uint32_t number,
				bool isInside)
{
	const struct object *object = site->object;
	char caller[32] = "";

	if (isInside || !objectIsKnown(thread->sites, object->number)) {
		if (hdT_logElement(thread->trace, "Object",
				   "id='%" PRIu32
				   "' buildId='%s' load='0x%" PRIxPTR
				   "' path='%s'",
				   object->number, object->buildId,
				   object->bias, object->path) < 0)
			return -1;
	}
	if (site->caller != NO_SITE)
		snprintf(caller, sizeof(caller), " caller='%" PRIu32 "'",
			 site->caller);
	return hdT_logElement(thread->trace, "Site",
			      "id='%" PRIu32 "' object='%" PRIu32
			      "' address='0x%" PRIxPTR "'%s",
			      number, object->number, site->address, caller);
}

static void __attribute__((__cold__, __noinline__))
siteDescribe(struct hdmpiThread *thread, uint32_t number, bool isInside)
{
	/* What is nested may be left out, with what it says. */
	bool isWritten =
		!isInside && (!sites.mayBeLeftOut || thread->regions == 0);

	for (uint32_t i = number; i != NO_SITE;
	     i = thread->sites->sites[i].caller) {
		struct site *site = &thread->sites->sites[i];

		if (site->isKnown && !isInside)
			return;
		if (mpiSitesDescribeSite(thread, site, i, isInside) < 0 ||
		    !isWritten)
			continue;
		site->isKnown = true;
		objectSetKnown(thread->sites, site->object->number);
	}
}

void hdmpiSiteNote(struct hdmpiThread *thread, int64_t site, bool isInside)
{
	if (site < 0)
		return;
	hdT_logAttributesInt64(thread->trace, "site", &site);
	if (__builtin_expect(!thread->sites->sites[site].isKnown || isInside,
			     0))
		siteDescribe(thread, (uint32_t)site, isInside);
}

/* ---- Begin and end ---------------------------------------------------------
 */

void hdmpiSitesStart(void)
{
	uintptr_t frames[FRAMES_MAX];

	if (!hdmpiOptions.siteDepth && !hdmpiOptions.sampleHz)
		return;
	sites.mayBeLeftOut =
		hdEnvironmentText("HDTRACE_MAX_NESTING_DEPTH") != NULL;
	/* It loads what it needs when it is called first. */
	framesOf((uintptr_t)__builtin_return_address(0), frames);
}

void hdmpiSitesFree(struct hdmpiSites *self)
{
	if (!self)
		return;
	free(self->entries);
	free(self->sites);
	free(self->numbers);
	free(self->objects);
	free(self->location);
	free(self);
}

void hdmpiSitesEnd(void)
{
	pthread_mutex_lock(&sites.lock);
	while (sites.objects) {
		struct object *object = sites.objects;

		sites.objects = object->next;
		free(object->path);
		free(object);
	}
	sites.count = 0;
	pthread_mutex_unlock(&sites.lock);
}
