/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How many bytes a process gives and gets in a collective call of MPI.
 *
 * These are the bytes that are read from its buffer for sending, and written to
 * its buffer for receiving; of data that stays in place neither. So of a call
 * that all processes make, all together get what all together give, but for
 * copies: a broadcast gives once what many get, and a reduction makes one of
 * many.
 *
 * What the numbers in a file mean differs between functions;
 * common/mpi/functions.table says it.
 */
#ifndef HD_VOLUME_H
#define HD_VOLUME_H

#include <stdbool.h>
#include <inttypes.h>

#include <hdReading.h>
#include "HDTraceTools/model/mpi/messages.h"

/** How a process takes part in a call. */
struct volumePart {
	/** Processes of the communicator; of an intercommunicator, those of the
	 *  own group, and those of the other one. */
	int64_t processes;
	int64_t peers;
	int64_t rank; /**< Its own one there. */
	bool isInter;
	bool isRoot;
	bool isNobody; /**< In the group of an intercommunicator's root. */
};

/** Bytes; -1: the file does not say it. */
struct volume {
	int64_t given;
	int64_t got;
};

/** Whether a function is a collective one, in any form. */
bool volumeIsCollective(const char *name);

/** Whether a state is a collective call, whose bytes are known or not. */
bool volumeOf(const hdIRecord *record, const struct volumePart *part,
	      struct volume *volume);

/** The communicator of a collective call, and the root as the call names it. */
struct volumeShare {
	const struct messageGroup *group;
	int64_t cid;
	int64_t root;
	bool hasRoot;
	bool isRoot;   /**< This process is the root. */
	bool isNobody; /**< It is in the group of an intercommunicator's root.
			*/
};

/** Read them, of a record of the trace that was entered; false if the
 *  communicator is not known. */
bool volumeShareOf(const struct messages *messages, const hdIRecord *record,
		   struct volumeShare *share);

/** The bytes of a call of the trace that was entered. */
struct volume volumeOfShare(const struct messages *messages,
			    const hdIRecord *record,
			    const struct volumeShare *share);

#endif
