// What happened to a pixel in a frame: each call that wrote it or could have, with the values before and after.

import { createMemo, For, Show, type JSX } from "solid-js";
import type { PixelEvent, PixelFragment, PixelHistory, PixelValue } from "../api.ts";
import { useExport } from "../export.tsx";
import { useJob } from "../job.ts";
import { CallLink, ObjectLink } from "../names.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { go, link, place, trace } from "../place.ts";
import type { Stepped } from "../steps.ts";
import { brief, float, grouped } from "../text.ts";
import { DebugLink } from "./debug.tsx";

/** A part of a texture, in a frame. */
export interface Subresource {
  readonly frame: number;
  readonly resource: number;
  readonly mip: number;
  readonly slice: number;
  readonly plane: number;
  readonly sample: number;
}

export interface PixelPlace extends Subresource {
  readonly at: readonly [number, number];
}

/** What tests say to people who do not know the word of the JSON. */
const WORDS: Readonly<Record<string, string>> = {
  written: "written", passed: "passed", same_value: "same value", write_mask: "write mask", scissor: "scissor", cull: "culled", depth_clip: "clipped by depth", sample_mask: "sample mask",
  discard: "discarded by the shader", depth_bounds: "depth bounds", stencil: "stencil test", depth: "depth test", predicate: "left out by the predicate", viewport: "outside of all viewports", not_covered: "not covered",
};

/** The place of a picture that a link names as `x,y`. */
export function pixelAt(text: string | undefined): [number, number] | null {
  const match = /^(\d{1,5}),(\d{1,5})$/.exec(text ?? "");
  return match === null ? null : [Number(match[1]), Number(match[2])];
}

/** What colour a value has on a screen: of one channel, grey. Null: none can be told. */
export function swatch(value: PixelValue | null | undefined, format: string | null): string | null {
  const list = (value?.values ?? []).map((one) => (typeof one === "number" ? one : NaN));
  const first = list[0];
  if (first === undefined) return null;
  const integer = /_[US]INT/.test(format ?? "");
  const byte = (part: number | undefined) => Math.round(Math.min(1, Math.max(0, (part ?? 0) / (integer ? 255 : 1))) * 255);
  if (list.slice(0, 3).some(Number.isNaN)) return "rgb(255, 0, 255)";
  return list.length < 3 ? `rgb(${byte(first)}, ${list.length > 1 ? byte(list[1]) : byte(first)}, ${list.length > 1 ? 0 : byte(first)})` : `rgb(${byte(list[0])}, ${byte(list[1])}, ${byte(list[2])})`;
}

function written(value: PixelValue | null | undefined, exact = true): string {
  if (value === null || value === undefined) return "–";
  const number = (one: number) => (exact || Number.isInteger(one) ? float(Math.fround(one)) : String(Number(one.toPrecision(5))));
  return `(${value.values.map((one) => (typeof one === "number" ? number(one) : String(one))).join(", ")})`;
}

function Value(props: { value: PixelValue | null | undefined; format: string | null }): JSX.Element {
  return (
    <span class="pixel" title={props.value ? `${written(props.value)}, bytes ${props.value.bytes}` : undefined}>
      <Show when={swatch(props.value, props.format)}>{(tint) => <i class="swatch" style={{ background: tint() }} aria-hidden="true" />}</Show>
      <span class="mono">{written(props.value, false)}</span>
    </span>
  );
}

/** Draws that do not come to the pixel, in a row, are one line. */
type Line = { readonly event: PixelEvent } | { readonly from: number; readonly to: number; readonly count: number };

const elsewhere = (event: PixelEvent) => event.changed !== true && (event.tests?.outcome === "not_covered" || event.tests?.outcome === "viewport");

export function linesOf(events: readonly PixelEvent[], all: boolean): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < events.length; at += 1) {
    let end = at;
    while (!all && end < events.length && elsewhere(events[end] as PixelEvent)) end += 1;
    if (end - at > 1) {
      lines.push({ from: (events[at] as PixelEvent).call, to: (events[end - 1] as PixelEvent).call, count: end - at });
      at = end - 1;
    } else lines.push({ event: events[at] as PixelEvent });
  }
  return lines;
}

/** The most lines of a table: more make a browser slow, and nobody reads them. */
const SHOWN = 2000;

export function PixelHistoryView(props: { of: PixelPlace }): JSX.Element {
  const job = useJob(() => {
    const { frame, at, resource, mip, slice, plane, sample } = props.of;
    return { t: trace()?.t ?? 0, body: { kind: "pixel", frame, at, resource, mip, slice, plane, sample } };
  });
  const history = createMemo(() => (job().state?.state === "done" ? (job().state?.result as unknown as PixelHistory) : undefined));
  const all = () => place().more["pixels"] === "all";
  const lines = createMemo(() => linesOf(history()?.events ?? [], all()));
  useExport(() => {
    const { frame, at, resource } = props.of;
    const parts = (["mip", "slice", "plane", "sample"] as const).flatMap((part) => (props.of[part] === 0 ? [] : [`--${part}`, String(props.of[part])]));
    return {
      command: ["pixel", "TRACE", "--frame", String(frame), "--at", at.join(","), "--target", String(resource), ...parts],
      table: async () => ({
        head: ["call", "submission", "method", "touch", "outcome", "fragments", "passed", "before", "after", "changed", "why"],
        rows: (history()?.events ?? []).map((one) => [one.call, one.submission, one.method, one.touch, one.tests?.outcome, one.tests?.fragments, one.tests?.passed, written(one.before), written(one.after), one.changed == null ? "" : String(one.changed), one.why]),
      }),
      json: async () => history(),
    };
  });
  const leftOut = () => Object.entries(history()?.left_out ?? {});
  return (
    <section class="stack history" aria-label="History of the pixel">
      <div class="toolbar">
        <strong>Pixel {props.of.at.join(", ")} of <Show when={history()?.object} fallback={`#${props.of.resource}`}>{(object) => <ObjectLink object={object()} call={place().call} />}</Show> in frame {grouped(props.of.frame)}</strong>
        <Show when={history()?.format}>{(format) => <span class="faint">{brief(format())}</span>}</Show>
        <Show when={(history()?.events ?? []).some(elsewhere)}>
          <label>
            <input type="checkbox" checked={all()} onChange={(event) => go({ more: { pixels: event.currentTarget.checked ? "all" : undefined } }, true)} /> draws that do not come to it
          </label>
        </Show>
        <span class="grow" />
        <button onClick={() => go({ more: { pixel: undefined } }, true)}>Close</button>
      </div>
      <Progress job={job()} what="Replaying for the history" />
      <Problem text={history()?.failed} />
      <Show when={history()}>
        {(told) => (
          <div class="scroll" tabindex={0} role="region" aria-label="Calls that may write the pixel">
            <Show when={told().events.length > 0} fallback={<Empty>Nothing writes this pixel in the frame.</Empty>}>
              <Strip history={told()} />
              <table class="plain values">
                <thead>
                  <tr><th class="right">Call</th><th>Method</th><th>As</th><th>Outcome</th><th class="right">Fragments</th><th>Before</th><th>After</th></tr>
                </thead>
                <tbody>
                  <For each={lines().slice(0, SHOWN)}>{(line) => ("event" in line ? <Event event={line.event} format={told().format} at={props.of.at} /> : <Elsewhere line={line} />)}</For>
                </tbody>
              </table>
              <Show when={lines().length > SHOWN}><p class="none">and {grouped(lines().length - SHOWN)} lines more: the command below has all</p></Show>
            </Show>
            <For each={told().unexplained}>
              {(gap) => <p class="indent warn">Between <CallLink call={gap.after} /> and <CallLink call={gap.before} /> the value changes by something that is not listed.</p>}
            </For>
            <For each={told().followed}>
              {(step) => <p class="indent faint">Call <CallLink call={step.call} /> copies it from pixel {step.from.x}, {step.from.y} of #{step.from.resource}.</p>}
            </For>
            <For each={leftOut()}>{([reason, count]) => <p class="indent faint">{grouped(count)} {count === 1 ? "call" : "calls"} left out: {reason}</p>}</For>
          </div>
        )}
      </Show>
    </section>
  );
}

/** The values, one after the other: the first one before all calls, then what each call that changed it left. */
function Strip(props: { history: PixelHistory }): JSX.Element {
  const squares = createMemo(() => {
    const [first, ...others] = props.history.events;
    const changed = [first, ...others].filter((event) => event !== undefined && event.after != null && event.changed !== false).slice(0, 200);
    return [...(first?.before != null ? [{ call: null, value: first.before }] : []), ...changed.map((event) => ({ call: (event as PixelEvent).call, value: event?.after ?? null }))];
  });
  return (
    <p class="squares" role="group" aria-label="Values of the pixel, in order">
      <For each={squares()}>
        {(square) => (
          <a
            class="square"
            href={square.call === null ? undefined : `#call-${square.call}`}
            title={square.call === null ? `before: ${written(square.value)}` : `after call ${square.call}: ${written(square.value)}`}
            onClick={(event) => {
              event.preventDefault();
              if (square.call !== null) go({ call: square.call }, true);
            }}
          >
            <i class="swatch large" style={{ background: swatch(square.value, props.history.format) ?? "none" }} aria-hidden="true" />
            <span class="mono">{square.call ?? "before"}</span>
          </a>
        )}
      </For>
    </p>
  );
}

function Elsewhere(props: { line: { from: number; to: number; count: number } }): JSX.Element {
  return (
    <tr class="faint">
      <td class="right mono">{props.line.from}</td>
      <td colspan={6}>to {props.line.to}: {grouped(props.line.count)} draws that do not come to the pixel</td>
    </tr>
  );
}

function Event(props: { event: PixelEvent; format: string | null; at: readonly [number, number] }): JSX.Element {
  const one = () => props.event;
  const outcome = () => {
    const tests = one().tests;
    if (tests?.not_tested) return "not tested";
    if (tests?.outcome) return WORDS[tests.outcome] ?? tests.outcome;
    return one().changed === true ? "written" : one().changed === false ? "same value" : "not known";
  };
  const lost = () => one().tests != null && !["written", "passed"].includes(one().tests?.outcome ?? "");
  const fragments = () => one().tests?.fragments;
  const beside = () => [["depth", one().depth], ["stencil", one().stencil]] as const;
  return (
    <>
      <tr classList={{ chosen: one().call === place().call }}>
        <td class="right"><CallLink call={one().call} /></td>
        <td>{one().method}</td>
        <td>{one().touch.replaceAll("_", " ")}{one().slot === undefined ? "" : ` ${one().slot}`}</td>
        <td title={one().why ?? undefined}><b classList={{ faint: lost() }}>{outcome()}</b></td>
        <td class="right mono">{fragments() === undefined ? "" : `${one().tests?.passed ?? 0} of ${fragments()}`}</td>
        <td><Value value={one().before} format={props.format} /></td>
        <td><Value value={one().after} format={props.format} /></td>
      </tr>
      <For each={beside()}>
        {([name, side]) => (
          <Show when={side && (side.before != null || side.after != null) && side}>
            {(it) => (
              <tr class="faint">
                <td /><td colspan={4}>{name}{it().changed === false ? ", not changed" : ""}</td>
                <td><span class="mono">{written(it().before, false)}</span></td>
                <td><span class="mono">{written(it().after, false)}</span></td>
              </tr>
            )}
          </Show>
        )}
      </For>
      <Show when={one().tests?.not_tested ?? (lost() || (fragments() ?? 0) > 1 ? one().why : undefined)}>{(why) => <tr class="faint"><td /><td colspan={6}>{why()}</td></tr>}</Show>
      <Show when={one().dispatch}>{(of) => <tr class="fragment"><td /><td colspan={6}><Writer event={one()} of={of()} /></td></tr>}</Show>
      <Show when={one().rays}>{(rays) => <tr class="fragment"><td /><td colspan={6}><Threads event={one()} rays={rays()} /></td></tr>}</Show>
      <For each={[...one().notes, ...(one().tests?.notes ?? []), ...new Set(one().failed)]}>{(note) => <tr class="faint"><td /><td colspan={6}>{note}</td></tr>}</For>
      <For each={one().tests?.shown ?? []}>{(fragment, index) => <Fragment fragment={fragment} index={index()} format={props.format} event={one()} at={props.at} />}</For>
    </>
  );
}

/** From a dispatch to the thread that writes the pixel. */
function Writer(props: { event: PixelEvent; of: NonNullable<PixelEvent["dispatch"]> }): JSX.Element {
  const of = (thread: readonly [number, number, number]): Stepped => ({ call: props.event.call, of: { thread }, narrow: { submission: props.event.submission, ...(props.of.number === null ? {} : { command: props.of.number }) } });
  const ran = () => `${props.of.groups_run} of ${props.of.groups} groups were run`;
  const why = () => (props.of.unknown === null ? `no thread is found that writes it: ${ran()}` : `which of its threads wrote it is not known: ${props.of.unknown}`);
  return (
    <Show
      when={props.of.thread}
      fallback={<>{why()}. <a class="button" href={link({ view: "calls", call: props.event.call, tab: "debug", more: { debug: undefined, step: undefined } })}>Choose a thread</a></>}
    >
      {(thread) => <>thread {thread().join(", ")} writes it{props.of.same === true ? (props.of.open === true ? ", as the GPU left it, where the API leaves open which one does or what" : ", as the GPU left it") : props.of.same === false ? `, but not what the GPU left: ${ran()}` : ""} <DebugLink of={of(thread())} /></>}
    </Show>
  );
}

/** From a dispatch of rays to the thread that has the pixel's place as its index. */
function Threads(props: { event: PixelEvent; rays: NonNullable<PixelEvent["rays"]> }): JSX.Element {
  const of = (thread: readonly [number, number, number]): Stepped => ({ call: props.event.call, of: { thread }, narrow: { submission: props.event.submission } });
  return (
    <Show
      when={props.rays.thread}
      fallback={<>its {props.rays.threads.join(" × ")} threads are not the texels one by one: which of them writes the pixel its shader says. <a class="button" href={link({ view: "calls", call: props.event.call, tab: "debug", more: { debug: undefined, step: undefined } })}>Choose a thread</a></>}
    >
      {(thread) => <>where each thread writes the texel of its index: thread {thread().join(", ")} <DebugLink of={of(thread())} /></>}
    </Show>
  );
}

/** The fragment for the debugger. In bundles and indirect calls the command says what it lacks. */
function steppedOf(event: PixelEvent, fragment: PixelFragment, at: readonly [number, number]): Stepped {
  const { primitive, instance } = fragment;
  return { call: event.call, of: { pixel: at }, narrow: { ...(primitive === null ? {} : { primitive }), ...(instance === null ? {} : { instance }), submission: event.submission } };
}

function Fragment(props: { fragment: PixelFragment; index: number; format: string | null; event: PixelEvent; at: readonly [number, number] }): JSX.Element {
  const it = () => props.fragment;
  const words = () =>
    [
      ...(it().primitive === null ? [] : [`primitive ${it().primitive}`]),
      ...(it().instance === null ? [] : [`instance ${it().instance}`]),
      ...(it().front === null ? [] : [it().front ? "front" : "back"]),
      ...(it().depth === null ? [] : [`depth ${typeof it().depth === "number" ? String(Number((it().depth as number).toPrecision(5))) : it().depth}`]),
    ].join(", ");
  return (
    <tr class="fragment">
      <td />
      <td colspan={5}>fragment {props.index}: {words()} <DebugLink of={steppedOf(props.event, it(), props.at)} /></td>
      <td><Show when={it().output}>{(output) => <><span class="faint">gives</span> <Value value={output()} format={props.format} /></>}</Show></td>
    </tr>
  );
}
