/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Functions of a Python program as states, from sys.setprofile().
 *
 * Whether the function of a code is recorded is decided once, in Python. What
 * was decided is kept with the code, so its address stays its own.
 */
#include "config.h"

#include "PythonModule/src/python.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "PythonModule/src/lanes.h"
#include "PythonModule/src/writing.h"
#include "common/hashmap/hashmap.h"

/** Calls that can be open at once in a thread; deeper ones are not recorded. */
#define PROFILE_CALLS_MAX 900

/** An open call. */
struct profileCall {
	const PyObject *code;
	uint64_t state;
};

static struct {
	PyObject *decide; /**< NULL: nothing is recorded. */
	/* The objects that are the events: the interpreter has its own. */
	const PyObject *call;
	const PyObject *back;
	/** Names of the states of codes, as bytes; NULL: it has none. */
	struct hdMap codes;
	unsigned long long calls;
	unsigned int run; /**< The number of the profile. */
} profile;

/** The calls of the calling thread. */
static _Thread_local struct profileCall profileCalls[PROFILE_CALLS_MAX];
static _Thread_local unsigned int profileDepth;
/** Open calls that are too deep, and the profile that all are of. */
static _Thread_local unsigned long profileBeyond;
static _Thread_local unsigned int profileRun;

/* ---- Codes ------------------------------------------------------------- */

/** Ask for the name of the states of a code; NULL with an exception. */
static PyObject *profileAsk(PyObject *decide, PyObject *frame, PyObject *code)
{
	PyObject *globals = PyObject_GetAttrString(frame, "f_globals");
	PyObject *module = NULL, *name = NULL, *bytes = NULL;

	if (globals)
		module = PyMapping_GetItemString(globals, "__name__");
	if (globals && !module) {
		PyErr_Clear();
		module = Py_NewRef(Py_None);
	}
	if (module)
		name = PyObject_CallFunctionObjArgs(decide, code, module, NULL);
	Py_XDECREF(globals);
	Py_XDECREF(module);
	if (name == Py_None)
		return name;
	if (name)
		bytes = PyUnicode_AsEncodedString(name, "utf-8", "replace");
	Py_XDECREF(name);
	return bytes;
}

/** Decide whether the function of a code is recorded. Other threads run
 *  meanwhile: they may change the table, decide the same, or end the profile,
 *  which leaves NULL in @p known. @return False with an exception. */
static bool profileDecide(uint64_t **known, PyObject *frame, PyObject *code)
{
	unsigned int run = profile.run;
	PyObject *decide = Py_NewRef(profile.decide);
	PyObject *name = profileAsk(decide, frame, code);
	bool isOver = !profile.decide || profile.run != run;
	bool isNew;

	Py_DECREF(decide);
	*known = NULL;
	if (!name)
		return false;
	if (isOver) {
		Py_DECREF(name);
		return true;
	}
	*known = hdMapAdd(&profile.codes, (uintptr_t)code, &isNew);
	if (*known && isNew) {
		Py_INCREF(code);
		**known = name == Py_None ? 0 : (uintptr_t)Py_NewRef(name);
	}
	Py_DECREF(name);
	if (!*known)
		PyErr_NoMemory();
	return *known != NULL;
}

/* ---- Calls ------------------------------------------------------------- */

static void profileEnter(const PyObject *code, PyObject *name)
{
	if (profileDepth == PROFILE_CALLS_MAX) {
		profileBeyond++;
		return;
	}
	profileCalls[profileDepth++] =
		(struct profileCall){ code,
				      hdPyLanesBegin(PyBytes_AsString(name)) };
	profile.calls++;
}

/** A return of a call that was begun before the profile has no state. */
static void profileLeave(const PyObject *code)
{
	if (profileBeyond > 0) {
		profileBeyond--;
		return;
	}
	if (profileDepth == 0 || profileCalls[profileDepth - 1].code != code)
		return;
	hdPyLanesEnd(profileCalls[--profileDepth].state);
}

/** Whether an event is of a kind; the objects of both kinds become known. */
static bool profileIs(PyObject *event, const PyObject **kind, const char *name)
{
	if (*kind == NULL && PyUnicode_CompareWithASCIIString(event, name) == 0)
		*kind = event;
	return event == *kind;
}

PyObject *hdPyProfile(PyObject *module, PyObject *const *arguments,
		      Py_ssize_t count)
{
	PyObject *frame = arguments[0];
	uint64_t *known;
	bool isCall, isFine = true;
	PyObject *code;

	(void)module;
	if (count != 3 || !profile.decide)
		return Py_NewRef(Py_None);
	if (profileRun != profile.run) {
		profileRun = profile.run;
		profileDepth = 0;
		profileBeyond = 0;
	}
	isCall = profileIs(arguments[1], &profile.call, "call");
	/* Calls of functions in C are other events. */
	if (!isCall && !profileIs(arguments[1], &profile.back, "return"))
		return Py_NewRef(Py_None);
	code = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
	known = hdMapFind(&profile.codes, (uintptr_t)code);
	if (!known)
		isFine = profileDecide(&known, frame, code);
	if (known && *known && isCall)
		profileEnter(code, (PyObject *)(uintptr_t)*known);
	else if (known && *known)
		profileLeave(code);
	Py_DECREF(code);
	return isFine ? Py_NewRef(Py_None) : NULL;
}

PyObject *hdPyProfileStart(PyObject *module, PyObject *decide)
{
	PyObject *before = profile.decide;

	(void)module;
	profile.decide = Py_NewRef(decide);
	profile.calls = 0;
	profile.run++;
	Py_XDECREF(before);
	return Py_NewRef(Py_None);
}

PyObject *hdPyProfileStop(PyObject *module, PyObject *unused)
{
	PyObject *decide = profile.decide;
	struct hdMap codes = profile.codes;

	(void)module;
	(void)unused;
	while (profileDepth > 0)
		hdPyLanesEnd(profileCalls[--profileDepth].state);
	profile.decide = NULL;
	profile.codes = (struct hdMap){ 0 };
	/* What is freed may run Python. */
	for (size_t i = 0; i < codes.size; i++) {
		if (!codes.entries[i].isUsed)
			continue;
		Py_DECREF((PyObject *)(uintptr_t)codes.entries[i].key);
		Py_XDECREF((PyObject *)(uintptr_t)codes.entries[i].value);
	}
	hdMapClear(&codes);
	Py_XDECREF(decide);
	return PyLong_FromUnsignedLongLong(profile.calls);
}
