// SPDX-License-Identifier: LGPL-2.1-or-later
// What is narrower than a pixel: how much of each column of pixels a state takes,
// in several bands, painted as pixels. As rectangles that would be tens of
// thousands for each frame.
//
// A frame of the viewer has about 30 ms of one core, without help of a GPU.
// What is narrower than a pixel is therefore painted as pixels (shares.js),
// what does not change while the reader zooms is kept as a picture
// (overview.js), and what the rows show is said in words when they have come
// to rest. make verify-view-size says how much of the main thread a frame
// takes.

/** Nothing ends a list. */
const NONE = -1;

/** What is there can be seen, however short. */
const LEAST = 0.15;

/** Less of a column is what rounding leaves of nothing. */
const NOTHING = 1e-6;

/** A list of entries for each column of each band, in arrays that are used again
 *  for each picture. */
class Lists {
  #size = 0;

  constructor() {
    this.heads = new Int32Array(0);
    this.#grow(4096);
  }

  #grow(size) {
    const next = new Int32Array(size);
    const names = new Int32Array(size);
    const times = new Float64Array(size);

    if (this.next) {
      next.set(this.next);
      names.set(this.names);
      times.set(this.times);
    }
    Object.assign(this, { next, names, times });
  }

  reset(count) {
    if (this.heads.length < count) this.heads = new Int32Array(count);
    this.heads.fill(NONE, 0, count);
    this.#size = 0;
  }

  get isEmpty() {
    return this.#size === 0;
  }

  add(list, name, time) {
    const { names, next } = this;
    let i = this.heads[list];

    while (i !== NONE && names[i] !== name) i = next[i];
    if (i !== NONE) {
      this.times[i] += time;
      return;
    }
    if (this.#size === names.length) this.#grow(2 * this.#size);
    i = this.#size++;
    this.names[i] = name;
    this.times[i] = time;
    this.next[i] = this.heads[list];
    this.heads[list] = i;
  }
}

const lists = new Lists();
let scratch = null;

/** A canvas that is at least so large, and its pixels. */
function scratchOf(width, height) {
  if (scratch && scratch.canvas.width >= width && scratch.canvas.height >= height)
    return scratch;
  const canvas = document.createElement("canvas");

  canvas.width = Math.max(width, scratch?.canvas.width ?? 0);
  canvas.height = Math.max(height, scratch?.canvas.height ?? 0);
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);

  scratch = {
    canvas,
    context,
    image,
    pixels: new Uint32Array(image.data.buffer),
  };
  return scratch;
}

/** Only one can be used at a time. */
export class Shares {
  /** @param width, height Of the picture, in pixels of the page. */
  constructor(width, height, bands) {
    this.ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.columns = Math.max(1, Math.round(width * this.ratio));
    this.bands = bands;
    lists.reset(this.columns * bands);
  }

  /**
   * Add time of a state between two places.
   *
   * @param name A number.
   * @param x0, x1 In pixels of the page.
   * @param share How much of that time it takes; less than 0 takes it away
   *        again, as far as it was added.
   */
  add(band, x0, x1, name, share) {
    const scale = this.columns / this.width;
    const from = x0 * scale;
    const to = Math.max(x1 * scale, from + 1e-3);
    const first = Math.max(0, Math.floor(from));
    const last = Math.min(this.columns, Math.ceil(to));
    const base = band * this.columns;

    for (let x = first; x < last; x++)
      lists.add(
        base + x,
        name,
        (Math.min(to, x + 1) - Math.max(from, x)) * share,
      );
  }

  /**
   * Draw all of it.
   *
   * @param looks How states look, by their number.
   * @param bandOf Where a band is: [top, height].
   */
  draw(context, looks, bandOf) {
    if (lists.isEmpty) return;
    const rows = Math.max(1, Math.round(this.height * this.ratio));
    const { canvas, image, pixels, ...own } = scratchOf(this.columns, rows);

    pixels.fill(0, 0, rows * canvas.width);
    for (let band = 0; band < this.bands; band++) {
      const [top, room] = bandOf(band).map((y) => y * this.ratio);
      const base = band * this.columns;
      const area = { pixels, stride: canvas.width, rows, room };

      for (let x = 0; x < this.columns; x++) {
        const head = lists.heads[base + x];

        if (head !== NONE) paintColumn(head, looks, area, x, top);
      }
    }
    own.context.putImageData(image, 0, 0, 0, 0, this.columns, rows);
    context.imageSmoothingEnabled = false;
    context.drawImage(
      canvas,
      0,
      0,
      this.columns,
      rows,
      0,
      0,
      this.columns / this.ratio,
      rows / this.ratio,
    );
  }
}

const order = [];

/** Sort what is more than nothing in a list, the longest time first; returns the
 *  sum of all. */
function sortColumn(head) {
  const { times, next } = lists;
  let sum = 0;

  order.length = 0;
  for (let i = head; i !== NONE; i = next[i]) {
    let k = order.length;

    if (times[i] < NOTHING) continue;
    sum += times[i];
    for (; k > 0 && times[order[k - 1]] < times[i]; k--) order[k] = order[k - 1];
    order[k] = i;
  }
  return sum;
}

/** Divide a column by the times in it, from its lower end; where states meet
 *  in a pixel their colours are mixed. */
function paintColumn(head, looks, { pixels, stride, rows, room }, x, top) {
  const { times, names } = lists;
  const sum = sortColumn(head);
  const scale = (room * Math.min(1, Math.max(sum, LEAST))) / sum;
  let at = rows - top - room;
  let row = Math.floor(at);
  let index = (rows - 1 - row) * stride + x;
  // What is known of a pixel that is covered in part.
  let red = 0;
  let green = 0;
  let blue = 0;
  let cover = 0;

  for (const i of order) {
    const end = at + times[i] * scale;
    const { rgb, pixel } = looks[names[i]];

    while (at < end) {
      const next = Math.min(end, row + 1);
      const part = next - at;

      at = next;
      if (part === 1) {
        pixels[index] = pixel;
      } else {
        red += part * rgb[0];
        green += part * rgb[1];
        blue += part * rgb[2];
        cover += part;
        pixels[index] = mixed(red / cover, green / cover, blue / cover, cover);
      }
      if (at < row + 1) break;
      row++;
      index -= stride;
      cover = red = green = blue = 0;
    }
  }
}

/** A pixel as image data has it. */
function mixed(red, green, blue, cover) {
  return (
    (Math.min(255, Math.round(cover * 255)) << 24) |
    (Math.round(blue) << 16) |
    (Math.round(green) << 8) |
    Math.round(red)
  );
}
