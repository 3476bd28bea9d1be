#!/bin/sh
# Which values of a file tell the power of its node, and that the report says why
# others do not.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99

# Numbers as doubles, big endian, in hexadecimal.
doubles() {
	python3 -c 'import struct, sys
for text in sys.argv[1:]:
    print(struct.pack(">d", float(text)).hex())' "$@"
}

# Eight entries of 250 ms from values that draw so much, or so much in the first
# second and in the other one: NAME=WATTS[/WATTS][@ATTRIBUTES]...
# The source of all is a counter of energy; "@" alone states no source.
node() {
	set_first=
	set_other=
	set_count=$#
	for value; do
		watts=${value#*=}
		watts=${watts%%@*}
		set_first="$set_first ${watts%%/*}"
		set_other="$set_other ${watts##*/}"
		name=${value%%=*}
		attributes='source="powercap x/energy_uj" resolution="61 uJ, every 1 ms"'
		case $value in *@*) attributes=${value#*@} ;; esac
		set -- "$@" "name=\"$name\" type=\"DOUBLE\" unit=\"W\" kind=\"gauge\" $attributes"
	done
	shift "$set_count"
	stat_header a Energy "$@"
	# shellcheck disable=SC2086
	first=$(doubles $set_first | tr -d '\n')
	# shellcheck disable=SC2086
	other=$(doubles $set_other | tr -d '\n')
	stamp 1000000000
	for quarter in 250 500 750 1000 1250 1500 1750 2000; do
		stamp $((1000000000 + quarter / 1000)) $((quarter % 1000 * 1000000))
		if [ "$quarter" -le 1000 ]; then hex "$first"; else hex "$other"; fi
	done
}

# The energy of the file, the values that it is from, and why others are left out:
# JOULES "NAME..." "NAME: REASON, ..."
counts() {
	status 0 report -q --format=json a_a_Energy.stat || return 1
	python3 - "$scratch/out" "$@" <<'END'
import json, sys
group = json.load(open(sys.argv[1]))["groups"][0]
found = [group["energy"] and "%g" % group["energy"]["energy_j"],
         " ".join(group["energy_from"]),
         ", ".join(value["name"] + ": " + value["reason"]
                   for value in group.get("energy_left_out", []))]
print(found)
sys.exit(found != sys.argv[2:])
END
}

node P_package-0=50 P_package-0-core=40 P_package-0-dram=5 P_package-1=60 \
	>a_a_Energy.stat
ok "packages and memory are added" counts 230 "P_package-0 P_package-0-dram P_package-1" \
	"P_package-0-core: part of package-0"
node P_mmio-package-0=0 P_package-0=100 P_package-0-dram=20 >a_a_Energy.stat
ok "a second interface to the registers is omitted" counts 240 \
	"P_package-0 P_package-0-dram" "P_mmio-package-0: the same as package-0"
node P_dtpm-cpu=5 P_package-0=100 >a_a_Energy.stat
ok "an estimate of the kernel is omitted" counts 200 "P_package-0" \
	"P_dtpm-cpu: measured by package-0"
node P_package-0=100 P_psys=130 >a_a_Energy.stat
ok "a platform contains its packages" counts 260 "P_psys" \
	"P_package-0: measured by psys"
node P_package-0=100 P_psys=130 P_psys-1=120 >a_a_Energy.stat
ok "packages replace several platform zones" counts 200 "P_package-0" \
	"P_psys: one of several platform zones, P_psys-1: one of several platform zones"
node P_package-0=100 P_psys=0 >a_a_Energy.stat
ok "a platform that never advances is omitted" counts 200 "P_package-0" \
	"P_psys: its counter does not advance"
status 0 report a_a_Energy.stat >/dev/null
ok "the report names the omitted platform" grep -qF \
	"Left out: P_psys (its counter does not advance)" out
node P_package-0=100 P_psys=90 >a_a_Energy.stat
ok "a platform below its packages is omitted" counts 200 "P_package-0" \
	"P_psys: its counter advances by less than its parts"
node P_package-0=100 P_psys=130/0 >a_a_Energy.stat
ok "a platform that stops" counts 200 "P_package-0" \
	"P_psys: its counter does not advance"
node P_package-0=100 'P_psys=0@source="hwmon x power1_input"' >a_a_Energy.stat
ok "a gauge of 0 W is a value" counts 0 "P_psys" "P_package-0: measured by psys"
node P_package-0-die-0=100 P_package-0-die-1=100.0001 >a_a_Energy.stat
ok "mirrored dies count once" counts 200 "P_package-0-die-0" \
	"P_package-0-die-1: a mirror of another die"
node P_package-0-die-0=100 P_package-0-die-1=90 >a_a_Energy.stat
ok "different dies are added" counts 380 "P_package-0-die-0 P_package-0-die-1" ""
node 'P_b=10@role="rail" part_of="a"' 'P_a=25@role="supply"' \
	'P_c=7@role="card"' >a_a_Energy.stat
ok "roles in the file are used" counts 50 "P_a" \
	"P_b: part of a, P_c: measured by a"
node 'P_x=10@' 'P_y=20@' >a_a_Energy.stat
ok "channels without a known role add up" counts 60 "P_x P_y" ""

node P_package-0=100 P_package-0-core=40 >a_a_Energy.stat
status 0 report a_a_Energy.stat >/dev/null
ok "other omitted inputs are not listed without --verbose" sh -c '! grep "Left out" out'
status 0 report --verbose a_a_Energy.stat >/dev/null
ok "--verbose lists other omitted inputs" grep -qF \
	"Left out: P_package-0-core (part of package-0)" out
status 0 report --power=P_package-0-core -q --format=json a_a_Energy.stat >/dev/null
ok "a value of --power counts" grep -q '"energy_from": \["P_package-0-core"\]' out

# Meters in several files; all commands have the same choice.
python3 "$abs_top_srcdir/tests/tools/readers/powers.py" "$hdtrace" >scenes 2>&1
while read -r result; do
	case $result in
	'ok - '*) ok "${result#ok - }" true ;;
	'not ok - '*) ok "${result#not ok - }" false ;;
	*) echo "# $result" ;;
	esac
done <scenes
enough() { cat scenes; [ "$(grep -c '^ok - ' scenes)" -ge 9 ]; }
ok "scenes with several files" enough
done_testing
