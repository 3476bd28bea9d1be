/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Libraries that are opened at run time; see library.h. */
#include "config.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "common/library.h"

static void *libraryOpen(const char *library, const struct hdSymbol *symbols,
			 void *api, char *why, size_t whySize)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		snprintf(why, whySize, "%s", dlerror());
		return NULL;
	}
	for (; symbols->name; symbols++) {
		void *symbol = dlsym(handle, symbols->name);

		if (!symbol && !symbols->isOptional) {
			snprintf(why, whySize, "%s has no %s", library,
				 symbols->name);
			dlclose(handle);
			return NULL;
		}
		memcpy((char *)api + symbols->offset, &symbol, sizeof(symbol));
	}
	return handle;
}

void *hdLibraryOpen(const char *library, const struct hdSymbol *symbols,
		    void *api, char *why, size_t whySize)
{
	void *handle = libraryOpen(library, symbols, api, why, whySize);

	/* The C library frees what it keeps of an error when it is asked again.
	 */
	while (dlerror())
		;
	return handle;
}

const char *hdLibraryMissing(struct hdLibrary *library)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	char why[256];

	pthread_mutex_lock(&mutex);
	if (!library->isOpen && !library->why[0]) {
		library->isOpen =
			hdLibraryOpen(library->file, library->symbols,
				      library->api, why, sizeof(why)) != NULL;
		if (!library->isOpen)
			snprintf(library->why, sizeof(library->why),
				 "%s is missing: %s; on Debian: apt-get "
				 "install %s",
				 library->what, why, library->package);
	}
	pthread_mutex_unlock(&mutex);
	return library->isOpen ? NULL : library->why;
}
