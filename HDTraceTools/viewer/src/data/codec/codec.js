// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads what pack.h describes: parts, which are zlib streams of columns.

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Decode bytes [start, start + size) of a base64 text. */
export function decodeBase64(text, start, size) {
  const from = Math.floor(start / 3) * 4;
  const to = Math.ceil((start + size) / 3) * 4;
  const binary = atob(text.slice(from, to));
  const skip = start % 3;
  const bytes = new Uint8Array(size);

  for (let i = 0; i < size; i++) bytes[i] = binary.charCodeAt(i + skip);
  return bytes;
}

/** Expand a zlib stream. There are many small ones, so nothing is made for each
 *  that is not needed, as a Blob or a Response would be. */
export async function inflate(bytes) {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  const parts = [];
  let size = 0;

  // What fails here fails where it is read as well.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  for (;;) {
    const { done, value } = await reader.read();

    if (done) break;
    parts.push(value);
    size += value.length;
  }
  return parts.length === 1 ? parts[0] : joined(parts, size);
}

function joined(parts, size) {
  const bytes = new Uint8Array(size);
  let at = 0;

  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Reads the columns of a part, one after another. */
export class Columns {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  get isAtEnd() {
    return this.at >= this.bytes.length;
  }

  /**
   * The next column: a Float64Array, or a BigInt64Array or BigUint64Array if
   * there are integers that doubles do not hold; a Float32Array of floats; a
   * Uint8Array of bytes.
   */
  next() {
    const kind = String.fromCharCode(this.bytes[this.at]);
    const count = this.view.getUint32(this.at + 1, true);

    this.at += 5;
    switch (kind) {
      case "c":
      case "C":
        return this.#constant(count, kind === "C");
      case "i":
      case "I":
        return this.#integers(count, kind === "I");
      case "d":
        return new Float64Array(this.#planes(count, 8).buffer);
      case "f":
        return new Float32Array(this.#planes(count, 4).buffer);
      case "b":
        this.at += count;
        return this.bytes.subarray(this.at - count, this.at);
      default:
        throw new Error(`no such kind of column: ${kind}`);
    }
  }

  /** The next column of integers, as numbers; those too large are rounded. */
  numbers() {
    const column = this.next();

    return column instanceof Float64Array
      ? column
      : Float64Array.from(column, Number);
  }

  /** The next column of integers, as an array of BigInt. */
  bigs() {
    const column = this.next();

    return column instanceof Float64Array
      ? Array.from(column, (value) => BigInt(value))
      : Array.from(column);
  }

  /** The next two columns: lengths of texts, and the bytes of all of them. */
  texts() {
    const lengths = this.numbers();
    const bytes = this.next();
    const starts = new Float64Array(lengths.length + 1);

    for (let i = 0; i < lengths.length; i++)
      starts[i + 1] = starts[i] + lengths[i];
    return { starts, bytes };
  }

  /** The next column, of bytes, as text. */
  text() {
    return new TextDecoder().decode(this.next());
  }

  #base(isUnsigned) {
    const base = isUnsigned
      ? this.view.getBigUint64(this.at, true)
      : this.view.getBigInt64(this.at, true);

    this.at += 8;
    return base;
  }

  #constant(count, isUnsigned) {
    const base = this.#base(isUnsigned);

    if (base >= -SAFE && base <= SAFE)
      return new Float64Array(count).fill(Number(base));
    return (isUnsigned
      ? new BigUint64Array(count)
      : new BigInt64Array(count)
    ).fill(base);
  }

  #integers(count, isUnsigned) {
    const width = this.bytes[this.at++];
    const base = this.#base(isUnsigned);
    const planes = this.#planes(count, width);
    const offsets =
      width === 1
        ? planes
        : width === 2
          ? new Uint16Array(planes.buffer)
          : width === 4
            ? new Uint32Array(planes.buffer)
            : new BigUint64Array(planes.buffer);

    if (width < 8 && base >= -SAFE && base <= SAFE - 0xffffffffn)
      return addBase(new Float64Array(count), offsets, Number(base));
    return bigIntegers(offsets, base, isUnsigned);
  }

  /** Put the bytes of numbers together again. */
  #planes(count, width) {
    const bytes = this.bytes;
    const out = new Uint8Array(count * width);

    for (let k = 0; k < width; k++) {
      const plane = this.at + k * count;

      for (let i = 0, to = k; i < count; i++, to += width)
        out[to] = bytes[plane + i];
    }
    this.at += count * width;
    return out;
  }
}

function addBase(out, offsets, base) {
  for (let i = 0; i < out.length; i++) out[i] = base + offsets[i];
  return out;
}

function bigIntegers(offsets, base, isUnsigned) {
  const out = isUnsigned
    ? new BigUint64Array(offsets.length)
    : new BigInt64Array(offsets.length);
  let isSafe = true;

  // Sums wrap around at 64 bits, as they did when they were written.
  for (let i = 0; i < out.length; i++) {
    out[i] = base + BigInt(offsets[i]);
    isSafe = isSafe && out[i] <= SAFE && out[i] >= -SAFE;
  }
  return isSafe ? Float64Array.from(out, Number) : out;
}
