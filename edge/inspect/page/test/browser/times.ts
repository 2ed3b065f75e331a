// Files of times as `reprise time -o` writes them, with figures that tests state.

import { statSync, writeFileSync } from "node:fs";

export interface Timed {
  readonly call: number;
  /** Nanoseconds, one of each replay. */
  readonly ns: readonly number[];
  readonly method?: string;
  readonly markers?: readonly string[];
  /** A pipeline state's id. */
  readonly pipeline?: number;
  readonly frame?: number;
  readonly submission: number;
  readonly list: number;
  readonly queue?: number;
  /** Runs of the pixel shader. */
  readonly pixels?: number;
  /** What counters of the driver counted, by their names. */
  readonly driver?: Readonly<Record<string, number>>;
}

/** The counters of the driver that a file may have. */
export interface DriverCounter {
  readonly name: string;
  readonly category: string;
  readonly about: string;
  readonly unit: string;
  readonly adds: boolean;
}

/** Where `pixel_invocations` stands among the counts, and how many counts there are. */
const [PIXELS, COUNTS] = [7, 12];

/** Writes the file; operations of a submission and list stand behind each other. */
export function writeTimes(path: string, trace: string, all: readonly Timed[], about: { serial?: boolean; runtime?: string; bytes?: number; left_out?: string; uncounted?: Readonly<Record<string, readonly number[]>>; counters?: readonly DriverCounter[] } = {}): string {
  const lines: unknown[] = [{
    times: { version: 1, about: { trace_bytes: about.bytes ?? statSync(trace).size, frames: [1, null], serial: about.serial ?? false, by_operation: true, runtime: about.runtime ?? "", ...(about.left_out === undefined ? {} : { left_out: about.left_out }) } },
  }];
  const known = new Set<number>();
  for (const one of all) {
    if (known.has(one.call)) continue;
    known.add(one.call);
    lines.push({ operation: [one.call, { method: one.method ?? "DrawIndexedInstanced", markers: one.markers ?? [], targets: 0, ...(one.pipeline === undefined ? {} : { pipeline: { state: one.pipeline } }) }] });
  }
  const submissions = [...new Set(all.map((one) => one.submission))].sort((a, b) => a - b);
  const runs = Math.max(...all.map((one) => one.ns.length));
  const bySubmission = grouped(all);
  for (let run = 0; run < runs; run += 1) {
    for (const call of submissions) {
      const own = bySubmission.get(call) ?? [];
      const lists = [...new Set(own.map((one) => one.list))].map((list) => {
        const operations = own.filter((one) => one.list === list && one.ns.length > run).map((one) => [one.call, one.ns[run] ?? 0] as const);
        return { list, begin: 0, duration: operations.reduce((sum, [, ns]) => sum + ns, 0), operations };
      });
      lines.push({ run: [run + 1, { call, frame: own[0]?.frame ?? 1, queue: own[0]?.queue ?? 2, lists }] });
    }
  }
  if (all.some((one) => one.pixels !== undefined)) {
    for (const call of submissions) {
      const own = bySubmission.get(call) ?? [];
      const counts = (one: Timed) => Array.from({ length: COUNTS }, (_, index) => (index === PIXELS ? (one.pixels ?? null) : null));
      const lists = [...new Set(own.map((one) => one.list))].map((list) => [list, own.filter((one) => one.list === list).map((one) => [one.call, counts(one)])]);
      lines.push({ counted: { call, frame: own[0]?.frame ?? 1, queue: own[0]?.queue ?? 2, lists } });
    }
  }
  for (const missing of Object.entries(about.uncounted ?? {})) lines.push({ uncounted: missing });
  const { counters } = about;
  if (counters) {
    lines.push({ driver_counters: counters });
    for (const call of submissions) {
      const own = bySubmission.get(call) ?? [];
      const counts = (one: Timed) => counters.map((counter) => one.driver?.[counter.name] ?? null);
      const lists = [...new Set(own.map((one) => one.list))].map((list) => [list, own.filter((one) => one.list === list).map((one) => [one.call, counts(one)])]);
      lines.push({ driver: [1, { call, frame: own[0]?.frame ?? 1, queue: own[0]?.queue ?? 2, lists }] });
    }
  }
  lines.push({ end: lines.length });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

function grouped(all: readonly Timed[]): Map<number, Timed[]> {
  const map = new Map<number, Timed[]>();
  for (const one of all) {
    const own = map.get(one.submission);
    if (own) own.push(one);
    else map.set(one.submission, [one]);
  }
  return map;
}
