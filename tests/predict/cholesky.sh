# shellcheck shell=sh
# What the kernels of a Cholesky factorization take, with a spread: source it.
# SPDX-License-Identifier: LGPL-2.1-or-later

# Print a resource model: ARCHITECTURE
cholesky_resources() {
	cat <<-END
		<resource-model>
		<entry kernel="MATSRC" architecture="$1" time="0" energy="0"/>
		<entry kernel="MATSINK" architecture="$1" time="0" energy="0"/>
		<entry kernel="POTRF" architecture="$1" time="0.1" energy="1" time-sd="0.02"/>
		<entry kernel="TRSM" architecture="$1" time="0.2" energy="1" time-sd="0.02"/>
		<entry kernel="SYRK" architecture="$1" time="0.2" energy="1" time-sd="0.02"/>
		<entry kernel="GEMM" architecture="$1" time="0.4" energy="2" time-sd="0.02"/>
		</resource-model>
	END
}
