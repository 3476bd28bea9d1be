/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of kernels that are built in; see kernels.h. */
#include "config.h"

#include "PredictionLibrary/kernels/builtin.h"

const hdKernel hdKernelBuiltins[] = {
	/* Cholesky, as of hdpredict generate cholesky. */
	{ "MATSRC", hdKernelMatsrc, 0 },
	{ "MATSINK", hdKernelMatsink, 0 },
	{ "POTRF", hdKernelPotrf, 1 },
	{ "TRSM", hdKernelTrsm, 2 },
	{ "SYRK", hdKernelSyrk, 2 },
	{ "GEMM", hdKernelGemm, 3 },
	/* LU: A = L U, L C = B, C U = B, C -= A B. */
	{ "LUSRC", hdKernelLusrc, 0 },
	{ "LUSINK", hdKernelMatsink, 0 },
	{ "GETRF", hdKernelGetrf, 1 },
	{ "LUROW", hdKernelLuRow, 2 },
	{ "LUCOLUMN", hdKernelLuColumn, 2 },
	{ "LUGEMM", hdKernelLuGemm, 3 },
	/* As of hdpredict generate stencil, ring, random. */
	{ "INIT", hdKernelInit, 0 },
	{ "STENCIL[1-5]", hdKernelStencil, 0 },
	{ "RING", hdKernelRing, 1 },
	{ "RING0", hdKernelRing, 0 },
	{ "K[0-9]", hdKernelMix, 0 },
	{ "K[0-9][0-9]", hdKernelMix, 0 },
	{ NULL, NULL, 0 },
};
