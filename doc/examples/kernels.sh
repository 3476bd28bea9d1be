#!/bin/sh
# The kernels on the dispatcher compute what they should: listings the numbers of
# the work they are from, kmeans what a plain loop does, mjpeg pictures that djpeg
# reads; alone or in batches, with one thread or several.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain threads
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
programs=${abs_top_builddir:?}/doc/examples/kernels
PATH=$programs:$PATH
cd "$scratch" || exit 99

# By hand: m is 10 to 14, then 2 m + 5, and p is 2 m.
numbers() {
	listings 3 | sed -n 's/[mp]: //g; /^[0-9]*:/p' >found
	cat >expected <<'END'
0: 20 10 22 11 24 12 26 13 28 14
1: 50 25 54 27 58 29 62 31 66 33
2: 110 55 118 59 126 63 134 67 142 71
END
	diff expected found
}

# How many instances the table has of a kernel: PROGRAM... NAME COUNT.
columns='^Kernel  *Instances  *Dispatch  *Kernel$'
has() {
	cat out
	grep -q "$columns" out && grep -qE "^$1 +$2 +[0-9.]+ +[0-9.]+\$" out
}

many_ages() {
	listings 500 >out && has mul2 2500 && has plus5 2500 && has print 500
}

# The loop is Python's, with the same numbers.
plain_loop() {
	kmeans -n 300 -k 7 -i 4 -t 3 -o centroids >out && has assign 1200 &&
		has refine 28 && has print 5 && has init 1 || return 1
	python3 - <<'END'
DIMENSIONS, N, K, I, MASK = 96, 300, 7, 4, (1 << 64) - 1

def draws(state):
    while True:
        state = (state + 0x9e3779b97f4a7c15) & MASK
        z = state
        z = ((z ^ z >> 30) * 0xbf58476d1ce4e5b9) & MASK
        z = ((z ^ z >> 27) * 0x94d049bb133111eb) & MASK
        yield z ^ z >> 31

place, chance = draws(1), draws(2)
middles = [[next(place) % 4096 / 64 for _ in range(DIMENSIONS)] for _ in range(K)]
points = []
for _ in range(N):
    middle = middles[next(chance) % K]
    points.append([m + (next(chance) % 1024 - 512) / 64 for m in middle])
centroids = [list(p) for p in points[:K]]
for _ in range(I):
    members = [[] for _ in centroids]
    for p in points:
        distances = [sum((a - b) ** 2 for a, b in zip(p, c)) for c in centroids]
        members[distances.index(min(distances))].append(p)
    centroids = [[sum(x) / len(m) for x in zip(*m)] if m else c
                 for m, c in zip(members, centroids)]
found = [[float(x) for x in line.split()] for line in open("centroids")]
assert len(found) == K
worst = max(abs(a - b) for f, c in zip(found, centroids) for a, b in zip(f, c))
print("worst difference", worst)
assert worst < 1e-9
END
}

# Neither batches nor threads change what comes out.
same() {
	kmeans -n 2000 -k 10 -i 3 -t 1 -o one >/dev/null &&
		kmeans -n 2000 -k 10 -i 3 -t 4 -b assign=17 -b refine=3 -o two \
			>out && has assign 6000 && cmp one two &&
		mjpeg -f 2 -t 1 -o one.mjpg >/dev/null &&
		mjpeg -f 2 -t 3 -b yDCT=100 -b vDCT=1000 -o two.mjpg >out &&
		has yDCT 3168 && has vDCT 792 && cmp one.mjpg two.mjpg &&
		HDPROBE=off kmeans -n 2000 -k 10 -i 3 -o three >out &&
		grep -q 'probes are off' out && cmp one three
}

# Ten distances take about as long as their dispatch. There are many of them: one
# that is stopped in the middle does not matter then.
advised() {
	kmeans -a -n 5000 -k 10 -i 40 >out && cat out &&
		grep -qE 'assign in batches of ([2-9]|[0-9]+[0-9])' out
}

# Pictures are decoded by others, and are those that were drawn.
pictures() {
	mjpeg -f 3 -t 2 -c film.yuv -o film.mjpg >out && has yDCT 4752 &&
		has uDCT 1188 && has vDCT 1188 && has read/splitYUV 3 &&
		has VLC/write 3 || return 1
	python3 - <<'END'
import math, subprocess
W, H = 352, 288
film = open("film.yuv", "rb").read()
data = open("film.mjpg", "rb").read()
assert len(film) == 3 * W * H * 3 // 2

def picture(at):
    """Where the picture that begins at a place ends: by its segments."""
    assert data[at:at + 2] == b"\xff\xd8"
    at += 2
    while data[at + 1] != 0xda:
        assert data[at] == 0xff
        at += 2 + int.from_bytes(data[at + 2:at + 4], "big")
    while data[at:at + 2] != b"\xff\xd9":
        at += 1
    return at + 2

def psnr(a, b):
    assert len(a) == len(b)
    error = sum((x - y) ** 2 for x, y in zip(a, b)) / len(a)
    return math.inf if error == 0 else 10 * math.log10(255 ** 2 / error)

at = 0
for number in range(3):
    end = picture(at)
    jpeg, at = data[at:end], end
    said = subprocess.run(["djpeg", "-grayscale"], input=jpeg, check=True,
                          capture_output=True)
    assert said.stderr == b"", said.stderr
    begin = number * W * H * 3 // 2
    luma = psnr(said.stdout[-W * H:], film[begin:begin + W * H])
    rgb = subprocess.run(["djpeg", "-rgb", "-nosmooth"], input=jpeg, check=True,
                         capture_output=True).stdout[-3 * W * H:]
    chroma = [bytearray(), bytearray()]
    for y in range(0, H, 2):
        for x in range(0, W, 2):
            r, g, b = rgb[3 * (y * W + x):3 * (y * W + x) + 3]
            chroma[0].append(min(255, max(0, round(
                128 - 0.168736 * r - 0.331264 * g + 0.5 * b))))
            chroma[1].append(min(255, max(0, round(
                128 + 0.5 * r - 0.418688 * g - 0.081312 * b))))
    quarter = W * H // 4
    begin += W * H
    u = psnr(chroma[0], film[begin:begin + quarter])
    v = psnr(chroma[1], film[begin + quarter:begin + 2 * quarter])
    print("picture %d: PSNR %.1f, %.1f and %.1f dB" % (number, luma, u, v))
    assert luma > 34 and u > 34 and v > 34
assert at == len(data)
END
}

# Any film goes: of noise, which has every coefficient, and of what was drawn.
films() {
	python3 -c '
import random
random.seed(7)
open("noise.yuv", "wb").write(bytes(random.choice((0, 255))
    for _ in range(352 * 288 * 3 // 2)))' &&
		mjpeg -f 1 -i noise.yuv -o noise.mjpg >out &&
		djpeg -pnm noise.mjpg >noise.ppm 2>err && [ ! -s err ] &&
		[ "$(wc -c <noise.ppm)" -eq $((352 * 288 * 3 + 15)) ] &&
		mjpeg -f 2 -c film.yuv -o drawn.mjpg >out &&
		mjpeg -f 2 -i film.yuv -o read.mjpg >out &&
		cmp drawn.mjpg read.mjpg
}

refused() {
	exits 2 kmeans -n 0 && exits 2 kmeans -k x && exits 2 kmeans -z &&
		exits 2 kmeans more && exits 2 kmeans -n 5 -k 6 &&
		exits 2 kmeans -b nothing=3 && grep -q 'no such kernel' err &&
		exits 2 kmeans -b assign=0 && exits 2 kmeans -b assign &&
		exits 2 mjpeg -f 0 && exits 2 mjpeg -b yDCT=x &&
		exits 2 mjpeg more && exits 2 listings 0 && exits 2 listings 1 2
}

files_fail() {
	exits 1 mjpeg -f 1 -i nowhere && grep -q nowhere err &&
		head -c 1000 film.yuv >short.yuv &&
		exits 1 mjpeg -f 1 -i short.yuv && grep -q 'fewer pictures' err &&
		exits 1 mjpeg -f 1 -o /nonexistent/x && grep -q nonexistent err &&
		exits 1 mjpeg -f 1 -o /dev/full && grep -q full err &&
		exits 1 kmeans -n 10 -k 2 -i 1 -o /dev/full && grep -q full err
}

ok "listings 3.1 to 3.5" numbers
ok "many ages" many_ages
if command -v python3 >/dev/null; then
	ok "K-means agrees with a plain loop" plain_loop
else
	skip "K-means agrees with a plain loop" "there is no python3"
fi
ok "neither batches nor threads change results" same
ok "its own probes advise batches of assign" advised
if command -v python3 >/dev/null && command -v djpeg >/dev/null; then
	ok "djpeg reads the pictures, which are the film's" pictures
	ok "any film" films
else
	skip "djpeg reads the pictures" \
		"there is no djpeg (Debian: libjpeg-turbo-progs), or no python3"
	mjpeg -f 1 -c film.yuv >/dev/null
fi
ok "nonsensical arguments are refused" refused
ok "files that cannot be read or written" files_fail
done_testing
