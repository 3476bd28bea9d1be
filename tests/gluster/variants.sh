# shellcheck shell=bash
# A volume in variants, for those who compare what they cost: $variant is
#
#     absent            there is no translator
#     off, gauges, all  ours is there, and records nothing, gauges, all
#     empty             one that hands operations on, and their results back, and
#                       does nothing (empty.c)
#     io-stats, trace   those of GlusterFS at the same places, with latencies
#                       measured and with its text going to the log
#
# Sourced behind tap.sh.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/gluster/xlator-lib.sh"
traces=$scratch/traces
variant=all
own=$type

# Make of volume files what a variant has in place of our translators.
cat >"$scratch/variant.py" <<'END'
import re, sys
variant, path = sys.argv[1:]
text = open(path).read()
volumes = re.findall(r"volume .*?end-volume\n", text, re.S)
names, kept = {}, []
for volume in volumes:
    name = re.search(r"volume (\S+)", volume).group(1)
    below = re.search(r"subvolumes (.*)", volume)
    if re.search(r"type \S*/hdtrace\n", volume):
        if variant == "absent":
            names[name] = below.group(1)
            continue
        other = {"io-stats": "io-stats\n    option latency-measurement on\n"
                             "    option count-fop-hits on",
                 "trace": "trace\n    option log-file yes"}[variant]
        volume = f"volume {name}\n    type debug/{other}\n" \
                 f"    subvolumes {below.group(1)}\nend-volume\n"
    kept.append(volume)
text = "\n".join(kept)
for _ in names:
    for name, below in names.items():
        text = re.sub(rf"(?<![\w-]){name}(?![\w-])", below, text)
open(path, "w").write(text)
END

change() {
	case $variant in
	absent | io-stats | trace)
		python3 "$scratch/variant.py" "$variant" "$1"
		;;
	esac
}

# As of xlator-lib.sh, but with the variant in the files.
eval "made_$(declare -f brick_file)"
brick_file() {
	made_brick_file "$@" >"$scratch/made"
	change "$scratch/made"
	cat "$scratch/made"
}
eval "made_$(declare -f client_file)"
client_file() {
	made_client_file "$@" >"$scratch/made"
	change "$scratch/made"
	# The client asks for the brick's top, which has another name then.
	[ "$variant" != absent ] ||
		sed -i 's/remote-subvolume \(b[0-9]*\)-req/remote-subvolume \1-threads/' \
			"$scratch/made"
	cat "$scratch/made"
}

# Start a volume of $variant, with a file in it.
start_variant() {
	rm -rf "$traces" "$scratch"/brick?
	type=$own
	extra_options=
	case $variant in
	empty) type=${own%GlusterFSTracing/hdtrace}tests/gluster/empty/hdtrace ;;
	off) extra_options="    option enable none" ;;
	gauges) extra_options="    option enable gauges" ;;
	esac
	start_bricks 2
	mount_volume || { echo "there is no FUSE here" >&2; exit 77; }
	fio --name=x --directory="$mount" --size=16M --rw=write --bs=1M \
		--minimal --end_fsync=1 >/dev/null || exit 99
}

# Read and write 4 KiB at random places of the file: OPTION...
load_variant() {
	fio --name=x --directory="$mount" --size=16M --rw=randrw --bs=4k \
		--direct=1 --randrepeat=1 --output-format=json "$@" \
		>"$scratch/fio.json"
}
