// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests of what is drawn: the pixels of canvases. A colour is "r,g,b,a".

/** Where time lines begin on their canvas, and the bands of states, in pixels. */
const GUTTER = 56;
const BANDS_TOP = 4;
const BAND_HEIGHT = 17;

/** The canvas of a row: rows are numbered in the order of the project. */
export const canvasOf = (key) => `.row[data-key="${key}"] canvas`;

/** Rows of pixels of a band of states, without its borders. */
export function bandRows(depth) {
  const top = BANDS_TOP + depth * BAND_HEIGHT;

  return [top + 1, top + BAND_HEIGHT - 2];
}

/** The pixels of a canvas, as they are now. */
export class Picture {
  static async of(viewer, selector) {
    const self = new Picture();
    const found = await viewer.page.$eval(selector, (canvas) => {
      const { width, height } = canvas;
      const copy = new OffscreenCanvas(width, height);
      const context = copy.getContext("2d", { willReadFrequently: true });
      let bytes = "";

      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);

      for (let i = 0; i < data.length; i += 32768)
        bytes += String.fromCharCode(...data.subarray(i, i + 32768));
      return { width, height, bytes: btoa(bytes) };
    });

    self.width = found.width;
    self.height = found.height;
    self.data = Buffer.from(found.bytes, "base64");
    self.view = viewer.stretch();
    return self;
  }

  /** The column of pixels of a time, in seconds. */
  x(time) {
    const [start, span] = this.view;

    return GUTTER + ((time - start) / span) * (this.width - GUTTER);
  }

  at(x, y) {
    const i = (Math.floor(y) * this.width + Math.floor(x)) * 4;

    return this.data.subarray(i, i + 4).join();
  }

  alphaAt(x, y) {
    return this.data[(Math.floor(y) * this.width + Math.floor(x)) * 4 + 3];
  }

  /** The colours of a column, from the top. */
  column(x) {
    return Array.from({ length: this.height }, (_, y) => this.at(x, y));
  }

  /** The colours of a rectangle, the most frequent first. */
  colours(x0, y0, x1, y1) {
    const counts = new Map();

    for (let y = Math.ceil(y0); y < y1; y++)
      for (let x = Math.ceil(x0); x < x1; x++) {
        const colour = this.at(x, y);

        counts.set(colour, (counts.get(colour) ?? 0) + 1);
      }
    return [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  }

  /** The colour that most of a state has, its borders left out. */
  stateColour({ start, end, depth }) {
    const [top, bottom] = bandRows(depth);

    return this.colours(this.x(start) + 1, top, this.x(end) - 2, bottom)[0];
  }

  /** How much of a colour a pixel has, up to 255; grey has none. */
  strength(x, y) {
    const i = (Math.floor(y) * this.width + Math.floor(x)) * 4;
    const channels = [...this.data.subarray(i, i + 3)];

    return (
      ((Math.max(...channels) - Math.min(...channels)) * this.data[i + 3]) / 255
    );
  }

  /** Where the line of a value is at a time, in pixels from the top, and its
   *  colour: no pixel near has more of one. Lines may be dashed. */
  line(time) {
    let best = { strength: -1 };

    for (let x = this.x(time); x < this.x(time) + 10; x++)
      for (let y = 0; y < this.height; y++) {
        const strength = this.strength(x, y);

        if (strength > best.strength)
          best = { y, strength, colour: this.at(x, y) };
      }
    return best;
  }
}

/** What the legend says: name to {category, picture, colour, isOn}. */
export async function legendOf(viewer) {
  await viewer.panel("legend");
  const items = await viewer.page.$$eval("#panel-legend fieldset", (sets) =>
    sets.flatMap((set) => {
      const category = set.querySelector("legend").textContent;

      return [...set.querySelectorAll(":scope > .legend-item")].map((item) => {
        const canvas = item.querySelector("canvas");
        const data = canvas
          ?.getContext("2d")
          .getImageData(0, 0, canvas.width, canvas.height).data;
        const counts = {};

        for (let i = 0; i < (data?.length ?? 0); i += 4) {
          const colour = data.slice(i, i + 4).join();

          counts[colour] = (counts[colour] ?? 0) + 1;
        }
        return {
          name: item.querySelector(".clip").textContent,
          category,
          picture: canvas?.toDataURL() ?? null,
          colour: Object.keys(counts).sort((a, b) => counts[b] - counts[a])[0],
          isOn: item.querySelector("input").checked,
        };
      });
    }),
  );

  return new Map(items.map((item) => [item.name, item]));
}
