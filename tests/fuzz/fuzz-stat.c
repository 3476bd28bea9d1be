/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: a .stat file: its header and its entries. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzzRead("fuzz_node_0_Group.stat", data, size);
	return 0;
}
