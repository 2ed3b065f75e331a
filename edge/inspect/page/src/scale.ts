// Scrolling of lists that are taller than a browser can lay out.
//
// Browsers cap an element's height near 33 million pixels. A list of 10 million rows of 20 pixels is six times that. So the element that is
// scrolled has a capped height, and the place in the list is the place in the element times a factor. A step of the wheel moves by pixels of
// the list, not of the element: otherwise it would skip rows.

/** The greatest height of the element that is scrolled, in pixels. */
export const TALLEST = 8_000_000;

export interface Scale {
  /** Height of the whole list in pixels. */
  readonly list: number;
  /** Height of the element that is scrolled. */
  readonly spacer: number;
  /** Height of what is visible. */
  readonly window: number;
}

export function scaleOf(rows: number, rowHeight: number, window: number): Scale {
  const list = rows * rowHeight;
  return { list, spacer: Math.min(list, TALLEST), window };
}

/** Whether places in the element are places in the list. */
export function exact(scale: Scale): boolean {
  return scale.list === scale.spacer;
}

/** The greatest place in the list, in pixels from its top. */
export function lastTop(scale: Scale): number {
  return Math.max(0, scale.list - scale.window);
}

/** The place in the list that a place in the element stands for. */
export function topOf(scale: Scale, scrollTop: number): number {
  const range = scale.spacer - scale.window;
  if (range <= 0) return 0;
  return Math.min(1, Math.max(0, scrollTop / range)) * lastTop(scale);
}

/** The place in the element for a place in the list. */
export function scrollOf(scale: Scale, top: number): number {
  const last = lastTop(scale);
  if (last === 0) return 0;
  return Math.min(1, Math.max(0, top / last)) * Math.max(0, scale.spacer - scale.window);
}

/** The place in the list nearest to `top` at which `row` is visible as a whole. */
export function reveal(scale: Scale, top: number, row: number, rowHeight: number): number {
  const begin = row * rowHeight;
  if (begin < top) return begin;
  if (begin + rowHeight > top + scale.window) return Math.min(begin + rowHeight - scale.window, lastTop(scale));
  return top;
}
