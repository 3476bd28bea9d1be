/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Return addresses on a stack; see unwind.h. */
/* _dl_find_object() is glibc's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "config.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "MPITracingLibrary/src/sample/unwind.h"

#define WORD sizeof(uintptr_t)

#if HDMPI_HAS_FRAME_RULES && defined(DLFO_STRUCT_HAS_EH_DBASE)
bool hdmpiUnwindIsHere(void)
{
	enum { UNKNOWN, HERE, NOT_HERE };
	static atomic_int state;

	if (atomic_load(&state) == UNKNOWN)
		atomic_store(&state,
			     hdmpiFrameRulesAreReadable() ? HERE : NOT_HERE);
	return atomic_load(&state) == HERE;
}

/* The unwind tables of the object that is at a place; 0: there is none. */
static uintptr_t unwindHeader(uintptr_t place)
{
	struct dl_find_object found;

	return _dl_find_object((void *)place, &found) == 0
		       ? (uintptr_t)found.dlfo_eh_frame
		       : 0;
}
#else
bool hdmpiUnwindIsHere(void)
{
	return false;
}

static uintptr_t unwindHeader(uintptr_t place)
{
	(void)place;
	return 0;
}
#endif

/* Sanitizers put areas on stacks that they take for nobody's. */
static __attribute__((__no_sanitize_address__)) bool unwindLoad(
	const struct hdmpiStackBytes *stack, uintptr_t address, uintptr_t *word)
{
	uintptr_t at = address - stack->from;

	if (stack->size < WORD || at > stack->size - WORD)
		return false;
	memcpy(word, (const unsigned char *)stack->bytes + at, WORD);
	return true;
}

/* The rule of a place; NULL: not known. */
static const struct hdmpiFrameRule *unwindRule(struct hdmpiUnwinder *self,
					       uintptr_t place)
{
	uintptr_t header = unwindHeader(place);
	size_t hash =
		(size_t)((uint64_t)place * UINT64_C(0x9e3779b97f4a7c15) >> 32);
	struct hdmpiKeptRule *kept =
		&self->rules[hash & (HDMPI_UNWIND_RULES - 1)];

	if (!header)
		return NULL;
	if (kept->place == place && kept->header == header)
		return &kept->rule;
	kept->place = 0;
	if (!hdmpiFrameRuleFind(place, header, &kept->rule))
		return NULL;
	kept->header = header;
	kept->place = place;
	return &kept->rule;
}

/* Where an address of the caller's is: what a rule counts from. */
static bool unwindAddress(const struct hdmpiFrameRule *rule,
			  const struct hdmpiStackPlace *place,
			  const struct hdmpiStackBytes *stack,
			  uintptr_t *address)
{
	bool isOfSp = rule->address == HDMPI_FRAME_OF_SP ||
		      rule->address == HDMPI_FRAME_AT_SP;

	if (rule->address == HDMPI_FRAME_END)
		return false;
	*address = (isOfSp ? place->pointer : place->frame) +
		   (uintptr_t)(intptr_t)rule->addressOffset;
	if (rule->address == HDMPI_FRAME_AT_SP ||
	    rule->address == HDMPI_FRAME_AT_FP)
		return unwindLoad(stack, *address, address);
	return true;
}

/* The frame pointer of the caller. */
static bool unwindPointer(const struct hdmpiFrameRule *rule,
			  const struct hdmpiStackPlace *place,
			  const struct hdmpiStackBytes *stack,
			  struct hdmpiStackPlace *caller)
{
	uintptr_t at = (rule->pointer == HDMPI_FRAME_SAVED ? caller->pointer
							   : place->frame) +
		       (uintptr_t)(intptr_t)rule->pointerOffset;

	/* Beyond the end of the stack: it was restored an instruction ago. */
	if (rule->pointer == HDMPI_FRAME_SAME || at < place->pointer)
		return true;
	return unwindLoad(stack, at, &caller->frame);
}

/* What compilers and people who write assembly by hand leave if they leave no
 * table: perhaps a frame pointer. */
static const struct hdmpiFrameRule unwindByPointer = {
	.address = HDMPI_FRAME_OF_FP,
	.addressOffset = 2 * WORD,
	.pointer = HDMPI_FRAME_SAVED,
	.pointerOffset = -2 * (int)WORD,
};

/* Go to the caller; false: there is none, or it is not found. */
static bool unwindStep(struct hdmpiUnwinder *self,
		       struct hdmpiStackPlace *place,
		       const struct hdmpiStackBytes *stack, bool isCall)
{
	const struct hdmpiFrameRule *rule =
		unwindRule(self, place->instruction - isCall);
	struct hdmpiStackPlace caller = *place;

	if (!rule)
		rule = &unwindByPointer;
	if (!unwindAddress(rule, place, stack, &caller.pointer) ||
	    caller.pointer <= place->pointer ||
	    !unwindLoad(stack, caller.pointer - WORD, &caller.instruction))
		return false;
	/* A guess is to lead somewhere. */
	if (!caller.instruction ||
	    (rule == &unwindByPointer && !unwindHeader(caller.instruction - 1)))
		return false;
	if (!unwindPointer(rule, place, stack, &caller))
		return false;
	*place = caller;
	return true;
}

size_t hdmpiUnwind(struct hdmpiUnwinder *self, struct hdmpiStackPlace place,
		   const struct hdmpiStackBytes *stack, uintptr_t *frames,
		   size_t room)
{
	size_t count = 0;

	/* As of a call, the address behind the instruction. */
	frames[count++] = place.instruction + 1;
	while (count < room && unwindStep(self, &place, stack, count > 1))
		frames[count++] = place.instruction;
	return count;
}
