/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: graphs in DOT. */
#include "config.h"

#include "tests/fuzz/imported.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	importedTry(importDot, "flops", data, size);
	return 0;
}
