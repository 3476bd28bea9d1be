/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compare-probe pair|dispatch COUNT: does so many measurements with the public
 * header and the library of a revision, for compare.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdProbe.h>

static void pairs(long count)
{
	for (long i = 0; i < count; i++) {
		HDPROBE_START(pair, "pair");
		HDPROBE_STOP(pair);
	}
}

static void dispatches(long count)
{
	for (long i = 0; i < count; i++) {
		HDPROBE_DISPATCH_START(kernel, "dispatch");
		HDPROBE_BODY_START(kernel);
		HDPROBE_BODY_STOP(kernel);
		HDPROBE_DISPATCH_STOP(kernel);
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "pair") == 0) {
		pairs(atol(argv[2]));
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "dispatch") == 0) {
		dispatches(atol(argv[2]));
		return 0;
	}
	fputs("Usage: compare-probe pair|dispatch COUNT\n", stderr);
	return 2;
}
