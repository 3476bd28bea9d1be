/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a server does with a request: state machines. */
#ifndef REQUEST_H
#define REQUEST_H

#include "bmi.h"
#include "machine.h"
#include "trove.h"

/* What all requests of a server use. */
struct service {
	int directory; /* With its files; a descriptor. */
	struct machinePool *pool;
	struct bmi *bmi;
	struct trove *trove;
	/* Called by any thread when a request has been answered, or could not
	 * be: then IS_BROKEN says that nothing more can come from the socket.
	 */
	void (*answered)(void *connection, int isBroken);
};

/* Work on a request that has come: BYTES are complete (see wireLength()), and
 * are used until then. */
void requestStart(struct service *service, void *connection, int socket,
		  char *bytes);

#endif
