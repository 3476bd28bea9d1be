// SPDX-License-Identifier: LGPL-2.1-or-later
// PNG says how many pixels are on a metre of paper.

/** Signature, then the length, type, content and check of IHDR. */
const HEADER = 8 + 4 + 4 + 13 + 4;

/** CRC-32 of ISO 3309, as PNG has it. */
export function crc32(bytes) {
  let crc = 0xffffffff;

  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++)
      crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Add the resolution to a PNG, in pixels per inch: a pHYs chunk behind IHDR. */
export function withResolution(png, perInch) {
  const chunk = new Uint8Array(4 + 4 + 9 + 4);
  const view = new DataView(chunk.buffer);
  const perMetre = Math.round(perInch / 0.0254);
  const result = new Uint8Array(png.length + chunk.length);

  view.setUint32(0, 9);
  chunk.set([0x70, 0x48, 0x59, 0x73], 4);
  view.setUint32(8, perMetre);
  view.setUint32(12, perMetre);
  chunk[16] = 1;
  view.setUint32(17, crc32(chunk.subarray(4, 17)));
  result.set(png.subarray(0, HEADER));
  result.set(chunk, HEADER);
  result.set(png.subarray(HEADER), HEADER + chunk.length);
  return result;
}
