// The steps of a shader: to which line each belongs, where stepping leads, and which values there are at a step. Steps count from 1.

/** A line of a file of HLSL; of the shader as it is disassembled where there is no file. */
export interface Spot {
  readonly file: string | null;
  readonly line: number;
}

export interface Written {
  readonly value?: string;
  readonly variable?: string;
  readonly register?: string | null;
  readonly resource?: number | null;
  readonly offset?: number | null;
  readonly texel?: readonly number[];
  readonly address?: string;
}

/** A step, as `reprise debug --json` has it. */
export interface Step {
  readonly step: number;
  readonly word: number;
  readonly instruction: string | null;
  readonly value?: string;
  readonly bits?: readonly string[];
  readonly nan?: boolean;
  readonly open?: { readonly word: number; readonly operation: string } | null;
  readonly line?: { readonly file: string; readonly line: number; readonly column: number; readonly text: string | null } | null;
  readonly dxil?: { readonly line: number; readonly text: string } | null;
  readonly variables?: readonly string[];
  readonly write?: Written;
  /** Of a dispatch of rays: the shader that it is of, and in how many calls of shaders it lies. */
  readonly shader?: string;
  readonly depth?: number;
}

/** The line of a step: of HLSL, or of the disassembled shader. */
export function spotOf(step: Step | undefined, source: boolean): Spot | null {
  if (source) return step?.line ? { file: step.line.file, line: step.line.line } : null;
  return step?.dxil ? { file: null, line: step.dxil.line } : null;
}

const same = (a: Spot | null, b: Spot | null) => a?.file === b?.file && a?.line === b?.line;

/** The next step of another line, or the first one of the line before. Null: there is none. */
export function stepLine(steps: readonly Step[], from: number, by: 1 | -1, source: boolean): number | null {
  const own = spotOf(steps[from - 1], source);
  for (let at = from + by; at >= 1 && at <= steps.length; at += by) {
    const spot = spotOf(steps[at - 1], source);
    if (spot === null || same(spot, own)) continue;
    if (by > 0) return at;
    // The first of those in a row that are of this line.
    let first = at;
    while (first > 1) {
      const before = spotOf(steps[first - 2], source);
      if (before !== null && !same(before, spot)) break;
      first -= 1;
    }
    while (spotOf(steps[first - 1], source) === null) first += 1;
    return first;
  }
  return null;
}

/** The next step, or the one before, of which something is so. */
export function stepTo(steps: readonly Step[], from: number, by: 1 | -1, is: (step: Step) => boolean): number | null {
  for (let at = from + by; at >= 1 && at <= steps.length; at += by) if (is(steps[at - 1] as Step)) return at;
  return null;
}

/** Where a step writes, in words. */
export function placeOf(write: Written): string {
  if (write.variable !== undefined) return write.variable.replace(/^%/, "");
  const name = write.register ?? (write.resource == null ? (write.address ?? "memory") : `resource ${write.resource}`);
  if (write.texel !== undefined) return `${name}[${write.texel.join(", ")}]`;
  return write.offset == null ? name : `${name} + ${write.offset}`;
}

export interface Value {
  readonly name: string;
  readonly text: string;
  /** The step that gave it. */
  readonly step: number;
  readonly kind: "variable" | "written" | "result";
  readonly open: boolean;
  readonly nan: boolean;
}

/** A value of a step that people want to see: pointers are none. */
function valueOf(step: Step): Value | null {
  const { open, nan } = { open: step.open != null, nan: step.nan === true };
  if (step.write) return { name: placeOf(step.write), text: step.write.value ?? "", step: step.step, kind: "written", open, nan };
  if (step.value === undefined || (step.bits ?? []).length === 0) return null;
  const result = /^(%\S+) = /.exec(step.instruction ?? "")?.[1];
  return result === undefined ? null : { name: result, text: step.value, step: step.step, kind: "result", open, nan };
}

export interface Seen {
  /** Variables of the source, and what was written, by name; the latest value of each. */
  readonly values: readonly Value[];
  /** The latest values of lines, by `keyOf`. */
  readonly lines: ReadonlyMap<string, readonly Value[]>;
}

export function keyOf(spot: Spot): string {
  return `${spot.file ?? ""}:${spot.line}`;
}

/** What is known once a step is made. */
export function seenAt(steps: readonly Step[], at: number, source: boolean): Seen {
  const named = new Map<string, Value>();
  const lines = new Map<string, Map<string, Value>>();
  for (let index = 0; index < Math.min(at, steps.length); index += 1) {
    const step = steps[index] as Step;
    const value = valueOf(step);
    if (value === null) continue;
    const all = [...(step.variables ?? []).map((name) => ({ ...value, name, kind: "variable" as const })), ...(value.kind === "written" ? [value] : [])];
    for (const one of all) named.set(one.name, one);
    const spot = spotOf(step, source);
    if (spot === null) continue;
    const key = keyOf(spot);
    // Of a line of the disassembly each result counts; of HLSL those that have a name.
    const shown = source ? all : all.length > 0 ? all : [value];
    if (shown.length === 0) continue;
    const own = lines.get(key) ?? new Map<string, Value>();
    for (const one of shown) own.set(one.name, one);
    lines.set(key, own);
  }
  return { values: [...named.values()], lines: new Map([...lines].map(([key, own]) => [key, [...own.values()]])) };
}

/** What the comparison with the GPU's result comes to. `sort`: how it is shown. */
export interface Verdict {
  readonly sort: "equal" | "open" | "differs" | "nothing";
  readonly text: string;
  readonly more: readonly string[];
}

interface Check {
  equal?: boolean;
  left_out?: boolean;
  whole?: boolean;
  bytes_compared?: number;
  differences?: { resource: number; subresource: number | null; offset: number; expected: string; found: string; open: { operation: string } | null; beyond?: boolean; unbounded?: boolean }[];
  outputs?: { name: string; expected: string; found: string; verdict: "equal" | "open" | "differs"; open: { operation: string } | null; tolerance: number | null; unbounded?: boolean }[];
  unseen?: (string | { resource: number; subresource: number | null; error: string })[];
  notes?: string[];
}

const unseenText = (one: string | { resource: number; subresource: number | null; error: string }) => (typeof one === "string" ? one : `resource ${one.resource}: ${one.error}`);
/** How far the two may be apart. JSON has no number for "however far". */
const boundText = (one: { tolerance?: number | null; unbounded?: boolean }) => (one.unbounded ? ", not bounded" : one.tolerance == null ? "" : `, by ${one.tolerance} at most`);
const distinct = (list: readonly string[]) => [...new Set(list)].join(", ");
const counted = (count: number, what: string) => `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;

/** `check` of the record. */
export function verdict(check: unknown): Verdict {
  const it = check as Check | null;
  if (it === null || it === undefined) return { sort: "nothing", text: "nothing compared", more: [] };
  const unseen = (it.unseen ?? []).map(unseenText);
  const more = [...unseen.map((why) => `not compared: ${why}`), ...(it.notes ?? [])];
  if (it.left_out) return { sort: "nothing", text: "nothing compared: a predicate kept the GPU from making the call", more };
  if (it.outputs !== undefined) {
    const of = (sort: string) => (it.outputs ?? []).filter((one) => one.verdict === sort);
    const [differs, open] = [of("differs"), of("open")];
    const told = (one: NonNullable<Check["outputs"]>[number]) => `${one.name}: the interpreter has ${one.expected}, the GPU ${one.found}${one.open ? `, open: ${one.open.operation}` : ""}${boundText(one)}`;
    if (it.outputs.length === 0) return { sort: "nothing", text: `nothing compared: ${unseen[0] ?? "the GPU tells nothing of it"}`, more };
    if (differs.length > 0) return { sort: "differs", text: `differs: ${counted(differs.length, "number")} of ${it.outputs.length}`, more: [...differs.map(told), ...open.map(told), ...more] };
    if (open.length > 0) return { sort: "open", text: `open: ${counted(open.length, "number")} of ${it.outputs.length}, ${distinct(open.map((one) => one.open?.operation ?? "the API leaves it open"))}`, more: [...open.map(told), ...more] };
    return { sort: unseen.length > 0 ? "open" : "equal", text: `equal: ${counted(it.outputs.length, "number")}${unseen.length > 0 ? `, and ${counted(unseen.length, "thing")} not compared` : ""}`, more };
  }
  const differences = it.differences ?? [];
  const told = (one: (typeof differences)[number]) => `resource ${one.resource} + ${one.offset}: the interpreter has ${one.expected}, the GPU ${one.found}${one.open ? `, open: ${one.open.operation}` : ""}${boundText(one)}${one.beyond ? ", BEYOND the bounds" : ""}`;
  const wrong = differences.filter((one) => one.open === null || one.beyond);
  const what = `${counted(it.bytes_compared ?? 0, "byte")}${it.whole ? "" : " that the group wrote"}`;
  if (wrong.length > 0 || (differences.length === 0 && it.equal === false && unseen.length === 0)) return { sort: "differs", text: `differs: ${counted(wrong.length, "word")}`, more: [...wrong.slice(0, 20).map(told), ...more] };
  if ((it.bytes_compared ?? 0) === 0) return { sort: "nothing", text: `nothing compared: ${unseen[0] ?? "nothing is written"}`, more };
  if (differences.length > 0) return { sort: "open", text: `open: ${counted(differences.length, "word")}, ${distinct(differences.map((one) => one.open?.operation ?? ""))}; ${what} compared`, more: [...differences.slice(0, 20).map(told), ...more] };
  return { sort: unseen.length > 0 ? "open" : "equal", text: `equal: ${what}${unseen.length > 0 ? `, and ${counted(unseen.length, "resource")} not compared` : ""}`, more };
}

/** What a link says is stepped through: the call, and what of it. */
export interface Stepped {
  readonly call: number;
  readonly of: { readonly pixel: readonly [number, number] } | { readonly vertex: number } | { readonly thread: readonly [number, number, number] };
  readonly narrow: Readonly<Partial<Record<"primitive" | "sample" | "instance" | "submission" | "command", number>>>;
}

const NARROW = ["primitive", "sample", "instance", "submission", "command"] as const;

/** As a link has it: `155.pixel.200.200.primitive.126`. */
export function writeStepped(it: Stepped): string {
  const of = "pixel" in it.of ? ["pixel", ...it.of.pixel] : "vertex" in it.of ? ["vertex", it.of.vertex] : ["thread", ...it.of.thread];
  const narrow = NARROW.flatMap((name) => (it.narrow[name] === undefined ? [] : [name, it.narrow[name]]));
  return [it.call, ...of, ...narrow].join(".");
}

/** Null: it says nothing of the kind. */
export function readStepped(text: string | undefined): Stepped | null {
  const match = /^(\d{1,15})\.(?:pixel\.(\d{1,6})\.(\d{1,6})|vertex\.(\d{1,9})|thread\.(\d{1,9})\.(\d{1,9})\.(\d{1,9}))((?:\.(?:primitive|sample|instance|submission|command)\.\d{1,15})*)$/.exec(text ?? "");
  if (match === null) return null;
  const [, call, x, y, vertex, ...rest] = match;
  const of = x !== undefined ? { pixel: [Number(x), Number(y)] as const } : vertex !== undefined ? { vertex: Number(vertex) } : { thread: [Number(rest[0]), Number(rest[1]), Number(rest[2])] as const };
  const narrow: Partial<Record<(typeof NARROW)[number], number>> = {};
  const words = (rest[3] ?? "").split(".").slice(1);
  for (let at = 0; at + 1 < words.length; at += 2) narrow[words[at] as (typeof NARROW)[number]] = Number(words[at + 1]);
  return { call: Number(call), of, narrow };
}

/** Options of `reprise debug` for it. */
export function optionsOf(it: Stepped): string[] {
  const of = "pixel" in it.of ? ["--pixel", it.of.pixel.join(",")] : "vertex" in it.of ? ["--vertex", String(it.of.vertex)] : ["--thread", it.of.thread.join(",")];
  return [...of, ...NARROW.flatMap((name) => (it.narrow[name] === undefined ? [] : [`--${name}`, String(it.narrow[name])]))];
}
