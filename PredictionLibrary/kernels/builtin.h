/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The kernels that are built in, by what builtin.c calls them. They fail with
 * -EINVAL where buffers are of other sizes or numbers than theirs.
 */
#ifndef HD_KERNEL_BUILTIN_H
#define HD_KERNEL_BUILTIN_H

#include "PredictionLibrary/kernels/kernels.h"

int hdKernelMatsrc(const hdKernelCall *call);
int hdKernelMatsink(const hdKernelCall *call);
int hdKernelPotrf(const hdKernelCall *call);
int hdKernelTrsm(const hdKernelCall *call);
int hdKernelSyrk(const hdKernelCall *call);
int hdKernelGemm(const hdKernelCall *call);
int hdKernelLusrc(const hdKernelCall *call);
int hdKernelGetrf(const hdKernelCall *call);
int hdKernelLuRow(const hdKernelCall *call);
int hdKernelLuColumn(const hdKernelCall *call);
int hdKernelLuGemm(const hdKernelCall *call);
int hdKernelInit(const hdKernelCall *call);
int hdKernelStencil(const hdKernelCall *call);
int hdKernelRing(const hdKernelCall *call);
int hdKernelMix(const hdKernelCall *call);

#endif
