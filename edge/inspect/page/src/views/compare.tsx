// Two traces side by side, the first difference first; pictures with a slider and a difference.

import { createEffect, createMemo, createSignal, For, Match, on, onCleanup, onMount, Show, Switch, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import type { Difference, Line } from "../api.ts";
import { fit } from "../canvas.ts";
import { useExport } from "../export.tsx";
import { useItems } from "../items.ts";
import { useJob, type Job } from "../job.ts";
import { Cell, List } from "../list.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { go, place, traces } from "../place.ts";
import * as pixels from "../pixels.ts";
import { Split } from "../split.tsx";
import { float, grouped } from "../text.ts";
import { dark } from "../theme.ts";
import { Value } from "../value.tsx";
import { ChangeTable, pathText } from "./changes.tsx";
import { checker, TexelView } from "./picture.tsx";

interface Frames {
  same: boolean;
  adapters: (string | null)[];
  frames: { frame: number; a: string | null; b: string | null; equal: boolean | null }[];
  first_different_frame: number | null;
}

const COLUMNS = [
  { title: "Change", width: "76px" },
  { title: "Call of A", width: "76px", right: true },
  { title: "Call of B", width: "76px", right: true },
  { title: "Method", width: "minmax(140px, 1fr)" },
  { title: "What", width: "minmax(120px, 1.4fr)" },
];

export function Compare(): JSX.Element {
  return (
    <Show when={traces().length > 1} fallback={<Empty>One trace is open. `reprise inspect A B` opens two to compare.</Empty>}>
      <Both />
    </Show>
  );
}

function Both(): JSX.Element {
  const frames = useAnswer<Frames>(() => "api/compare");
  const job = useJob(() => ({ t: 0, body: { kind: "diff" } }));
  const list = useItems<Difference>(job);
  const [chosen, setChosen] = createSignal<number | null>(null);
  // The first difference comes first: it is chosen as soon as it is known.
  createEffect(() => {
    if (chosen() === null && (list()?.total() ?? 0) > 0) setChosen(0);
  });
  const one = createMemo(() => (chosen() === null ? undefined : list()?.item(chosen() as number)));
  const names = () => traces().map((trace) => trace.path);
  useExport(() => ({
    command: ["diff", ...names()],
    table: async () => {
      const rows = (await list()?.read(0, 10_000)) ?? [];
      return { head: ["difference", "call_a", "call_b", "method", "what"], rows: rows.map((row) => [row.difference, row.a?.call, row.b?.call, (row.a ?? row.b)?.method, summary(row)]) };
    },
    json: async () => list()?.read(0, 10_000),
  }));
  const pictures = () => place().tab === "pictures";
  return (
    <div class="stack">
      <div class="toolbar">
        <div class="modes" role="group" aria-label="What is compared">
          <button aria-pressed={!pictures()} onClick={() => go({ tab: undefined }, true)}>Calls</button>
          <button aria-pressed={pictures()} onClick={() => go({ tab: "pictures" }, true)}>Pictures</button>
        </div>
        <span><b>A</b> <bdi>{traces()[0]?.file}</bdi></span>
        <span><b>B</b> <bdi>{traces()[1]?.file}</bdi></span>
        <Show when={frames().data}>
          {(data) => (
            <span role="status">
              {data().first_different_frame === null ? (data().frames.some((frame) => frame.equal) ? "All frames that have hashes are equal." : "No frame has a hash in both.") : `Frame ${data().first_different_frame} is the first that differs.`}
            </span>
          )}
        </Show>
      </div>
      <Show when={frames().data}>
        {(data) => (
          <div class="strip" role="group" aria-label="Frames">
            <For each={data().frames.slice(0, 2000)}>
              {(frame) => (
                <button
                  class={frame.equal === true ? "same" : frame.equal === false ? "different" : "unhashed"}
                  aria-pressed={place().frame === frame.frame}
                  aria-label={`Frame ${frame.frame}: ${frame.equal === true ? "equal" : frame.equal === false ? "different" : "no hashes"}`}
                  title={`Frame ${frame.frame}`}
                  onClick={() => go({ frame: frame.frame, tab: "pictures" }, true)}
                >
                  {frame.equal === false ? "≠" : ""}
                </button>
              )}
            </For>
          </div>
        )}
      </Show>
      <Problem text={frames().error} />
      <Show
        when={!pictures()}
        fallback={<FramePictures frame={place().frame ?? frames().data?.first_different_frame ?? 1} />}
      >
        <Progress job={job()} what="Comparing call by call" />
        <Show when={job().state?.state === "done" && job().state?.found === 0}>
          <Empty>The traces make the same calls.</Empty>
        </Show>
        <Show when={list()}>
          {(all) => (
            <Split
              name="differences and difference"
              down
              start={0.45}
              first={
                <List
                  label="Differences"
                  count={all().total()}
                  columns={COLUMNS}
                  selected={chosen()}
                  onSelect={setChosen}
                  onOpen={(row) => {
                    const difference = all().item(row);
                    if (difference?.a) go({ view: "calls", t: 0, call: difference.a.call });
                    else if (difference?.b) go({ view: "calls", t: 1, call: difference.b.call });
                  }}
                  onWindow={(first, count) => all().want(first, count)}
                >
                  {(row) => {
                    const item = () => all().item(row());
                    return (
                      <>
                        <Cell><span class={`change ${item()?.difference ?? ""}`}>{item()?.difference}</span></Cell>
                        <Cell right mono>{item()?.a?.call ?? ""}</Cell>
                        <Cell right mono>{item()?.b?.call ?? ""}</Cell>
                        <Cell>{(item()?.a ?? item()?.b)?.method?.replace(/^ID3D12/, "")}</Cell>
                        <Cell mono>{item() ? summary(item() as Difference) : ""}</Cell>
                      </>
                    );
                  }}
                </List>
              }
              second={<Show when={one()} fallback={<Empty>Choose a difference.</Empty>}>{(difference) => <Sides difference={difference()} />}</Show>}
            />
          )}
        </Show>
      </Show>
    </div>
  );
}

function summary(one: Difference): string {
  if (one.changes?.length) return one.changes.map((change) => `${pathText(change.path)}: ${JSON.stringify(change.a)} → ${JSON.stringify(change.b)}`).join("; ");
  return one.difference === "removed" ? "only in A" : one.difference === "added" ? "only in B" : "";
}

function Sides(props: { difference: Difference }): JSX.Element {
  const side = (name: string, t: number, line: Line | null) => (
    <section class="side" aria-label={`Trace ${name}`}>
      <h2>
        {name} <Show when={line} fallback={<span class="faint">has no such call</span>}>
          {(one) => (
            <button class="small" onClick={() => go({ view: "calls", t, call: one().call })}>
              call {one().call}
            </button>
          )}
        </Show>
      </h2>
      <Show when={line}>
        {(one) => (
          <>
            <p class="indent">{one().method}, frame {one().frame}, thread {one().thread}</p>
            <Value value={one().args} />
            <p class="indent">Result <span class="value">{JSON.stringify(one().result)}</span></p>
          </>
        )}
      </Show>
    </section>
  );
  return (
    <div class="scroll">
      <Show when={props.difference.changes?.length}>
        <ChangeTable changes={props.difference.changes ?? []} heads={["A", "B"]} />
      </Show>
      <div class="sides">
        {side("A", 0, props.difference.a)}
        {side("B", 1, props.difference.b)}
      </div>
    </div>
  );
}

/** The pictures of one frame in both traces: what each presented. */
function FramePictures(props: { frame: number }): JSX.Element {
  const one = (t: number) => useJob(() => ({ t, body: { kind: "thumbnails", frames: [props.frame, props.frame], size: 4096 } }));
  const [a, b] = [one(0), one(1)];
  const [left, right] = [useImage(a), useImage(b)];
  return (
    <div class="stack">
      <Progress job={a()} what={`Replaying A to frame ${props.frame}`} />
      <Progress job={b()} what={`Replaying B to frame ${props.frame}`} />
      <Problem text={left().error} />
      <Problem text={right().error} />
      <Show when={left().texels && right().texels && { a: left().texels as pixels.Texels, b: right().texels as pixels.Texels }} keyed>
        {(both) => <PicturePair a={both.a} b={both.b} what={`Frame ${props.frame}`} />}
      </Show>
    </div>
  );
}

interface Loaded {
  readonly texels: pixels.Texels | undefined;
  readonly error: string | undefined;
}

/** The texels of a thumbnail in its full size. */
function useImage(job: () => Job): () => Loaded {
  const [loaded, set] = createSignal<Loaded>({ texels: undefined, error: undefined });
  const list = useItems<{ frame: number; file: string; width: number; height: number }>(job);
  createEffect(() => {
    list()?.want(0, 1);
    const item = list()?.item(0);
    set({ texels: undefined, error: undefined });
    if (item === undefined) return;
    let ended = false;
    onCleanup(() => {
      ended = true;
    });
    const image = new Image();
    image.onload = () => {
      if (ended) return;
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      const pen = canvas.getContext("2d", { willReadFrequently: true });
      pen?.drawImage(image, 0, 0);
      const data = pen?.getImageData(0, 0, canvas.width, canvas.height);
      if (!data) return;
      set({ texels: { width: data.width, height: data.height, channels: 4, kind: "f32", values: Float32Array.from(data.data, (byte) => byte / 255) }, error: undefined });
    };
    image.onerror = () => {
      if (!ended) set({ texels: undefined, error: "The picture cannot be read." });
    };
    image.src = item.file;
  });
  return loaded;
}

const MODES = [["sides", "Side by side"], ["slider", "Slider"], ["difference", "Difference"]] as const;

export function PicturePair(props: { a: pixels.Texels; b: pixels.Texels; what: string }): JSX.Element {
  const mode = () => MODES.find(([id]) => id === place().more["pictures"])?.[0] ?? "slider";
  const different = createMemo(() => pixels.difference(props.a, props.b));
  const said = () => {
    const result = different();
    if (typeof result === "string") return result;
    return result.different === 0 ? "The pictures are equal." : `${grouped(result.different)} of ${grouped(props.a.width * props.a.height)} texels differ, by at most ${float(result.greatest)}.`;
  };
  return (
    <div class="stack">
      <div class="toolbar">
        <div class="modes" role="group" aria-label="How pictures are compared">
          <For each={MODES}>{([id, title]) => <button aria-pressed={mode() === id} onClick={() => go({ more: { pictures: id } }, true)}>{title}</button>}</For>
        </div>
        <b>{props.what}</b>
        <span role="status">{said()}</span>
      </div>
      <Switch>
        <Match when={mode() === "difference"}>
          <Show when={typeof different() !== "string" && different()} keyed fallback={<Problem text={String(different())} />}>
            {(result) => <TexelView texels={(result as { texels: pixels.Texels }).texels} format="" range={[0, (result as { greatest: number }).greatest || 1]} />}
          </Show>
        </Match>
        <Match when={mode() === "slider"}>
          <Slider a={props.a} b={props.b} />
        </Match>
        <Match when={mode() === "sides"}>
          <Split name="A and B" first={<TexelView texels={props.a} format="UNORM" />} second={<TexelView texels={props.b} format="UNORM" />} />
        </Match>
      </Switch>
    </div>
  );
}

function Slider(props: { a: pixels.Texels; b: pixels.Texels }): JSX.Element {
  let box!: HTMLDivElement;
  let canvas!: HTMLCanvasElement;
  const [share, setShare] = createSignal(50);
  const [size, setSize] = createSignal<[number, number]>([0, 0]);
  const made = (texels: pixels.Texels) => {
    const one = document.createElement("canvas");
    one.width = texels.width;
    one.height = texels.height;
    one.getContext("2d")?.putImageData(new ImageData(pixels.paint(texels, { low: 0, high: 1, shown: [true, true, true, false] }), texels.width, texels.height), 0, 0);
    return one;
  };
  const [a, b] = [createMemo(() => made(props.a)), createMemo(() => made(props.b))];
  onMount(() => {
    const observer = new ResizeObserver(() => setSize([box.clientWidth, box.clientHeight]));
    observer.observe(box);
    setSize([box.clientWidth, box.clientHeight]);
    onCleanup(() => observer.disconnect());
  });
  createEffect(
    on([share, size, a, b, dark], ([part, [wide, high], left, right]) => {
      const ratio = globalThis.devicePixelRatio || 1;
      canvas.width = Math.max(1, wide * ratio);
      canvas.height = Math.max(1, high * ratio);
      const pen = canvas.getContext("2d");
      if (pen === null || wide === 0) return;
      pen.scale(ratio, ratio);
      checker(pen, wide, high);
      pen.imageSmoothingEnabled = false;
      const window = fit(Math.max(left.width, right.width), Math.max(left.height, right.height), wide, high);
      const edge = window.x + ((Math.max(left.width, right.width) * window.zoom) * part) / 100;
      for (const [picture, from, to] of [[left, 0, edge], [right, edge, wide]] as const) {
        pen.save();
        pen.beginPath();
        pen.rect(from, 0, Math.max(0, to - from), high);
        pen.clip();
        pen.drawImage(picture, window.x, window.y, picture.width * window.zoom, picture.height * window.zoom);
        pen.restore();
      }
      pen.fillStyle = "#000";
      pen.fillRect(edge - 2, 0, 4, high);
      pen.fillStyle = "#fff";
      pen.fillRect(edge - 1, 0, 2, high);
    }),
  );
  return (
    <div class="stack">
      <div class="surface" ref={box}>
        <canvas ref={canvas} role="img" aria-label="A on the left, B on the right" />
      </div>
      <label class="slide">
        A <input type="range" min="0" max="100" step="0.5" aria-label="Where A ends and B begins" value={share()} onInput={(event) => setShare(Number(event.currentTarget.value))} /> B
      </label>
    </div>
  );
}
