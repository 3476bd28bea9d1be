/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: OTF2, opened when somebody exports.
 */
#ifndef HD_EXPORTOTF2_LIBRARY_H
#define HD_EXPORTOTF2_LIBRARY_H

#include <otf2/otf2.h>

#include "common/library.h"

/** The functions of OTF2 that are called. */
#define OTF2_CALLS(X)                                   \
	X(OTF2_Archive_Close)                           \
	X(OTF2_Archive_CloseDefFiles)                   \
	X(OTF2_Archive_CloseDefWriter)                  \
	X(OTF2_Archive_CloseEvtFiles)                   \
	X(OTF2_Archive_CloseEvtWriter)                  \
	X(OTF2_Archive_CloseMarkerWriter)               \
	X(OTF2_Archive_GetDefWriter)                    \
	X(OTF2_Archive_GetEvtWriter)                    \
	X(OTF2_Archive_GetGlobalDefWriter)              \
	X(OTF2_Archive_GetMarkerWriter)                 \
	X(OTF2_Archive_Open)                            \
	X(OTF2_Archive_OpenDefFiles)                    \
	X(OTF2_Archive_OpenEvtFiles)                    \
	X(OTF2_Archive_SetCreator)                      \
	X(OTF2_Archive_SetDescription)                  \
	X(OTF2_Archive_SetFlushCallbacks)               \
	X(OTF2_Archive_SetLockingCallbacks)             \
	X(OTF2_Archive_SetSerialCollectiveCallbacks)    \
	X(OTF2_AttributeList_AddInt64)                  \
	X(OTF2_AttributeList_AddSourceCodeLocationRef)  \
	X(OTF2_AttributeList_AddStringRef)              \
	X(OTF2_AttributeList_Delete)                    \
	X(OTF2_AttributeList_New)                       \
	X(OTF2_AttributeList_RemoveAllAttributes)       \
	X(OTF2_DefWriter_WriteClockOffset)              \
	X(OTF2_Error_GetDescription)                    \
	X(OTF2_Error_RegisterCallback)                  \
	X(OTF2_EvtWriter_Enter)                         \
	X(OTF2_EvtWriter_IoCreateHandle)                \
	X(OTF2_EvtWriter_IoDeleteFile)                  \
	X(OTF2_EvtWriter_IoDestroyHandle)               \
	X(OTF2_EvtWriter_IoOperationBegin)              \
	X(OTF2_EvtWriter_IoOperationComplete)           \
	X(OTF2_EvtWriter_IoOperationIssued)             \
	X(OTF2_EvtWriter_IoSeek)                        \
	X(OTF2_EvtWriter_Leave)                         \
	X(OTF2_EvtWriter_Metric)                        \
	X(OTF2_EvtWriter_MpiCollectiveBegin)            \
	X(OTF2_EvtWriter_MpiCollectiveEnd)              \
	X(OTF2_EvtWriter_MpiIrecv)                      \
	X(OTF2_EvtWriter_MpiIrecvRequest)               \
	X(OTF2_EvtWriter_MpiIsend)                      \
	X(OTF2_EvtWriter_MpiIsendComplete)              \
	X(OTF2_EvtWriter_MpiRecv)                       \
	X(OTF2_EvtWriter_MpiRequestTest)                \
	X(OTF2_EvtWriter_MpiSend)                       \
	X(OTF2_EvtWriter_NonBlockingCollectiveComplete) \
	X(OTF2_EvtWriter_NonBlockingCollectiveRequest)  \
	X(OTF2_EvtWriter_ParameterString)               \
	X(OTF2_EvtWriter_RmaAcquireLock)                \
	X(OTF2_EvtWriter_RmaAtomic)                     \
	X(OTF2_EvtWriter_RmaCollectiveBegin)            \
	X(OTF2_EvtWriter_RmaCollectiveEnd)              \
	X(OTF2_EvtWriter_RmaGet)                        \
	X(OTF2_EvtWriter_RmaOpCompleteBlocking)         \
	X(OTF2_EvtWriter_RmaPut)                        \
	X(OTF2_EvtWriter_RmaReleaseLock)                \
	X(OTF2_EvtWriter_RmaRequestLock)                \
	X(OTF2_EvtWriter_RmaWinCreate)                  \
	X(OTF2_EvtWriter_RmaWinDestroy)                 \
	X(OTF2_GlobalDefWriter_WriteAttribute)          \
	X(OTF2_GlobalDefWriter_WriteClockProperties)    \
	X(OTF2_GlobalDefWriter_WriteComm)               \
	X(OTF2_GlobalDefWriter_WriteGroup)              \
	X(OTF2_GlobalDefWriter_WriteInterComm)          \
	X(OTF2_GlobalDefWriter_WriteIoHandle)           \
	X(OTF2_GlobalDefWriter_WriteIoParadigm)         \
	X(OTF2_GlobalDefWriter_WriteIoRegularFile)      \
	X(OTF2_GlobalDefWriter_WriteLocation)           \
	X(OTF2_GlobalDefWriter_WriteLocationGroup)      \
	X(OTF2_GlobalDefWriter_WriteMetricClass)        \
	X(OTF2_GlobalDefWriter_WriteMetricInstance)     \
	X(OTF2_GlobalDefWriter_WriteMetricMember)       \
	X(OTF2_GlobalDefWriter_WriteParameter)          \
	X(OTF2_GlobalDefWriter_WriteRegion)             \
	X(OTF2_GlobalDefWriter_WriteRmaWin)             \
	X(OTF2_GlobalDefWriter_WriteSourceCodeLocation) \
	X(OTF2_GlobalDefWriter_WriteString)             \
	X(OTF2_GlobalDefWriter_WriteSystemTreeNode)     \
	X(OTF2_MarkerWriter_WriteDefMarker)             \
	X(OTF2_MarkerWriter_WriteMarker)                \
	X(OTF2_Reader_SetLockingCallbacks)

/** OTF2; valid once otf2Missing() has said that it is there. */
struct otf2Api {
	OTF2_CALLS(HD_LIBRARY_FUNCTION)
};
extern struct otf2Api otf2Api;

/** Open OTF2; NULL, or why it is missing. */
const char *otf2Missing(void);

#endif
