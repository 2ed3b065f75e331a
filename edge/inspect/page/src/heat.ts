// A strip of operations, each coloured by what it costs.

export interface Operations {
  readonly gpu_ns: readonly (number | null)[];
  readonly pixels: readonly (number | null)[] | null;
}

export interface Look {
  /** A cell is as wide as its time, or as wide as all others. */
  readonly width: "time" | "equal";
  readonly order: "call" | "cost";
  /** What the colour says: the time, or the time for each run of the pixel shader. */
  readonly colour: "time" | "pixel";
}

export interface Cells {
  /** Which operation a cell is. */
  readonly order: Uint32Array;
  /** Where cells begin, from 0 to 1; one more, where the last one ends. */
  readonly edges: Float64Array;
  /** From 0, the coldest, to 1, the hottest; -1: not known. */
  readonly heat: Float32Array;
  /** What the coldest and the hottest have. */
  readonly least: number;
  readonly most: number;
}

/** What an operation's colour says; null where it is not known. */
export function value(of: Operations, index: number, colour: Look["colour"]): number | null {
  const ns = of.gpu_ns[index] ?? null;
  if (colour === "time" || ns === null) return ns;
  const pixels = of.pixels?.[index] ?? null;
  return pixels === null || pixels === 0 ? null : ns / pixels;
}

export function cells(of: Operations, look: Look): Cells {
  const count = of.gpu_ns.length;
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  const time = (index: number) => of.gpu_ns[index] ?? 0;
  if (look.order === "cost") order.sort((a, b) => time(b) - time(a) || a - b);
  let least = Infinity;
  let most = 0;
  for (let index = 0; index < count; index += 1) {
    const one = value(of, index, look.colour);
    if (one === null || one <= 0) continue;
    least = Math.min(least, one);
    most = Math.max(most, one);
  }
  if (least > most) least = most;
  const heat = new Float32Array(count);
  const edges = new Float64Array(count + 1);
  let sum = 0;
  order.forEach((index, place) => {
    const one = value(of, index, look.colour);
    // Durations of operations lie orders of magnitude apart: their logarithms are told apart.
    heat[place] = one === null ? -1 : one <= least || most <= least ? (one > 0 && most <= least ? 1 : 0) : Math.log(one / least) / Math.log(most / least);
    edges[place] = sum;
    sum += look.width === "time" ? time(index) : 1;
  });
  edges[count] = sum;
  if (sum > 0) for (let place = 0; place <= count; place += 1) edges[place] = (edges[place] ?? 0) / sum;
  return { order, edges, heat, least, most };
}

/** The cells that have a part of the strip between two places of it: the first one, and the one behind the last. */
export function between(cells: Cells, from: number, to: number): [number, number] {
  const count = cells.order.length;
  const behind = (wanted: (edge: number) => boolean) => {
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (wanted(cells.edges[middle + 1] ?? 1)) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const first = behind((end) => end > from);
  let last = first;
  while (last < count && (cells.edges[last] ?? 1) < to) last += 1;
  return [first, last];
}

/** The hottest cell between two places; null where there is none. */
export function hottest(cells: Cells, from: number, to: number): number | null {
  const [first, last] = between(cells, from, to);
  let best: number | null = null;
  for (let place = first; place < last; place += 1) {
    const wide = (cells.edges[place + 1] ?? 0) > (cells.edges[place] ?? 0);
    if (wide && (best === null || (cells.heat[place] ?? -1) > (cells.heat[best] ?? -1))) best = place;
  }
  return best;
}

/** For each column of so many, the heat of the hottest cell in it; -2 where there is none. */
export function columns(cells: Cells, wide: number): Float32Array {
  const heat = new Float32Array(wide).fill(-2);
  for (let place = 0; place < cells.order.length; place += 1) {
    const [begin, end] = [(cells.edges[place] ?? 0) * wide, (cells.edges[place + 1] ?? 0) * wide];
    if (end <= begin) continue;
    const one = cells.heat[place] ?? -1;
    for (let column = Math.floor(begin); column < end && column < wide; column += 1) if (one > (heat[column] ?? 0)) heat[column] = one;
  }
  return heat;
}

export type Stops = readonly [string, string, string];

/** The colour of a heat between three colours, each `rgb(…)` as a browser writes it: red, green, blue. */
export function mixed(stops: Stops, heat: number): [number, number, number] {
  const parts = stops.map((stop) => (stop.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number));
  const at = Math.min(1, Math.max(0, heat)) * 2;
  const [from, to] = at < 1 ? [parts[0], parts[1]] : [parts[1], parts[2]];
  const share = at < 1 ? at : at - 1;
  const part = (index: number) => Math.round((from?.[index] ?? 0) * (1 - share) + (to?.[index] ?? 0) * share);
  return [part(0), part(1), part(2)];
}

/** The same as a style sheet has it. */
export function ramp(stops: Stops, heat: number): string {
  return `rgb(${mixed(stops, heat).join(", ")})`;
}
