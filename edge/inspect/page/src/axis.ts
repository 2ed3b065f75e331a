// The axis of the timeline: times to pixels and back, and where ticks stand.

export interface Axis {
  /** Nanoseconds at the left and at the right end. */
  readonly begin: number;
  readonly end: number;
  /** Pixels between them. */
  readonly width: number;
}

export function x(axis: Axis, ns: number): number {
  return ((ns - axis.begin) / (axis.end - axis.begin)) * axis.width;
}

export function ns(axis: Axis, x: number): number {
  return axis.begin + (x / axis.width) * (axis.end - axis.begin);
}

/** No less is shown at once: below a microsecond there are no calls to tell apart. */
const SHORTEST_NS = 1000;

/** Zooms by a factor about a time that stays where it is; within `[0, all]`. */
export function zoom(axis: Axis, about: number, factor: number, all: number): Axis {
  const length = Math.min(all, Math.max(SHORTEST_NS, (axis.end - axis.begin) * factor));
  const share = (about - axis.begin) / (axis.end - axis.begin);
  return shift({ ...axis, begin: about - share * length, end: about + (1 - share) * length }, 0, all);
}

/** Moves by nanoseconds; within `[0, all]`. */
export function shift(axis: Axis, by: number, all: number): Axis {
  const length = axis.end - axis.begin;
  const begin = Math.min(Math.max(0, axis.begin + by), Math.max(0, all - length));
  return { ...axis, begin, end: begin + length };
}

/** Times of ticks that stand at least `apart` pixels apart: at one, two or five of a power of ten. */
export function ticks(axis: Axis, apart: number): number[] {
  const least = ((axis.end - axis.begin) / axis.width) * apart;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= least) ?? least;
  const list: number[] = [];
  for (let at = Math.ceil(axis.begin / step) * step; at <= axis.end; at += step) list.push(at);
  return list;
}
