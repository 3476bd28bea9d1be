/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How to get from a place in a function to its caller, by the unwind tables in
 * .eh_frame: DWARF 5, section 6.4, and Linux Standard Base Core 5.0, section
 * 10.6. Implemented for x86-64 (System V psABI, section 3.7).
 *
 * Tables are read by a system call, so an object that another thread unloads
 * meanwhile is an error, not a crash. Nothing allocates or locks: a signal
 * handler may call this.
 */
#ifndef HDMPI_FRAMERULES_H
#define HDMPI_FRAMERULES_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__LP64__)
/** Whether this machine is supported. */
#define HDMPI_HAS_FRAME_RULES 1
#else
#define HDMPI_HAS_FRAME_RULES 0
#endif

/** The canonical frame address: the stack pointer before the call. */
enum hdmpiFrameAddress {
	HDMPI_FRAME_END,   /**< There is no caller. */
	HDMPI_FRAME_OF_SP, /**< Stack pointer + offset. */
	HDMPI_FRAME_OF_FP, /**< Frame pointer + offset. */
	HDMPI_FRAME_AT_SP, /**< What lies at stack pointer + offset. */
	HDMPI_FRAME_AT_FP, /**< What lies at frame pointer + offset. */
};

/** The frame pointer of the caller. */
enum hdmpiFramePointer {
	HDMPI_FRAME_SAME,     /**< As it is. */
	HDMPI_FRAME_SAVED,    /**< At the canonical frame address + offset. */
	HDMPI_FRAME_SAVED_FP, /**< At frame pointer + offset. */
};

/** How to get from a place to its caller, whose return address lies before the
 * canonical frame address. */
struct hdmpiFrameRule {
	int32_t addressOffset, pointerOffset;
	uint8_t address; /**< enum hdmpiFrameAddress */
	uint8_t pointer; /**< enum hdmpiFramePointer */
};

/** Whether the system call is allowed that reads tables: some containers
 *  forbid it. */
bool hdmpiFrameRulesAreReadable(void);

/**
 * Find the rule of a place.
 *
 * @param place The address of an instruction.
 * @param header .eh_frame_hdr of the object that it is in.
 *
 * @return Whether there is one that a struct hdmpiFrameRule can tell.
 */
bool hdmpiFrameRuleFind(uintptr_t place, uintptr_t header,
			struct hdmpiFrameRule *rule);

#endif
