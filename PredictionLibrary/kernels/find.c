/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which function a kernel is; see kernels.h. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PredictionLibrary/kernels/algebra.h"
#include "PredictionLibrary/kernels/kernels.h"
#include "common/environment.h"
#include "common/library.h"

/* A shared object. */
struct object {
	struct object *next;
	char *path;
	void *handle;
	const hdKernel *kernels;
};

struct hdKernelSet {
	char *directories;
	struct object *objects;
};

int hdKernelSetNew(const char *directories, struct hdKernelSet **set)
{
	struct hdKernelSet *self = calloc(1, sizeof(*self));

	if (!directories)
		directories = hdEnvironmentText(HD_KERNEL_PATH);
	if (self)
		self->directories = strdup(directories ? directories : "");
	if (!self || !self->directories) {
		free(self);
		return -ENOMEM;
	}
	hdAlgebraOpen();
	*set = self;
	return 0;
}

void hdKernelSetFree(struct hdKernelSet *set)
{
	struct object *next;

	if (!set)
		return;
	for (struct object *object = set->objects; object; object = next) {
		next = object->next;
		if (object->handle)
			dlclose(object->handle);
		free(object->path);
		free(object);
	}
	free(set->directories);
	free(set);
}

/* What is looked for: a kernel, or one that is only for an architecture. */
struct wanted {
	const char *id;
	const char *text; /* What patterns have to match. */
	bool isSpecial;   /* It is the name with "@" and the architecture. */
};

static const hdKernel *kernelFindSearchList(const hdKernel *kernels,
					    const struct wanted *wanted)
{
	for (; kernels && kernels->id; kernels++) {
		if (kernels->run &&
		    fnmatch(kernels->id, wanted->text, 0) == 0 &&
		    (!wanted->isSpecial || strchr(kernels->id, '@')))
			return kernels;
	}
	return NULL;
}

static int kernelFindLoadObject(struct object *object, char *why,
				size_t whySize)
{
	static const struct hdSymbol symbols[] = { { "hdK_kernels", 0, false },
						   { NULL, 0, false } };
	char reason[600];
	bool isNamed;

	object->handle = hdLibraryOpen(object->path, symbols, &object->kernels,
				       reason, sizeof(reason));
	if (object->handle)
		return 0;
	/* What is said of a file begins with its path. */
	isNamed = strncmp(reason, object->path, strlen(object->path)) == 0;
	snprintf(why, whySize, "%s%s%s", isNamed ? "" : object->path,
		 isNamed ? "" : ": ", reason);
	return -ENOEXEC;
}

/* An object that was opened before, or is now. */
static int kernelFindOpenObject(struct hdKernelSet *set, const char *path,
				struct object **result, char *why,
				size_t whySize)
{
	struct object *object = set->objects;

	while (object && strcmp(object->path, path) != 0)
		object = object->next;
	if (!object) {
		object = calloc(1, sizeof(*object));
		if (object)
			object->path = strdup(path);
		if (!object || !object->path) {
			free(object);
			snprintf(why, whySize, "%s", strerror(ENOMEM));
			return -ENOMEM;
		}
		object->next = set->objects;
		set->objects = object;
	}
	*result = object;
	return object->kernels ? 0 : kernelFindLoadObject(object, why, whySize);
}

/* In the object of a name, in the first directory that has one. */
static int kernelFindInObjects(struct hdKernelSet *set, const char *name,
			       const struct wanted *wanted,
			       const hdKernel **kernel, char *why,
			       size_t whySize)
{
	const char *at = set->directories;

	while (*at) {
		size_t length = strcspn(at, ":");
		char path[PATH_MAX];
		struct object *object;
		/* With a slash, so that it is not looked for elsewhere. */
		int used = snprintf(path, sizeof(path), "%.*s/%s.so",
				    (int)length, at, name);

		at += length + (at[length] != '\0');
		if (!length || used >= (int)sizeof(path) ||
		    access(path, F_OK) != 0)
			continue;
		used = kernelFindOpenObject(set, path, &object, why, whySize);
		if (used < 0)
			return used;
		*kernel = kernelFindSearchList(object->kernels, wanted);
		if (*kernel)
			return 0;
		snprintf(why, whySize, "%s: contains no kernel %s", path,
			 wanted->id);
		return -ENOEXEC;
	}
	return -ENOENT;
}

/* In all objects that may have it. */
static int kernelFindAny(struct hdKernelSet *set, const struct wanted *wanted,
			 const hdKernel **kernel, char *why, size_t whySize)
{
	int ret = -ENOENT;

	if (!strchr(wanted->id, '/'))
		ret = kernelFindInObjects(set, wanted->id, wanted, kernel, why,
					  whySize);
	/* Its own object may have it for other architectures only. */
	if (ret == -ENOENT || (ret < 0 && wanted->isSpecial))
		ret = kernelFindInObjects(set, "fallback", wanted, kernel, why,
					  whySize);
	return ret;
}

int hdKernelFind(struct hdKernelSet *set, const char *id,
		 const char *architecture, const hdKernel **kernel, char *why,
		 size_t whySize)
{
	struct wanted wanted = { id, NULL, true };
	char *text;
	int ret;

	if (asprintf(&text, "%s@%s", id, architecture) < 0)
		return -ENOMEM;
	wanted.text = text;
	ret = kernelFindAny(set, &wanted, kernel, why, whySize);
	free(text);
	if (ret == 0 || ret == -ENOMEM)
		return ret;
	wanted = (struct wanted){ id, id, false };
	*kernel = kernelFindSearchList(hdKernelBuiltins, &wanted);
	if (*kernel)
		return 0;
	ret = kernelFindAny(set, &wanted, kernel, why, whySize);
	if (ret == -ENOENT)
		snprintf(why, whySize, "not built in, and no %s.so in \"%s\"",
			 id, set->directories);
	return ret;
}

int hdKernelRun(const hdKernel *kernel, const hdKernelCall *call)
{
	/* A kernel that lacks one of them says so itself. */
	if (kernel->inout && kernel->inout <= call->inCount && call->outCount) {
		const hdKernelBuffer *in = call->in + kernel->inout - 1;

		if (in->size != call->out[0].size)
			return -EINVAL;
		if (in->data != call->out[0].data)
			memcpy(call->out[0].data, in->data, in->size);
	}
	return kernel->run(call);
}
