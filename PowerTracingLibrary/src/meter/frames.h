/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Meters that send frames, one after the other, in a cycle of their own.
 *
 * A driver says what a frame is (struct ptFraming); all else is done here:
 * frames that come in parts or several at once, bytes between them that are
 * none, the time of each, how many are missing before it, and silence.
 *
 * Most of these meters do not count what they send. So frames are missing where
 * bytes are damaged, or where nothing came for longer than a cycle; how many is
 * told by the time that passed. No frame is ever made up or given twice.
 *
 * Used by one thread at a time. Functions return 0 or a negative errno value.
 *
 * Meters that send frames by themselves share frames.c; what is their own is
 * what a frame is, a function on bytes alone, and how it makes values. Most
 * of them do not number their frames. How many are missing is told by time:
 * at once where bytes were damaged or nothing came for long, else when 32
 * frames in a row are late by a cycle more than the 32 before, for single
 * ones are late by chance. Their cycle is measured, since few keep to what
 * is written about them.
 *
 * A frame is believed only if what is before and behind it fits, where the
 * protocol allows to see that (picframe.h, hexline.h, arduframe.h). It costs
 * the first frame of a trace, and no value that is wrong gets into it when
 * bytes are lost; bits that are wrong nobody can see without a checksum.
 */
#ifndef PT_FRAMES_H
#define PT_FRAMES_H

#include "PowerTracingLibrary/src/core/driver.h"
#include "PowerTracingLibrary/src/meter/pace.h"
#include "PowerTracingLibrary/src/meter/receiver.h"

/** How bytes become frames. */
struct ptFraming {
	/**
	 * Look what some bytes begin with. Works on the bytes alone.
	 *
	 * @param format What ptFramesInit() was given.
	 * @param size At least 1.
	 * @param[out] length How many bytes this is about.
	 * @param[out] why What is wrong with them, if they are no frame.
	 * @retval 1 A frame.
	 * @retval 0 More bytes are needed to tell.
	 * @retval -EAGAIN Nothing that matters, as there may be between frames.
	 * @retval -EPROTO No frame.
	 */
	int (*find)(const void *format, const uint8_t *bytes, size_t size,
		    size_t *length, const char **why);
	/** Longest frame, and bytes beyond it that find() may have to see. */
	size_t frameMax;
	/** Whether a frame behind damaged bytes must be followed by another one
	 *  to be believed: there may be something like it among data. */
	bool isAmbiguous;
};

/** What is known of the time between frames. */
enum ptFramesRate {
	PT_RATE_ABOUT, /**< About the cycle; it is measured on the way. */
	PT_RATE_EXACT, /**< The cycle, but for what clocks differ. */
	/** About the cycle; and the way to the meter loses nothing, nor may we,
	 *  for nothing in the bytes tells where a frame begins. */
	PT_RATE_LOSSLESS,
};

/** Frames that are looked at together to see how fast they come. */
#define PT_FRAMES_EDGE 8

/** A frame. */
struct ptFrame {
	const uint8_t *bytes; /**< Until the next call for the stream. */
	size_t length;
	uint64_t position; /**< Of its first byte among all. */
};

/** A meter that sends frames. */
struct ptFrames {
	const struct ptDriver *driver;
	const struct ptFraming *framing;
	const void *format;
	struct ptReceiver receiver;
	struct ptPace pace;
	enum ptFramesRate rate;
	int64_t cycleNs; /**< As it should be. */
	size_t stampAt;  /**< Byte of a frame whose arrival counts. */
	uint8_t *bytes;  /**< What is not used yet: from begin to end. */
	size_t size;
	size_t begin, end;
	uint64_t position;    /**< Of bytes[begin]. */
	size_t usual;         /**< Length of a frame, or 0. */
	struct ptFrame frame; /**< The last one. */
	const char *why;      /**< What was wrong. */

	bool isDamaged;      /**< Bytes since the last frame were none. */
	bool isLost;         /**< That has been told. */
	bool hasLast;        /**< There was a frame since the start. */
	int64_t lastNs;      /**< When that was, by the monotonic clock, */
	int64_t lastEndNs;   /**< and by the other one. */
	unsigned int silent; /**< Times in a row that nothing came. */
	uint64_t lost;       /**< Of the last reading. */
	uint64_t rejected;   /**< Of readings that were rejected since. */
	uint64_t damages;    /**< That were told, since ptFramesInit(). */
	struct ptFramesRun {
		uint64_t count;  /**< Frames. */
		int64_t beganNs; /**< When the first came. */
		int64_t cycleNs; /**< What was taken for the cycle. */
		int64_t firstNs; /**< Least delay of the first. */
		int64_t lateNs[PT_FRAMES_EDGE]; /**< Delays; a ring. */
	} run; /**< Frames one after the other, to measure the cycle. */
	uint64_t runBest; /**< Length of that by which the cycle is known. */
	struct ptFramesLevel {
		unsigned int count; /**< Frames that were looked at. */
		int64_t leastNs;    /**< Of these, the least delay. */
		bool hasBefore;
		int64_t beforeNs; /**< As many before had this. */
	} level;                  /**< What frames are late in the long run. */
	bool isGone; /**< Nothing can be sent to the meter any more. */
};

/**
 * Begin.
 *
 * @param format For find().
 * @param byteNs Time of a byte on the wire; 0 if it takes none.
 * @param cycleNs Time between frames.
 *
 * @retval -ENOMEM There is no memory.
 */
int ptFramesInit(struct ptFrames *stream, struct ptDevice *dev,
		 const struct ptFraming *framing, const void *format,
		 int64_t byteNs, int64_t cycleNs, enum ptFramesRate rate);

/** Free what it holds. */
void ptFramesClear(struct ptFrames *stream);

/** Forget all that came (whole frames, if nothing may be lost), and what was
 *  known of time: the meter begins anew. */
void ptFramesStart(struct ptFrames *stream);

/** Use another format from now on; forgets what came. */
void ptFramesSetFormat(struct ptFrames *stream, const void *format);

/**
 * Wait for the next frame, whenever it comes: an answer. It is in
 * stream->frame; what is none is passed over.
 *
 * @return 0, or an error of ptTransportRead().
 */
int ptFramesNext(struct ptFrames *stream, int64_t deadlineNs);

/**
 * Wait until nothing comes any more, and forget what came.
 *
 * @retval -ETIMEDOUT It did not become quiet.
 */
int ptFramesQuiet(struct ptFrames *stream, int64_t deadlineNs);

/** Send bytes. */
int ptFramesSend(struct ptFrames *stream, const void *bytes, size_t size,
		 int64_t deadlineNs);

/**
 * Wait for the next frame that comes by itself. It is in stream->frame. For
 * drivers that make a reading of several: the last is one for ptFramesRead().
 *
 * @return 0, or as ptDriver.read(), after saying why.
 */
int ptFramesAwait(struct ptFrames *stream);

/**
 * Wait for the next frame of the meter's cycle, for ptDriver.read(). It is in
 * stream->frame; if the driver finds that it makes no sense it is to call
 * ptFramesReject().
 *
 * @return 0, or as ptDriver.read(), after saying why.
 */
int ptFramesRead(struct ptFrames *stream, struct ptDevice *dev,
		 struct ptReading *reading);

/**
 * The frame of the last ptFramesRead() makes no sense: it counts as lost.
 *
 * @return -EPROTO
 */
int ptFramesReject(struct ptFrames *stream, const char *why);

#endif
