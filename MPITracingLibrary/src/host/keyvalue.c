/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The key-value space of Open MPI's launcher; see keyvalue.h. */
#include "config.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "MPITracingLibrary/src/host/keyvalue.h"

/* Of the PMIx standard, version 4: pmix_proc_t, pmix_value_t and pmix_info_t,
 * as far as they are used, and numbers of types and scopes. */
struct keyProcess {
	char space[256];
	uint32_t rank;
};
struct keyValue {
	uint16_t type;
	union {
		bool flag;
		int number;
		uint64_t room[4];
	} data;
};
struct keyInfo {
	char key[512];
	uint32_t flags;
	struct keyValue value;
};
#define KEY_BOOL 1
#define KEY_INT 6
#define KEY_GLOBAL 3

#define KEY_NAME "hdtrace.rank"
/* So long one is waited for, in seconds. */
#define KEY_WAIT 10

static struct {
	void *library;
	struct keyProcess own;
	int (*init)(struct keyProcess *own, void *info, size_t count);
	int (*put)(uint8_t scope, const char *key, struct keyValue *value);
	int (*commit)(void);
	int (*get)(const struct keyProcess *of, const char *key,
		   const struct keyInfo *info, size_t count,
		   struct keyValue **value);
	int (*finalize)(void *info, size_t count);
} keys;

static bool keyValueFind(void)
{
	keys.library = dlopen("libpmix.so.2", RTLD_NOW);
	if (!keys.library)
		return false;
	*(void **)&keys.init = dlsym(keys.library, "PMIx_Init");
	*(void **)&keys.put = dlsym(keys.library, "PMIx_Put");
	*(void **)&keys.commit = dlsym(keys.library, "PMIx_Commit");
	*(void **)&keys.get = dlsym(keys.library, "PMIx_Get");
	*(void **)&keys.finalize = dlsym(keys.library, "PMIx_Finalize");
	return keys.init && keys.put && keys.commit && keys.get &&
	       keys.finalize;
}

static void keyValueClose(void)
{
	if (keys.library)
		dlclose(keys.library);
	keys.library = NULL;
}

bool hdmpiKeyValueAnnounce(void)
{
	struct keyValue value = { .type = KEY_BOOL, .data.flag = true };

	if (!keyValueFind() || keys.init(&keys.own, NULL, 0) != 0) {
		keyValueClose();
		return false;
	}
	if (keys.put(KEY_GLOBAL, KEY_NAME, &value) == 0 && keys.commit() == 0)
		return true;
	hdmpiKeyValueEnd();
	return false;
}

bool hdmpiKeyValueIsThere(int rank, bool waits)
{
	struct keyProcess of = keys.own;
	struct keyInfo info = { .flags = 0 };
	struct keyValue *value = NULL;
	int ret;

	of.rank = (uint32_t)rank;
	strcpy(info.key, waits ? "pmix.timeout" : "pmix.immed");
	info.value.type = waits ? KEY_INT : KEY_BOOL;
	if (waits)
		info.value.data.number = KEY_WAIT;
	else
		info.value.data.flag = true;
	ret = keys.get(&of, KEY_NAME, &info, 1, &value);
	free(value);
	return ret == 0;
}

void hdmpiKeyValueEnd(void)
{
	if (keys.library)
		keys.finalize(NULL, 0);
	keyValueClose();
}
