// SPDX-License-Identifier: LGPL-2.1-or-later
// Mouse, pen and fingers on the rows and the ruler: the wheel zooms, dragging
// moves, dragging on the ruler or with Shift marks an interval.

/** So many pixels are a drag, less a click. */
const DRAG_PIXELS = 4;
/** So many fingers pinch; those beyond do nothing. */
const FINGERS = 2;

export class Pointer {
  /** @param handlers {hover(event), leave(), click(event), doubleClick(event)} */
  constructor(tracks, view, handlers) {
    this.tracks = tracks;
    this.view = view;
    this.handlers = handlers;
    this.pointers = new Map();
    this.drag = null;
    this.#listen(tracks.element, false);
    this.#listen(tracks.rulerCanvas, true);
  }

  #listen(element, isRuler) {
    element.addEventListener("wheel", (event) => this.#wheel(event, isRuler), {
      passive: false,
    });
    element.addEventListener("pointerdown", (event) =>
      this.#down(event, isRuler, element),
    );
    element.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"])
      element.addEventListener(name, (event) => this.#up(event));
    element.addEventListener("pointerleave", () => {
      if (!this.drag) this.handlers.leave();
    });
    element.addEventListener("dblclick", (event) => {
      if (this.#isInPlot(event)) this.handlers.doubleClick(event);
    });
  }

  #isInPlot(event) {
    const share = this.tracks.shareAt(event.clientX);

    return share >= 0 && share <= 1.02;
  }

  /* ---- The wheel ------------------------------------------------------- */

  #wheel(event, isRuler) {
    // Over the labels it scrolls, as anywhere else.
    if (!isRuler && !this.#isInPlot(event)) return;
    event.preventDefault();
    const scale = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 400 : 1;
    const dx = event.deltaX * scale;
    const dy = event.deltaY * scale;

    if (event.shiftKey && !isRuler) {
      this.tracks.scroll.scrollTop += dy || dx;
      return;
    }
    if (Math.abs(dx) > Math.abs(dy)) {
      this.view.pan(dx / this.tracks.plotWidth);
      return;
    }
    // Pinching on a touchpad comes with Ctrl, and in small steps.
    const speed = event.ctrlKey ? 0.008 : 0.0018;
    const factor = Math.exp(Math.max(-240, Math.min(240, dy)) * speed);

    this.view.zoom(factor, clamp(this.tracks.shareAt(event.clientX)));
  }

  /* ---- Dragging -------------------------------------------------------- */

  #down(event, isRuler, element) {
    if (event.button !== 0 || !this.#isInPlot(event)) return;
    if (event.target.closest("button")) return;
    this.pointers.set(event.pointerId, event);
    element.setPointerCapture(event.pointerId);
    if (this.pointers.size >= FINGERS) {
      this.#startPinch();
      return;
    }
    const handle = this.#markHandle(event);

    this.#startDrag(event, handle ? "handle" : isRuler || event.shiftKey ? "mark" : "move", handle);
  }

  #startDrag(event, kind, handle = null) {
    this.drag = {
      kind,
      x: event.clientX,
      y: event.clientY,
      start: this.view.start,
      scrollTop: this.tracks.scroll.scrollTop,
      time: handle ?? this.#timeOf(event),
      hasMoved: false,
    };
  }

  /** The other end of the mark, if the pointer is on one. */
  #markHandle(event) {
    const { mark } = this.view;

    if (!mark) return null;
    const width = this.tracks.plotWidth;
    const x = this.tracks.shareAt(event.clientX) * width;

    if (Math.abs(this.view.shareOf(mark.from) * width - x) < 5) return mark.to;
    if (Math.abs(this.view.shareOf(mark.to) * width - x) < 5) return mark.from;
    return null;
  }

  #timeOf(event) {
    return this.view.timeAt(this.tracks.shareAt(event.clientX));
  }

  #startPinch() {
    const [a, b] = [...this.pointers.values()];

    this.handlers.leave();

    this.drag = {
      kind: "pinch",
      distance: Math.max(20, Math.abs(a.clientX - b.clientX)),
      span: this.view.span,
      time: this.#timeOf({ clientX: (a.clientX + b.clientX) / 2 }),
    };
  }

  #move(event) {
    if (this.pointers.has(event.pointerId))
      this.pointers.set(event.pointerId, event);
    if (!this.drag) {
      if (this.#isInPlot(event)) this.handlers.hover(event);
      else this.handlers.leave();
      return;
    }
    if (this.drag.kind === "pinch") {
      this.#pinch();
      return;
    }
    const dx = event.clientX - this.drag.x;
    const dy = event.clientY - this.drag.y;

    if (!this.drag.hasMoved && Math.hypot(dx, dy) < DRAG_PIXELS) return;
    this.drag.hasMoved = true;
    if (this.drag.kind === "move") {
      const width = this.tracks.plotWidth;

      this.tracks.scroll.scrollTop = this.drag.scrollTop - dy;
      this.view.show(
        this.drag.start - BigInt(Math.round((dx / width) * this.view.span)),
        this.view.span,
      );
    } else {
      this.view.setMark(this.drag.time, this.#timeOf(event));
    }
  }

  #pinch() {
    const [a, b] = [...this.pointers.values()];

    if (!b) return;
    const distance = Math.max(20, Math.abs(a.clientX - b.clientX));
    const span = (this.drag.span * this.drag.distance) / distance;
    const share = clamp(
      this.tracks.shareAt((a.clientX + b.clientX) / 2),
    );

    this.view.show(
      this.drag.time - BigInt(Math.round(span * share)),
      span,
    );
  }

  /** A finger of several was lifted: the one that is left goes on dragging. */
  #liftOne() {
    if (this.pointers.size >= FINGERS) {
      this.#startPinch();
      return;
    }
    const [left] = this.pointers.values();

    this.#startDrag(left, "move");
    // It was a gesture, and is no click.
    this.drag.hasMoved = true;
  }

  #up(event) {
    this.pointers.delete(event.pointerId);
    const { drag } = this;

    if (!drag) return;
    if (this.pointers.size) {
      this.#liftOne();
      return;
    }
    this.drag = null;
    // Fingers that are gone point at nothing.
    if (event.pointerType === "touch" && (drag.hasMoved || drag.kind === "pinch"))
      this.handlers.leave();
    if (event.type === "pointerup" && !drag.hasMoved && drag.kind !== "pinch")
      this.handlers.click(event, drag);
  }
}

function clamp(share) {
  return Math.min(1, Math.max(0, share));
}
