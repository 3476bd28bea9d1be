/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A client of our own protocol, for tests: what is not as it should be ends the
 * test.
 */
#ifndef TEST_NATIVE_PEER_H
#define TEST_NATIVE_PEER_H

#include <glib.h>

#include "PowerTracingLibrary/wire/wire.h"

/** A connection. */
struct native {
	int fd;
	struct hdFrameGreeting greeting;
	uint16_t tag;     /**< Of the last request. */
	GPtrArray *early; /**< Those of its streams. */
	unsigned char payload[1 << 17];
};

#define NATIVE_COLUMNS 64
#define NATIVE_GROUPS 4

struct nativeColumn {
	unsigned int group, lines, kind, flags;
	char node[64], line[64], value[16], unit[16], source[300];
};

struct nativeStream {
	uint32_t number;
	size_t groupCount, columnCount;
	uint32_t every[NATIVE_GROUPS];
	int64_t intervalNs[NATIVE_GROUPS];
	struct nativeColumn columns[NATIVE_COLUMNS];
	int64_t startWall, startMono, stopWall, stopMono;
	GArray *early; /**< Readings that came before the stop. */
};

struct nativeReading {
	unsigned int group;
	int64_t wall, mono, length;
	uint32_t lost, marks;
	double values[NATIVE_COLUMNS];
};

struct nativeGroup {
	struct nativeReading *readings;
	size_t count;
	struct ptWireLoss losses[16];
	size_t lossCount;
	struct ptWireTotal total;
	struct ptWireColumnTotal totals[NATIVE_COLUMNS];
};

struct nativeRecording {
	struct nativeGroup groups[NATIVE_GROUPS];
	unsigned int why;
};

/** Say hello over a connection, and hear the greeting. */
struct native *nativeOpen(int fd);

/** Close it. */
void nativeClose(struct native *native);

/** The same for one whose socket is closed. */
void nativeFree(struct native *native);

/** Send a request; returns its tag. */
uint16_t nativeAsk(struct native *native, enum ptWireType type,
		   const void *message);

/** Authenticate; returns the type of the answer, which is one of the two. */
unsigned int nativeAuthenticate(struct native *native, const char *user,
				const char *token);

/** Receive a frame of any type; texts are valid until the next one. */
void nativeNext(struct native *native, struct hdFrameHeader *header,
		union ptWireAnswer *any);

/** Receive a frame that must have this type and tag. */
void nativeHear(struct native *native, enum ptWireType type, uint16_t tag,
		union ptWireAnswer *any);

/** Skip frames until one has this type and tag. */
void nativeAwait(struct native *native, enum ptWireType type, uint16_t tag);

/** Receive an error, with anything before it that has tag 0. */
void nativeError(struct native *native, uint16_t tag, int code);

/** Ask, and be refused. */
void nativeRefuse(struct native *native, enum ptWireType type,
		  const void *message, int code);

/** Open a stream: "DEVICE NODE LINE VALUE;...", with "-" for an empty text. */
void nativeOpenStream(struct native *native, uint32_t flags, double frequency,
		      uint32_t delayMs, const char *selections,
		      struct nativeStream *stream);

/** The same, and be refused. */
void nativeRefuseStream(struct native *native, double frequency,
			const char *selections, int code);

/** Begin to record. */
void nativeStart(struct native *native, struct nativeStream *stream);

/** End recording; data that comes before the answer is kept. */
void nativeStop(struct native *native, struct nativeStream *stream);

/** Wait for an event of the first group. */
void nativeAwaitEvent(struct native *native, struct nativeStream *stream,
		      unsigned int what);

/** Receive all of a recording. */
struct nativeRecording *nativeRecorded(struct native *native,
				       struct nativeStream *stream);

/** Free it. */
void nativeForget(struct nativeRecording *recording);

#endif
