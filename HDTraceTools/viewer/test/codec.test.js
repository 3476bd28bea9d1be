// SPDX-License-Identifier: LGPL-2.1-or-later
// What is made here by hand is what pack.h describes.
import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";
import { Columns, decodeBase64, inflate } from "../src/data/codec/codec.js";

function head(kind, count) {
  const buffer = Buffer.alloc(5);

  buffer.write(kind, 0, "latin1");
  buffer.writeUInt32LE(count, 1);
  return buffer;
}

function base(value) {
  const buffer = Buffer.alloc(8);

  buffer.writeBigUInt64LE(BigInt.asUintN(64, value));
  return buffer;
}

/** The bytes of numbers, plane by plane. */
function planes(typed) {
  const bytes = new Uint8Array(typed.buffer);
  const width = typed.BYTES_PER_ELEMENT;
  const out = Buffer.alloc(bytes.length);

  for (let i = 0; i < typed.length; i++)
    for (let k = 0; k < width; k++)
      out[k * typed.length + i] = bytes[i * width + k];
  return out;
}

function read(...parts) {
  return new Columns(new Uint8Array(Buffer.concat(parts)));
}

test("constants", () => {
  assert.deepEqual([...read(head("c", 3), base(-7n)).next()], [-7, -7, -7]);
  assert.deepEqual(
    [...read(head("C", 1), base(2n ** 64n - 1n)).next()],
    [2n ** 64n - 1n],
  );
  assert.deepEqual(
    [...read(head("c", 1), base(-(2n ** 63n))).next()],
    [-(2n ** 63n)],
  );
});

test("integers of each width", () => {
  for (const [width, typed] of [
    [1, new Uint8Array([0, 255])],
    [2, new Uint16Array([0, 65535])],
    [4, new Uint32Array([0, 4294967295])],
  ]) {
    const columns = read(
      head("i", 2),
      Buffer.from([width]),
      base(1000n),
      planes(typed),
    );

    assert.deepEqual([...columns.next()], [1000, 1000 + typed[1]]);
    assert.ok(columns.isAtEnd);
  }
});

test("integers that doubles do not hold stay exact", () => {
  const columns = read(
    head("i", 2),
    Buffer.from([8]),
    base(-(2n ** 63n)),
    planes(new BigUint64Array([0n, 2n ** 64n - 1n])),
  );

  assert.deepEqual([...columns.next()], [-(2n ** 63n), 2n ** 63n - 1n]);
  const unsigned = read(
    head("I", 2),
    Buffer.from([1]),
    base(2n ** 64n - 2n),
    planes(new Uint8Array([0, 1])),
  );

  assert.deepEqual([...unsigned.next()], [2n ** 64n - 2n, 2n ** 64n - 1n]);
});

test("integers of 64 bits that are small are numbers", () => {
  const column = read(
    head("i", 2),
    Buffer.from([8]),
    base(-(2n ** 40n)),
    planes(new BigUint64Array([0n, 2n ** 41n])),
  ).next();

  assert.ok(column instanceof Float64Array);
  assert.deepEqual([...column], [-(2 ** 40), 2 ** 40]);
});

test("floats, doubles and bytes", () => {
  const columns = read(
    head("f", 2),
    planes(new Float32Array([1.5, NaN])),
    head("d", 1),
    planes(new Float64Array([0.1])),
    head("b", 3),
    Buffer.from("abc"),
  );

  assert.deepEqual([...columns.next()], [1.5, NaN]);
  assert.deepEqual([...columns.next()], [0.1]);
  assert.equal(columns.text(), "abc");
});

test("numbers() rounds, bigs() does not", () => {
  const make = () => read(head("c", 1), base(2n ** 60n + 1n));

  assert.deepEqual([...make().numbers()], [2 ** 60]);
  assert.deepEqual(make().bigs(), [2n ** 60n + 1n]);
});

test("a kind that does not exist is an error", () => {
  assert.throws(() => read(head("x", 1)).next(), /no such kind/);
});

test("base64 is decoded from any place", () => {
  const bytes = Buffer.from(Array.from({ length: 100 }, (_, i) => i * 7));
  const text = bytes.toString("base64");

  for (let start = 0; start < 20; start++)
    for (const size of [0, 1, 2, 3, 40, 100 - start])
      assert.deepEqual(
        Buffer.from(decodeBase64(text, start, size)),
        bytes.subarray(start, start + size),
      );
});

test("zlib streams are expanded", async () => {
  const bytes = Buffer.from("hello ".repeat(1000));

  assert.deepEqual(Buffer.from(await inflate(deflateSync(bytes))), bytes);
  await assert.rejects(inflate(Buffer.from("nonsense")));
});
