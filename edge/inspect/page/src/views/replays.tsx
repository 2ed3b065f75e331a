// Two replays of one trace: what differs, the first difference first, and the pictures of both sides.

import { createEffect, createMemo, createSignal, Match, Show, Switch, type JSX } from "solid-js";
import type { Parting, PlayedOn, Replayed, UnlikeSlot } from "../api.ts";
import { useExport } from "../export.tsx";
import { useItems } from "../items.ts";
import { useJob } from "../job.ts";
import { Cell, List } from "../list.tsx";
import { CallLink } from "../names.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { go, link, place, sideName, traces } from "../place.ts";
import type * as pixels from "../pixels.ts";
import { Split } from "../split.tsx";
import { grouped } from "../text.ts";
import { BothTargets } from "./both.tsx";
import { PicturePair } from "./pair.tsx";
import { usePicture } from "./picture.tsx";
import { FramePictures, FrameStrip, type FramePair } from "./presented.tsx";

const COLUMNS = [
  { title: "Frame", width: "64px", right: true },
  { title: "Call", width: "76px", right: true },
  { title: "What", width: "minmax(140px, 1fr)" },
  { title: "Difference", width: "minmax(160px, 2fr)" },
];

/** Frames of the strip. */
const FRAMES = 2000;

export function Replays(): JSX.Element {
  const job = useJob(() => ({ t: 0, body: { kind: "replays" } }));
  const list = useItems<Parting>(job);
  createEffect(() => list()?.want(0, 1));
  const done = createMemo(() => (job().state?.state === "done" ? (job().state?.result as unknown as Replayed) : undefined));
  const [chosen, setChosen] = createSignal<number | null>(null);
  // The first difference comes first: it is chosen as soon as it is known.
  createEffect(() => {
    if (chosen() === null && (list()?.total() ?? 0) > 0) setChosen(0);
  });
  const one = createMemo(() => (chosen() === null ? undefined : list()?.item(chosen() as number)));
  const first = () => list()?.item(0);
  const shownFrame = () => place().frame ?? first()?.frame ?? 1;
  const firstCall = () => callOf(first());
  const frames = useFrames(list, () => job().state?.found ?? 0, done);
  useExport(() => ({
    command: ["diff", "--replay", ...sideWords("", traces()[0]?.replay.on), ...sideWords("against-", traces()[1]?.replay.on), "--targets", "--all", "TRACE"],
    table: async () => {
      const rows = (await list()?.read(0, 10_000)) ?? [];
      return { head: ["frame", "call", "what", "difference"], rows: rows.map((row) => [row.frame, callOf(row), title(row), inWords(row)]) };
    },
    json: async () => ({ ...done(), items: await list()?.read(0, 10_000) }),
  }));
  const shown = () => (["pictures", "targets"] as const).find((tab) => tab === place().tab) ?? "differences";
  return (
    <div class="stack">
      <div class="toolbar">
        <div class="modes" role="group" aria-label="What is compared">
          <button aria-pressed={shown() === "differences"} onClick={() => go({ tab: undefined }, true)}>Differences</button>
          <button aria-pressed={shown() === "pictures"} onClick={() => go({ tab: "pictures" }, true)}>Frames</button>
          <button aria-pressed={shown() === "targets"} onClick={() => go({ tab: "targets" }, true)}>Targets</button>
        </div>
        <span><b>A</b> <bdi>{sideName(traces()[0])}</bdi></span>
        <span><b>B</b> <bdi>{sideName(traces()[1])}</bdi></span>
        <Show when={done()}>{(result) => <span role="status">{said(result())}</span>}</Show>
      </div>
      <Show when={frames().length > 0}><FrameStrip frames={frames()} unknown="not compared" /></Show>
      <Progress job={job()} what="Comparing both replays" />
      <Switch>
        <Match when={shown() === "pictures"}>
          <FramePictures frame={shownFrame()} differs={frames()[shownFrame() - 1]?.equal === false} />
        </Match>
        <Match when={shown() === "targets"}>
          <BothTargets first={[firstCall(), firstCall()]} aligned={false} />
        </Match>
        <Match when={list()}>
          {(all) => (
            <Show when={all().total() > 0}>
              <Split
                name="partings and pictures"
                down
                start={0.35}
                first={
                  <List label="Differences" count={all().total()} columns={COLUMNS} selected={chosen()} onSelect={setChosen} onOpen={(row) => open(all().item(row))} onWindow={(from, count) => all().want(from, count)}>
                    {(row) => {
                      const item = () => all().item(row());
                      return (
                        <>
                          <Cell right mono>{item()?.frame ?? ""}</Cell>
                          <Cell right mono>{callOf(item()) ?? ""}</Cell>
                          <Cell>{title(item())}</Cell>
                          <Cell mono>{inWords(item())}</Cell>
                        </>
                      );
                    }}
                  </List>
                }
                second={<Show when={one()} keyed fallback={<Empty>Choose a difference.</Empty>}>{(parting: Parting) => <One parting={parting} />}</Show>}
              />
            </Show>
          )}
        </Match>
      </Switch>
      <Show when={done()?.not_compared.length}>
        <p class="warn indent">Not compared: {done()?.not_compared.slice(0, 10).map((one) => `${one.what}: ${one.why}`).join("; ")}</p>
      </Show>
    </div>
  );
}

/** The words of `reprise diff --replay` that name a side. */
function sideWords(prefix: string, on: PlayedOn | undefined): string[] {
  const named = (name: string, value: string | null | undefined) => (value ? [`--${prefix}${name}`, value] : []);
  return [...named("runtime", on?.runtime), ...named("gpu", on?.gpu), ...(on?.env ?? []).flatMap((pair) => named("env", pair))];
}

function said(result: Replayed): string {
  if (result.equal) return `Equal: ${grouped(result.frames)} frames, and ${grouped(result.reads)} times that something is read back.`;
  const cause = result.draw === null ? " No operation was found whose result differs." : "";
  const other = result.steady === false ? " Played once more, something else was the first to differ: one of them does not play the same each time." : "";
  const more = result.more ? ` ${grouped(result.more)} more differences are not listed.` : "";
  return `Frame ${result.first?.frame ?? 1} is the first that differs.${cause}${other}${more}`;
}

/** In which frames the pictures differ, once all are compared. */
function useFrames(list: () => ReturnType<ReturnType<typeof useItems<Parting>>>, found: () => number, done: () => Replayed | undefined): () => FramePair[] {
  const [frames, set] = createSignal<FramePair[]>([]);
  createEffect(() => {
    const result = done();
    const all = list();
    if (result === undefined || all === null) return set([]);
    all.read(0, Math.min(found(), 10_000)).then(
      (items) => {
        const different = new Set(items.filter((item) => item.what === "frame").map((item) => item.frame));
        set(Array.from({ length: Math.min(FRAMES, traces()[0]?.frames ?? 0) }, (_, at) => ({ frame: at + 1, equal: different.has(at + 1) ? false : at < result.frames ? true : null })));
      },
      // The list says why it cannot be read.
      () => set([]),
    );
  });
  return frames;
}

function callOf(one: Parting | undefined): number | undefined {
  return one?.what === "operation" || one?.what === "read" ? one.call : undefined;
}

function open(one: Parting | undefined): void {
  const call = callOf(one);
  if (call !== undefined) go({ view: "calls", t: 0, call });
  else if (one !== undefined) go({ frame: one.frame, tab: "pictures" });
}

function title(one: Parting | undefined): string {
  if (one === undefined) return "";
  if (one.what === "operation") return `${one.method.replace(/^ID3D12/, "")}, ${one.slot || "resource"} #${one.resource}`;
  if (one.what === "read") return `read back of #${one.resource}`;
  return one.what === "frame" ? "what is presented" : `only ${one.runtime}`;
}

function inWords(one: Parting | undefined): string {
  if (one === undefined) return "";
  if (one.what === "operation") return slotInWords(one);
  if (one.what === "read") return `at offset ${grouped(one.offset)}`;
  if (one.what === "alone") return one.why;
  if (one.shape) return "the sizes or formats are not the same";
  if (one.pixels === undefined) return "the pictures differ";
  return `${grouped(one.pixels)} of ${grouped(one.of ?? 0)} pixels${area(one)}${one.step == null ? "" : `, by up to ${one.step}`}`;
}

function area(one: { columns?: [number, number]; rows?: [number, number] }): string {
  return one.columns && one.rows ? `, columns ${one.columns.join(" to ")}, rows ${one.rows.join(" to ")}` : "";
}

function slotInWords(one: UnlikeSlot): string {
  if (one.texels !== undefined) {
    const part = one.mip || one.slice ? ` of mip ${one.mip}, slice ${one.slice}` : "";
    const largest = one.largest == null ? "" : `, by up to ${one.largest}`;
    const more = one.more_subresources ? `; and ${one.more_subresources} more subresources` : "";
    return `${grouped(one.texels)} of ${grouped(one.of ?? 0)} texels (${one.format})${part}${area(one)}${largest}${more}`;
  }
  if (one.bytes !== undefined) return `${grouped(one.bytes)} of ${grouped(one.of ?? 0)} bytes, from ${one.first} to ${one.last}`;
  return "the sizes are not the same";
}

/** A difference: what it is, and both sides. */
function One(props: { parting: Parting }): JSX.Element {
  const one = props.parting;
  if (one.what === "frame") return <FramePictures frame={one.frame} differs />;
  if (one.what === "alone") return <p class="indent">Only {one.runtime} {one.why}. What comes after it cannot be set against each other.</p>;
  const texels = one.what === "operation" && (one.texels !== undefined || one.shape === true);
  return (
    <div class="stack">
      <p class="indent">
        <Show when={one.what === "operation" && one} fallback={<>What the program reads back of resource #{one.resource} after call <CallLink call={one.call} /> differs.</>}>
          {(operation) => (
            <>
              Call <CallLink call={operation().call} /> on list #{operation().list}, submitted by call <CallLink call={operation().submission} />: {operation().earlier === null ? "what it reads is equal on both, and what it leaves is not" : `resource #${operation().earlier}, which it reads, differs already before this frame`}.{" "}
              <Values slot={operation()} />
            </>
          )}
        </Show>
      </p>
      <Show when={texels} fallback={<Contents resource={one.resource} call={one.call} />}>
        <SlotPictures call={one.call} slot={one as UnlikeSlot} />
      </Show>
    </div>
  );
}

/** The first texel or word that differs, on both sides. */
function Values(props: { slot: UnlikeSlot }): JSX.Element {
  const values = () => props.slot.values;
  const side = (at: 0 | 1) => {
    const value = values()?.[at];
    return Array.isArray(value) ? value.map((part) => part ?? "no number").join(" ") : String(value);
  };
  return (
    <Show when={values()}>
      The first, at {Array.isArray(props.slot.first) ? `(${props.slot.first.join(", ")})` : `byte ${props.slot.first}`}: <span class="mono">{side(0)}</span> in A, <span class="mono">{side(1)}</span> in B.
    </Show>
  );
}

/** A buffer has no picture: its contents on both sides are a view each. */
function Contents(props: { resource: number; call: number }): JSX.Element {
  const side = (t: 0 | 1) => <a href={link({ view: "resources", t, object: props.resource, call: props.call, tab: "contents" })}>Contents of #{props.resource} in {"AB"[t]}</a>;
  return <p class="indent">{side(0)} {side(1)}</p>;
}

/** The subresource that an operation left unlike, as both have it. */
function SlotPictures(props: { call: number; slot: UnlikeSlot }): JSX.Element {
  const picture = (t: 0 | 1) =>
    usePicture(() => ({ t, body: { kind: "picture", call: props.call, resource: props.slot.resource, mip: props.slot.mip ?? 0, slice: props.slot.slice ?? 0, plane: 0, sample: 0 } }));
  const [a, b] = [picture(0), picture(1)];
  const both = createMemo(() => {
    const [left, right] = [a.texels(), b.texels()];
    return left && right ? { a: left, b: right } : undefined;
  });
  return (
    <div class="stack">
      <Show when={a.texels() === undefined}><Progress job={a.job()} what="Replaying A" /></Show>
      <Show when={b.texels() === undefined}><Progress job={b.job()} what="Replaying B" /></Show>
      <Problem text={a.problem() ?? b.problem()} />
      <Show when={both()} keyed>
        {(pair: { a: pixels.Texels; b: pixels.Texels }) => <PicturePair a={pair.a} b={pair.b} what={`Resource #${props.slot.resource} after call ${props.call}`} format={a.picture()?.format ?? ""} />}
      </Show>
    </div>
  );
}
