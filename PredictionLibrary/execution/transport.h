/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What moves data sets, between its parts: transport.c sends and receives,
 * scarce.c deals with messages for which there is no memory.
 */
#ifndef HD_EXECUTE_TRANSPORT_H
#define HD_EXECUTE_TRANSPORT_H

#include <mpi.h>

#include "PredictionLibrary/execution/execute.h"

/** What a head says of its message: data follow; may they come; they may; is
 * there memory for it; there is; there is none; it may ask again; and, of none:
 * all is to stop. */
enum hdTransportWord {
	HD_TRANSPORT_COMES,
	HD_TRANSPORT_ASKS,
	HD_TRANSPORT_MAY_COME,
	HD_TRANSPORT_NEEDS_ROOM,
	HD_TRANSPORT_HAS_ROOM,
	HD_TRANSPORT_NO_ROOM,
	HD_TRANSPORT_RETRY,
	HD_TRANSPORT_STOP,
};

struct hdTransportHead {
	uint32_t word, message;
};

/** What a request is of. */
enum hdTransportKind {
	HD_TRANSPORT_HEAD_IN,
	HD_TRANSPORT_DATA_IN,
	HD_TRANSPORT_HEAD_OUT,
	HD_TRANSPORT_DATA_OUT,
	HD_TRANSPORT_BARRIER,
	HD_TRANSPORT_WAVE,
};

/** A request, and what is known of it. */
struct hdTransportOperation {
	enum hdTransportKind kind;
	uint32_t message;
	int64_t startNs;
	int64_t dueNs;                /**< When it may be over. */
	struct hdTransportHead *head; /**< That is sent, to be freed; or NULL.
				       */
};

/** A message that waits for memory here. */
struct hdTransportRefused {
	uint32_t message;
	bool isTold; /**< That it may ask again. */
};

/** What all processes do together at the end of a wave: sums of these. */
struct hdTransportWave {
	uint64_t sent, received; /**< Heads. */
	uint64_t steps;          /**< Whatever went on. */
};

/** Of one process. */
struct hdTransport {
	struct hdExecution *run;
	MPI_Request *requests;
	struct hdTransportOperation *operations;
	int *indices;
	int count, room;
	struct hdTransportHead headIn;
	struct hdTransportOperation *late; /**< Over, but before their times. */
	int lateCount;
	uint32_t sending; /**< Bridges that are busy. */
	bool isTold;      /**< The others know that this one stops. */
	bool isLeaving, isDone;

	/* Of scarce memory. */
	struct hdTransportRefused *refused; /**< To here, without memory. */
	uint32_t refusedCount, refusedRoom;
	uint32_t waiting; /**< Messages from here that were refused. */
	bool isScarce;    /**< Some node has full="delay". */
	MPI_Comm waves;
	uint64_t waveCount; /**< Waves that this process joined. */
	int waveParts;      /**< Requests of one that are not over. */
	int64_t nextWaveNs;
	struct hdTransportWave own, posted, sums, before;
	int least, culprit; /**< A process in which memory is waited for. */
};

/** Room for a request: a place for it. */
MPI_Request *hdTransportAddRequest(struct hdTransport *self,
				   struct hdTransportOperation operation);

/** Send a head. */
void hdTransportSendHead(struct hdTransport *self, uint32_t to,
			 enum hdTransportWord word, uint32_t message);

/** Get ready for scarce memory, and end that; in all processes. */
void hdTransportScarceBegin(struct hdTransport *self);
void hdTransportScarceEnd(struct hdTransport *self);

/** Whether a message has to ask for memory where it goes. */
bool hdTransportNeedsRoom(const struct hdTransport *self, uint32_t message);

/** A message asks for memory here. */
void hdTransportTakeNeed(struct hdTransport *self, uint32_t message);

/** Let messages ask again, once there is memory; whether any may. */
bool hdTransportRetry(struct hdTransport *self);

/** Join the search for a deadlock, if nothing goes on here. */
void hdTransportJoinWave(struct hdTransport *self);

/** A part of it is over. */
void hdTransportEndWave(struct hdTransport *self);

#endif
