#!/bin/sh
# make verify-predict-run: run.py with two hosts of namespaces, where these can be made;
# else with two processes of one host: SOURCE BUILD MPIEXEC OPTION...
# SPDX-License-Identifier: LGPL-2.1-or-later
[ "${1-}" = inside ] || {
	abs_top_srcdir=$(cd "$1" && pwd) && abs_top_builddir=$(cd "$2" && pwd) || exit 99
	mpiexec=$3
	export abs_top_srcdir abs_top_builddir mpiexec
	shift 3
}
. "$abs_top_srcdir/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/twohosts.sh"
run=$scratch/run
evaluate() {
	python3 "$abs_top_srcdir/tests/predict/run.py" "$abs_top_builddir" "$mpiexec" "$@"
}
case ${1-} in
inside) shift ;;
*)
	! may_have_hosts || enter_hosts inside "$@"
	echo "# one host: $(tail -n 1 "$scratch/log")"
	evaluate "$@"
	exit
	;;
esac
start_hosts && write_shell || exit 99
# What starts a program on both, where it is started.
case $mpiexec in
*openmpi*) options="--host hda:1,hdb:1 --bind-to none --mca plm rsh --mca plm_rsh_agent $scratch/shell
	--mca pml ob1 --mca btl tcp,self --mca oob_tcp_if_include 192.0.2.0/24
	--mca btl_tcp_if_include 192.0.2.0/24" ;;
*) options="-hosts hda,hdb -ppn 1 -launcher ssh -launcher-exec $scratch/shell" ;;
esac
# In lines of the script words are words. Hosts that know nothing of each other would both
# take the first CPU; so each has one.
own=
[ "$(nproc)" -lt 2 ] || ! command -v taskset >/dev/null || own=yes
cat >"$scratch/there" <<END
#!/bin/sh
case \$(hostname) in hda) cpu=0 ;; *) cpu=1 ;; esac
cd "\$1" && shift && exec ${own:+taskset -c \$cpu} "\$@"
END
cat >"$scratch/both" <<END
#!/bin/sh
exec "$mpiexec" -n 2 $(echo "$options" | tr '\n\t' '  ') "$scratch/there" "\$PWD" "\$@"
END
chmod +x "$scratch/there" "$scratch/both"
echo "# two hosts"
evaluate --two "$scratch/both" "$@"
