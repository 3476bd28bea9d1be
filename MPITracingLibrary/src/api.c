/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a program may say to the wrapper: hdMPI.h, its forms for Fortran, and
 * MPI_Pcontrol(). */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hdMPI.h>
#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/host/losses.h"
#include "MPITracingLibrary/src/wrap/fortran.h"

/* The calling thread, while the wrapper is active; to be left. MPI_Finalize()
 * waits for threads that are in here; see hdmpiThreadsEnd(). */
static struct hdmpiThread *apiEnter(void)
{
	struct hdmpiThread *self;

	if (!atomic_load_explicit(&hdmpiIsActive, memory_order_relaxed))
		return NULL;
	self = hdmpiThreadGet();
	if (!self)
		return NULL;
	return hdmpiThreadEnter(self) ? self : NULL;
}

static int apiLeave(struct hdmpiThread *self, bool isRecorded)
{
	hdmpiThreadLeave(self);
	return isRecorded ? 0 : 1;
}

/* Enable or disable; 1 if it was already. */
static int switchTo(bool isOn)
{
	long long switched = atomic_load(&hdmpiSwitched);

	do {
		if ((switched & 1) == isOn)
			return 1;
	} while (!atomic_compare_exchange_weak(&hdmpiSwitched, &switched,
					       switched + 1));
	return 0;
}

int hdMPI_enable(void)
{
	return switchTo(true);
}

int hdMPI_disable(void)
{
	return switchTo(false);
}

/* ---- Regions ----------------------------------------------------------------
 */

static bool isNameChar(char c, bool isFirst)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
	       (!isFirst && ((c >= '0' && c <= '9') || c == '.' || c == '-'));
}

/* Make a name that a state may have. */
static void mpiApiRegionName(const char *name, char *state, size_t size)
{
	size_t used = 0;

	for (; name[used] && used < size - 2; used++)
		state[used] =
			isNameChar(name[used], used == 0) ? name[used] : '_';
	if (used == 0)
		state[used++] = '_';
	state[used] = '\0';
	if (strcmp(state, "Nested") == 0 || strcmp(state, "Event") == 0 ||
	    strcmp(state, "Program") == 0 || strcmp(state, "Tracer") == 0)
		memcpy(state + used, "_", 2);
}

static bool regionStart(struct hdmpiThread *self, const char *name)
{
	char state[256];

	mpiApiRegionName(name, state, sizeof(state));
	if (!hdmpiRegionStart(self, state, NULL))
		return false;
	if (strcmp(state, name) != 0)
		hdT_logAttributeString(self->trace, "name", name);
	return true;
}

int hdMPI_regionStart(const char *name)
{
	struct hdmpiThread *self = name ? apiEnter() : NULL;

	return self ? apiLeave(self, regionStart(self, name)) : 1;
}

int hdMPI_regionEnd(void)
{
	struct hdmpiThread *self = apiEnter();

	return self ? apiLeave(self, hdmpiRegionEnd(self, NULL)) : 1;
}

int hdMPI_event(const char *name)
{
	struct hdmpiThread *self = name ? apiEnter() : NULL;

	if (!self)
		return 1;
	return apiLeave(self, hdmpiIsRecording(self) &&
				      hdT_logEvent(self->trace, name) == 0);
}

int hdMPI_attributeInt(const char *key, int64_t value)
{
	struct hdmpiThread *self = key ? apiEnter() : NULL;

	if (!self)
		return 1;
	return apiLeave(self, hdmpiRegionIsRecorded(self) &&
				      hdT_logAttributeInt64(self->trace, key,
							    value) == 0);
}

int hdMPI_attributeDouble(const char *key, double value)
{
	struct hdmpiThread *self = key ? apiEnter() : NULL;

	if (!self)
		return 1;
	return apiLeave(self, hdmpiRegionIsRecorded(self) &&
				      hdT_logAttributeDouble(self->trace, key,
							     value) == 0);
}

int hdMPI_attributeString(const char *key, const char *value)
{
	struct hdmpiThread *self = key && value ? apiEnter() : NULL;

	if (!self)
		return 1;
	return apiLeave(self, hdmpiRegionIsRecorded(self) &&
				      hdT_logAttributeString(self->trace, key,
							     value) == 0);
}

/* ---- Relations
 * ---------------------------------------------------------------
 */

/* The relation of the call that the thread is in, from now on. */
static hdR_token currentRelation(struct hdmpiThread *self)
{
	if (self->relation && self->relationDepth == self->depth)
		return self->relation;
	/* Of a call inside the one that has it. */
	if (self->relation)
		return NULL;
	if (!self->hasRelations)
		self->relations = hdmpiRelationsCreate(self->number);
	self->hasRelations = true;
	self->relation = hdR_createTopLevelRelation(self->relations);
	if (!self->relation)
		return NULL;
	self->relationDepth = self->depth;
	self->polls.isPending = true;
	hdR_startS(self->relation, hdmpiFunctionName(self->function));
	return self->relation;
}

void hdmpiRelationLeave(struct hdmpiThread *self)
{
	if (!self->relation || self->relationDepth != self->depth)
		return;
	hdR_endS(self->relation);
	hdR_destroyRelation(&self->relation);
}

int hdMPI_currentRelation(char *buffer, size_t size)
{
	struct hdmpiThread *self = hdmpiThreadPeek();
	int saved = errno, length = -1;

	/* What it does itself may come here again: it opens a file. */
	if (!self || atomic_load(&self->isBusy))
		return -1;
	atomic_store(&self->isBusy, true);
	if (atomic_load(&hdmpiIsActive) && self->trace && self->depth > 0 &&
	    !self->polls.open)
		length =
			hdR_putRemoteToken(currentRelation(self), buffer, size);
	hdmpiThreadLeave(self);
	errno = saved;
	return length;
}

/* ---- States of other libraries ----------------------------------------------
 */

static void *recorderThread(void)
{
	struct hdmpiThread *self = apiEnter();

	if (self)
		hdmpiThreadLeave(self);
	return self;
}

static int recorderStart(void *thread, const char *name,
			 const struct timespec *when)
{
	return hdmpiThreadEnter(thread)
		       ? apiLeave(thread, hdmpiRegionStart(thread, name, when))
		       : -1;
}

static int recorderEnd(void *thread, const struct timespec *when)
{
	return hdmpiThreadEnter(thread)
		       ? apiLeave(thread, hdmpiRegionEnd(thread, when))
		       : 1;
}

static int recorderAttributes(void *thread, const char *keys,
			      const int64_t *values)
{
	struct hdmpiThread *self = thread;

	if (!hdmpiThreadEnter(self))
		return 1;
	return apiLeave(self, hdmpiRegionIsRecorded(self) &&
				      hdT_logAttributesInt64(self->trace, keys,
							     values) == 0);
}

static int recorderText(void *thread, const char *key, const char *value)
{
	struct hdmpiThread *self = thread;

	if (!hdmpiThreadEnter(self))
		return 1;
	return apiLeave(self, hdmpiRegionIsRecorded(self) &&
				      hdT_logAttributeString(self->trace, key,
							     value) == 0);
}

static void recorderCpu(void *thread, int64_t nowNs, int64_t usedNs)
{
	if (!hdmpiThreadEnter(thread))
		return;
	hdmpiCpuOfThread(thread, nowNs, usedNs);
	hdmpiThreadLeave(thread);
}

const struct hdMPI_recorder *hdMPI_getRecorder(void)
{
	static const struct hdMPI_recorder recorder = {
		recorderThread,     recorderStart, recorderEnd,
		recorderAttributes, recorderText,  recorderCpu,
	};

	return &recorder;
}

/* ---- MPI_Pcontrol -----------------------------------------------------------
 */

void hdmpiControl(int level)
{
	struct hdmpiThread *self;

	if (level == 0)
		hdMPI_disable();
	else if (level == 1)
		hdMPI_enable();
	else if (level == 2 && (self = apiEnter()) != NULL)
		apiLeave(self, hdT_flush(self->trace) == 0);
}

int MPI_Pcontrol(const int level, ...)
{
	hdmpiControl(level);
	return MPI_SUCCESS;
}

/* ---- Fortran ----------------------------------------------------------------
 */

void hdmpi_enable_(void);
void hdmpi_disable_(void);
void hdmpi_regionstart_(const char *name, size_t length);
void hdmpi_regionend_(void);
void hdmpi_event_(const char *name, size_t length);
void hdmpi_attributeint_(const char *key, const MPI_Fint *value, size_t length);
void hdmpi_attributedouble_(const char *key, const double *value,
			    size_t length);
void hdmpi_attributestring_(const char *key, const char *value,
			    size_t keyLength, size_t length);

void hdmpi_enable_(void)
{
	hdMPI_enable();
}

void hdmpi_disable_(void)
{
	hdMPI_disable();
}

void hdmpi_regionstart_(const char *name, size_t length)
{
	char *text = hdmpiFortranText(name, length);

	hdMPI_regionStart(text ? text : "");
	free(text);
}

void hdmpi_regionend_(void)
{
	hdMPI_regionEnd();
}

void hdmpi_event_(const char *name, size_t length)
{
	char *text = hdmpiFortranText(name, length);

	hdMPI_event(text);
	free(text);
}

void hdmpi_attributeint_(const char *key, const MPI_Fint *value, size_t length)
{
	char *text = hdmpiFortranText(key, length);

	hdMPI_attributeInt(text, *value);
	free(text);
}

void hdmpi_attributedouble_(const char *key, const double *value, size_t length)
{
	char *text = hdmpiFortranText(key, length);

	hdMPI_attributeDouble(text, *value);
	free(text);
}

void hdmpi_attributestring_(const char *key, const char *value,
			    size_t keyLength, size_t length)
{
	char *keyText = hdmpiFortranText(key, keyLength);
	char *text = hdmpiFortranText(value, length);

	hdMPI_attributeString(keyText, text);
	free(keyText);
	free(text);
}
