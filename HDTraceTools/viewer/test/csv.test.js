// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import * as zlib from "node:zlib";
import { fileName, tableCsv, toCsv } from "../src/data/csv.js";
import { crc32, withResolution } from "../src/data/png.js";
import { xmlText } from "../src/draw/picture.js";

const text = (content) => ({ text: content, numbers: [] });
const number = (value, unit, shown = "x") => ({
  text: shown,
  numbers: [{ value, unit }],
});

test("numbers have all digits, and their common unit in the title", () => {
  assert.equal(
    tableCsv(
      ["State", "Own time", "Count", ""],
      [
        [text("Send"), number("0.10000000000000001", "s"), number("3", ""), text("remove")],
        [text("Recv"), number("unknown", "s"), number("12345678901234567", ""), text("")],
      ],
    ),
    "State,Own time (s),Count\nSend,0.10000000000000001,3\nRecv,,12345678901234567\n",
  );
});

test("different units have a column", () => {
  assert.equal(
    tableCsv(["Mean"], [[number("1", "W")], [number("2", "J")]]),
    "Mean,Mean unit\n1,W\n2,J\n",
  );
});

test("a bound, an estimate or a text in the place of a number is kept", () => {
  assert.equal(
    tableCsv(["Energy"], [[number("1.5", "J", "≥ 1.5 J")], [text("none")]]),
    "Energy (J),Energy as shown\n1.5,≥ 1.5 J\n,none\n",
  );
});

test("several numbers in a cell have columns of their own", () => {
  const cell = {
    text: "1 of 2",
    numbers: [
      { value: "1", unit: "" },
      { value: "2", unit: "" },
    ],
  };

  assert.equal(tableCsv(["Hits"], [[cell]]), "Hits,Hits 2\n1,2\n");
});

test("no text is a formula, but numbers stay", () => {
  assert.equal(
    tableCsv(
      ["=1+1", "Change"],
      [
        [text("=cmd|' /C calc'!A0"), number("-1.5", "J")],
        [text("@SUM(1)"), number("-Inf", "J")],
        [text("-2"), number("2", "J")],
        [text("+a"), number("3", "J")],
      ],
    ),
    "'=1+1,Change (J)\n'=cmd|' /C calc'!A0,-1.5\n'@SUM(1),-Inf\n-2,2\n'+a,3\n",
  );
});

test("texts are quoted as RFC 4180 says", () => {
  assert.equal(
    toCsv([['a"b', "c,d", "e\nf", "\rg", "<b>"]]),
    '"a""b","c,d","e\nf","\rg",<b>\n',
  );
  assert.equal(tableCsv(["A"], []), "A\n");
});

test("names of files have no separators", () => {
  assert.equal(fileName('a/b\\c: "d"\u0000\n*'), "a-b-c-d-");
  assert.equal(fileName("x".repeat(200)).length, 80);
});

test("a PNG has its resolution behind its header, with the right sums", () => {
  const chunk = (type, content) => {
    const body = Buffer.concat([Buffer.from(type), content]);
    const size = Buffer.alloc(4);
    const sum = Buffer.alloc(4);

    size.writeUInt32BE(content.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const png = Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
    chunk("IDAT", zlib.deflateSync(Buffer.from([0, 255]))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  const found = Buffer.from(withResolution(png, 300));
  const types = [];

  // As the standard reads it; 300 dots on an inch are 11,811 on a metre.
  for (let at = 8; at < found.length; at += 12 + found.readUInt32BE(at)) {
    const end = at + 8 + found.readUInt32BE(at);

    types.push(found.toString("latin1", at + 4, at + 8));
    assert.equal(found.readUInt32BE(end), crc32(found.subarray(at + 4, end)));
  }
  assert.deepEqual(types, ["IHDR", "pHYs", "IDAT", "IEND"]);
  assert.equal(found.readUInt32BE(41), 11811);
  assert.equal(found.readUInt32BE(45), 11811);
  assert.equal(found[49], 1);
  // The check value of the standard.
  assert.equal(crc32(Buffer.from("123456789")), 0xcbf43926);
  // Node.js 18 has none.
  if (zlib.crc32) assert.equal(crc32(png), zlib.crc32(png));
});

test("texts of pictures have no characters that XML forbids", () => {
  assert.equal(xmlText("a\u0001b\u001b\ufffe\t\u202ec"), "a\ufffdb\ufffd\ufffd\t\u202ec");
  assert.equal(xmlText("\ud800x\u{1f600}"), "\ufffdx\u{1f600}");
});
