#!/bin/sh
# A plugin with probes is loaded and closed, while threads of it come and go:
# its counts stay, and go on when it is loaded again; with the library linked into
# the program, and into the plugin.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
cd "$scratch" || exit 99
include=$abs_top_srcdir/InstrumentationLibrary/include
libs=${abs_top_builddir:?}/.libs
archives=$libs/libhdProbe.a
[ -f "$archives" ] || archives=
LD_LIBRARY_PATH=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

cat >plugin.c <<'END'
#include <pthread.h>
#include <hdProbe.h>
#include <stddef.h>
static void *work(void *context)
{
	for (int i = 0; i < 1000; i++)
		HDPROBE_COUNT("plugin", 1);
	return context;
}
unsigned long run(void);
unsigned long run(void)
{
	struct hdProbeFigures figures;
	pthread_t ids[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	/* The thread that goes on has counts, too, when it is closed. */
	work(NULL);
	return hdProbe_snapshot(&figures, 1, 0) < 1 ? 0 : figures.instances;
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef HAS_PROBES
#include <hdProbe.h>
#endif
static void *load(void *context)
{
	unsigned long *found = context;
	void *plugin = dlopen("./plugin.so", RTLD_NOW);
	unsigned long (*run)(void);

	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	*(void **)&run = dlsym(plugin, "run");
	*found = run();
	dlclose(plugin);
	return NULL;
}
int main(int argc, char **argv)
{
	int goesOn = argc > 1 && argv[1][0] == 'y';

	for (unsigned long i = 1; i <= 50; i++) {
		unsigned long found = 0;
		pthread_t id;

#ifdef HAS_PROBES
		HDPROBE_COUNT("plugin", 0);
		found = hdProbe_lost();
#endif
		/* It ends when the plugin is closed already. */
		pthread_create(&id, NULL, load, &found);
		pthread_join(id, NULL);
#ifdef HAS_PROBES
		(void)goesOn;
		if (found != i * 5001)
#else
		if (found != (goesOn ? i : 1) * 5000)
#endif
		{
			fprintf(stderr, "round %lu: %lu\n", i, found);
			return 1;
		}
	}
	return 0;
}
END

compile() {
	# shellcheck disable=SC2086
	${CC:-cc} ${HD_SANITIZE-} -Wall -I"$include" "$@"
}

# The archives are of code that can be anywhere only if they were built so.
in_plugin() {
	# shellcheck disable=SC2086
	compile -fPIC -shared -o plugin.so plugin.c $archives -pthread &&
		compile -o host host.c -ldl -pthread && ./host n
}

# Functions of the program are the plugin's, too.
in_program() {
	# shellcheck disable=SC2086
	compile -fPIC -shared -o plugin.so plugin.c -pthread &&
		compile -DHAS_PROBES -rdynamic -o host host.c \
			-Wl,--whole-archive $archives -Wl,--no-whole-archive \
			-ldl -pthread && ./host
}

shared() {
	compile -fPIC -shared -o plugin.so plugin.c -L"$libs" -lhdProbe \
		-pthread && compile -o host host.c -ldl -pthread && ./host y
}

if [ -n "$archives" ]; then
	case ${HD_SANITIZE-} in
	'') ok "a plugin that contains the library can be unloaded" in_plugin ;;
	*) skip "a plugin that contains the library can be unloaded" "sanitizers lose what is closed" ;;
	esac
	ok "a plugin of a program that contains the library can be unloaded" in_program
else
	skip "a plugin that contains the library can be unloaded" "there is no static library"
fi
if [ -f "$libs/libhdProbe.so" ]; then
	ok "a plugin that uses the shared library can be unloaded" shared
else
	skip "a plugin that uses the shared library can be unloaded" "there is none"
fi
done_testing
