/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Without OTF2 there is nothing to compare with. */
#include "config.h"

#include "tests/bench/bench-peer.h"

const struct benchPeer benchPeer = { .name = "OTF2" };
