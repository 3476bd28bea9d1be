/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The translator has every operation that GlusterFS' struct has, each by a
 * function of its own, and knows each by the number that GlusterFS gives it.
 */
#include "config.h"

#include <dlfcn.h>
#include <glib.h>
#include <stddef.h>

#include "GlusterFSTracing/xlator/fops.h"
#include "GlusterFSTracing/xlator/gluster.h"

/* The struct begins with the operations, in the order of their numbers, which
 * begin at 1; what follows is for the compiler. */
#define FOPS (offsetof(struct xlator_fops, stat_cbk) / sizeof(void *))

static xlator_api_t *api;

static bool isPlaceholder(size_t at)
{
	return at == offsetof(struct xlator_fops, forget_placeholder) /
			       sizeof(void *) ||
	       at == offsetof(struct xlator_fops, release_placeholder) /
			       sizeof(void *) ||
	       at == offsetof(struct xlator_fops, releasedir_placeholder) /
			       sizeof(void *);
}

static void testComplete(void)
{
	void **fops = (void **)api->fops;

	g_assert_cmpuint(FOPS, ==, GF_FOP_MAXVALUE - 1);
	for (size_t i = 0; i < FOPS; i++) {
		if (isPlaceholder(i)) {
			g_assert_null(fops[i]);
			continue;
		}
		g_assert_nonnull(fops[i]);
		for (size_t j = 0; j < i; j++)
			g_assert_true(fops[j] != fops[i]);
	}
}

#define FOP(name, INDEX, ...)                                                 \
	g_assert_cmpuint(offsetof(struct xlator_fops, name) / sizeof(void *), \
			 ==, GF_FOP_##INDEX - 1);                             \
	rows++;

static void testNumbers(void)
{
	size_t rows = 0;

	HDG_FOPS(FOP)
	/* Besides, there are getspec and the placeholders. */
	g_assert_cmpuint(rows, ==, FOPS - 4);
}

static void testApi(void)
{
	g_assert_nonnull(api->init);
	g_assert_nonnull(api->fini);
	g_assert_nonnull(api->reconfigure);
	g_assert_cmpstr(api->identifier, ==, "hdtrace");
	for (const volume_option_t *option = api->options; option->key[0];
	     option++)
		g_assert_nonnull(option->description);
}

int main(int argc, char **argv)
{
	char *path;
	void *object;

	g_test_init(&argc, &argv, NULL);
	path = g_build_filename(g_getenv("abs_top_builddir"),
				"GlusterFSTracing", "hdtrace.so", NULL);
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object)
		g_error("%s", dlerror());
	g_free(path);
	api = dlsym(object, "xlator_api");
	g_assert_nonnull(api);
	g_test_add_func("/gluster/table/complete", testComplete);
	g_test_add_func("/gluster/table/numbers", testNumbers);
	g_test_add_func("/gluster/table/api", testApi);
	return g_test_run();
}
