#!/bin/sh
# Programs in which something is not recorded: each library says so in one line,
# with the file and what helps, and *_VERBOSITY=-1 silences it.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
program=${abs_top_builddir:?}/tests/system/losses
cd "$scratch" || exit 99
LC_ALL=C
export LC_ALL
unset HDTRACE_VERBOSITY RUT_VERBOSITY PT_VERBOSITY PT_OVERWRITE HDTRACE_PREFIX \
	HDTRACE_OVERWRITE_EXISTING_FILES OMPI_COMM_WORLD_LOCAL_RANK \
	MPI_LOCALRANKID SLURM_LOCALID
variable=HDTRACE_OVERWRITE_EXISTING_FILES=1
cat >pt.cfg <<'END'
[General]
device=sim
cycle=20
project=p
topology=Host
[Trace]
type=HDSTATS
node=n
channel=1
values=P
END

# What must be said: LINES of which the first is TEXT. LINES TEXT USE
# [VARIABLE=VALUE]...
says() {
	lines=$1 text=$2 use=$3
	shift 3
	exits 0 env "$@" "$program" "${project:-p}" "$use" || return 1
	[ "$(wc -l <err)" -eq "$lines" ] || return 1
	[ "$lines" -eq 0 ] || head -n 1 err | grep -xF -- "$text"
}

# A file that is there is kept, and the program goes on: FILE USE
exists() {
	rm -rf p*_* && echo mine >"$1" || return 1
	exists="hdtrace: $1: not recorded: it exists; $variable replaces it"
	says 1 "$exists" "$2" && grep -qx mine "$1"
}

# Both are there; each is said where that is asked for, none where silence is.
both() {
	exists p_n_0.trc traces && echo mine >p_n_1.trc || return 1
	says 1 "$exists" traces && says 2 "$exists" traces HDTRACE_VERBOSITY=1 &&
		says 0 '' traces HDTRACE_VERBOSITY=-1 &&
		grep -qx mine p_n_0.trc p_n_1.trc &&
		says 0 '' traces "$variable" && ! grep -qx mine p_n_0.trc
}

# The first process of a host says it, whoever the launcher is.
ranks() {
	exists p_n_0.trc traces || return 1
	for rank in OMPI_COMM_WORLD_LOCAL_RANK MPI_LOCALRANKID SLURM_LOCALID; do
		says 1 "$exists" traces "$rank=0" &&
			says 0 '' traces "$rank=1" &&
			says 2 "$exists" traces "$rank=1" HDTRACE_VERBOSITY=1 ||
			return 1
	done
}

# No library above says it once more.
once() {
	exists "$1" "$2" && says 0 '' "$2" HDTRACE_VERBOSITY=-1
}

no_directory() {
	project=missing/p
	says 1 "hdtrace: missing/p_n_0.trc: not recorded: cannot create the file: \
No such file or directory" traces
	set -- $?
	project=
	return "$1"
}

# /sys lets nobody make files, whoever it is.
not_writable() {
	project=/sys/kernel/p
	says 1 "hdtrace: /sys/kernel/p_n_Things.stat: not recorded: cannot create \
the file: $1" groups
	set -- $?
	project=
	return "$1"
}

full() {
	rm -rf p*_*
	says 1 '' full 2>&1
	grep -qx 'hdtrace: p_n\.trc: offset 6[0-9]*: File too large; the file ends here' \
		err && [ "$(wc -l <err)" -eq 1 ] && [ -s p_n.trc ] || return 1
	rm -rf p*_*
	says 0 '' full HDTRACE_VERBOSITY=-1
}

deep() {
	rm -rf p*_*
	says 1 'hdtrace: p_n.trc: 9 records are lost' deep || return 1
	# That one was asked for.
	rm -rf p*_*
	says 0 '' deep HDTRACE_MAX_NESTING_DEPTH=100
}

# No file is concerned: libRUT says it itself.
nothing() {
	rm -rf p*_*
	says 1 'libRUT: RUT_BACKEND: "none" is not available' rut \
		RUT_BACKEND=none && says 0 '' rut RUT_BACKEND=none RUT_VERBOSITY=-1
}

no_config() {
	mv pt.cfg pt.old
	says 1 'pt: pt.cfg: cannot read: No such file or directory' pt &&
		says 0 '' pt PT_VERBOSITY=-1
	set -- $?
	mv pt.old pt.cfg
	return "$1"
}

good() {
	for use in traces groups rut pt; do
		rm -rf p*_*
		says 0 '' "$use" "$variable" || return 1
	done
}

ok "complete recordings print nothing" good
ok "libhdTrace reports an existing trace" exists p_n_0.trc traces
ok "libhdTrace reports an existing .info file" exists p_n_0.info traces
ok "libhdTrace reports two existing files" both
ok "only the first rank of a host reports existing files" ranks
ok "libhdStats reports an existing group" exists p_n_Things.stat groups
ok "libRUT reports an existing file" once p_n_Utilization.stat rut
ok "libPT reports an existing file" once p_n_Energy.stat pt
ok "a missing directory is reported" no_directory
ok "a read-only directory is reported" not_writable \
	"$(touch /sys/kernel/p 2>&1 | sed 's/.*: //')"
ok "a file at its size limit is reported" full
ok "too deeply nested states are reported" deep
ok "libRUT reports a missing backend" nothing
ok "libPT reports a missing configuration" no_config
done_testing
