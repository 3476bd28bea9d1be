# shellcheck shell=sh
# For tests that replay traces by SimGrid. Source it after tap.sh.
# shellcheck disable=SC2154 # scratch is in tap.sh
# SPDX-License-Identifier: LGPL-2.1-or-later

# Find SimGrid's replay; the package is libsimgrid-dev.
simgrid_find() {
	simgrid_main=
	for simgrid_dir in /usr/lib/*/simgrid /usr/lib/simgrid \
		/usr/local/lib/simgrid; do
		[ ! -x "$simgrid_dir/smpireplaymain" ] ||
			simgrid_main=$simgrid_dir
	done
	[ -n "$simgrid_main" ]
}

# Replay lines by SimGrid alone, without any code of ours, and print the time in
# seconds: LIST RANKS HOSTFILE PLATFORM [--cfg=KEY:VALUE...]
simgrid_time() {
	simgrid_list=$1
	simgrid_ranks=$2
	simgrid_hosts=$3
	simgrid_platform=$4
	shift 4
	mkdir -p "$scratch/smpi"
	timeout 100 "$simgrid_main/smpimain" "$simgrid_main/smpireplaymain" \
		--cfg=smpi/privatization:no --cfg=surf/precision:1e-9 \
		--cfg=network/model:SMPI --cfg=smpi/np:"$simgrid_ranks" \
		--cfg=smpi/hostfile:"$simgrid_hosts" \
		--cfg=smpi/replay:"$simgrid_list" \
		--cfg=smpi/tmpdir:"$scratch/smpi" --log=root.fmt:%m%n "$@" \
		"$simgrid_platform" >"$scratch/simgrid" 2>&1
	if grep -E 'Deadlock|Stalling|CRITICAL' "$scratch/simgrid" >&2; then
		return 1
	fi
	sed -n 's/^Simulation time //p' "$scratch/simgrid" | grep .
}
