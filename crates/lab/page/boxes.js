// Boxes on a stage: labels and messages are placed where they cover nothing.

/** The width of a character of the label font, as a share of its size. */
const WIDE = 0.62;

/** The box of lines of text: `anchor` is start, middle or end, `y` the middle of the first line. */
export function lines_box(lines, x, y, anchor, font, tall) {
  const width = Math.max(0, ...lines.map((line) => line.length)) * font * WIDE;
  const left = anchor === "start" ? x : anchor === "end" ? x - width : x - width / 2;
  return { left, right: left + width, top: y - font * 0.6, bottom: y + (lines.length - 1) * tall + font * 0.6 };
}

export const around = (x, y, width, height = width) => ({ left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 });

const apart = (a, b, gap) => a.right + gap <= b.left || b.right + gap <= a.left || a.bottom + gap <= b.top || b.bottom + gap <= a.top;

/** The boxes of a stage of this size. */
export class Boxes {
  constructor(width, height, gap = 2) {
    Object.assign(this, { width, height, gap, taken: [] });
  }

  inside({ left, right, top, bottom }) { return left >= 1 && top >= 1 && right <= this.width - 1 && bottom <= this.height - 1; }

  free(box) { return this.inside(box) && this.taken.every((other) => apart(box, other, this.gap)); }

  /** Takes a box, if nothing is there. */
  take(box) {
    if (!this.free(box)) return false;
    this.taken.push(box);
    return true;
  }

  /** Takes the box in any case. */
  put(box) { this.taken.push(box); }
}
