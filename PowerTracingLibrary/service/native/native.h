/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the files share that speak our own protocol
 * (doc/format/power-service.md).
 */
#ifndef PT_NATIVE_H
#define PT_NATIVE_H

#include "PowerTracingLibrary/service/core/client.h"
#include "PowerTracingLibrary/wire/wire.h"
#include "net/service/session.h"

/** Streams of a client at most. */
#define PT_NATIVE_STREAMS_MAX 64

struct ptStream;

/** What a client does. */
struct ptNative {
	struct hdSession session; /**< Who it is, and what it asks. */
	struct ptStream *streams;
	uint32_t lastStream; /**< Number of the last one. */
	size_t streamCount;
};

/** Get the session of a client. */
struct ptNative *ptNativeOf(const struct ptClient *client);

/** Put a frame into room that there is; what cannot be sent ends the
 * connection. */
void ptNativePut(struct ptClient *client, enum ptWireType type, uint16_t tag,
		 const void *message, unsigned char *room, size_t size);

/** Send a frame. */
void ptNativeSend(struct ptClient *client, enum ptWireType type, uint16_t tag,
		  const void *message);

/** Send an error. */
void ptNativeFail(struct ptClient *client, uint16_t tag, enum hdFrameError code,
		  const char *format, ...)
	__attribute__((__format__(__printf__, 4, 5)));

/** Answer LIST. */
void ptNativeList(struct ptClient *client, uint16_t tag);

#endif
