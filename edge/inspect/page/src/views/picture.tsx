// A subresource as a picture: range, channels, zoom, and the values of the texel under the pointer.

import { createEffect, createMemo, createSignal, For, Match, onCleanup, Show, Switch, type Accessor, type JSX } from "solid-js";
import { text } from "../answer.ts";
import { bytes as readBytes, type Picture } from "../api.ts";
import { useExport } from "../export.tsx";
import { useJob, type Job } from "../job.ts";
import { Problem, Progress } from "../notice.tsx";
import { go, place, trace } from "../place.ts";
import * as pixels from "../pixels.ts";
import { brief, grouped } from "../text.ts";
import { CustomView } from "./custom.tsx";
import { useFrameOf } from "./heat.tsx";
import { OVERLAYS, OverlayChoice, OverlayPicture } from "./overlay.tsx";
import { PixelHistoryView, pixelAt, type PixelPlace, type Subresource } from "./pixel.tsx";
import { NAMES, TexelView } from "./texels.tsx";
import { WriteSteps } from "./usage.tsx";

const PARTS = ["mip", "slice", "plane", "sample"] as const;

export interface Loading {
  readonly job: Accessor<Job>;
  readonly picture: Accessor<Picture | undefined>;
  readonly texels: Accessor<pixels.Texels | undefined>;
  readonly problem: Accessor<string | undefined>;
}

/** A picture that a job makes, with its texels. `null`: none is wanted. */
export function usePicture(question: Accessor<{ t: number; body: object } | null>): Loading {
  const job = useJob(question);
  const picture = createMemo(() => (job().state?.state === "done" ? (job().state?.result as unknown as Picture) : undefined));
  const [texels, problem] = useTexels(picture);
  return { job, picture, texels, problem };
}

/** The texels of a picture that is made, or why there are none. */
export function useTexels(picture: Accessor<Picture | undefined>): [Accessor<pixels.Texels | undefined>, Accessor<string | undefined>] {
  const [texels, setTexels] = createSignal<pixels.Texels>();
  const [problem, setProblem] = createSignal<string>();
  createEffect(() => {
    const one = picture();
    setTexels(undefined);
    setProblem(undefined);
    if (one === undefined) return;
    const abort = new AbortController();
    onCleanup(() => abort.abort());
    loadTexels(one, abort.signal).then(setTexels, (error: unknown) => {
      if (!abort.signal.aborted) setProblem(text(error));
    });
  });
  return [texels, problem];
}

/** `question`: what the picture is of; the call and the subresource come from the link. */
export function PictureView(props: { question: { target: number | "depth" } | { resource: number }; command: readonly string[]; call?: number | undefined; draw?: boolean }): JSX.Element {
  const at = (name: string) => Number(place().more[name] ?? 0) || 0;
  const call = () => props.call ?? place().call;
  const { job, picture, texels, problem } = usePicture(() => {
    if (call() === undefined) return null;
    return { t: trace()?.t ?? 0, body: { kind: "picture", call: call(), ...props.question, mip: at("mip"), slice: at("slice"), plane: at("plane"), sample: at("sample") } };
  });
  // What happens to a pixel is asked of the frame in which the call runs.
  const hot = () => place().more["heat"] === "1" && (trace()?.measured ?? false);
  const frame = useFrameOf(() => (place().more["pixel"] === undefined && !hot() ? undefined : call()));
  const same = { equals: (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b) };
  const where = createMemo((): Subresource | undefined => {
    const [one, number] = [picture(), frame()];
    return one && number !== undefined ? { frame: number, resource: one.resource.id, mip: one.mip, slice: one.slice, plane: one.plane, sample: one.sample } : undefined;
  }, undefined, same);
  const history = createMemo((): PixelPlace | undefined => {
    const [of, at] = [where(), pixelAt(place().more["pixel"])];
    return of && at ? { ...of, at } : undefined;
  }, undefined, same);
  const pick = ([x, y]: [number, number]) => go({ more: { pixel: `${x},${y}` } }, place().more["pixel"] !== undefined);
  const part = () => Object.fromEntries(PARTS.map((name) => [name, at(name)]));
  const command = () => [...props.command, ...PARTS.flatMap((name) => (at(name) ? [`--${name}`, String(at(name))] : []))];
  // An overlay of a draw means nothing at a call that is none.
  const overlay = () => OVERLAYS.find((one) => one.id === place().more["overlay"] && (props.draw || one.any))?.id;
  const custom = () => place().more["custom"] === "1";
  useExport(() => ({
    command: [...command(), "-o", "picture.png"],
    json: async () => picture(),
    table: async () => {
      const all = texels();
      const most = 65_536;
      if (all === undefined) return { head: [], rows: [] };
      const rows = Array.from({ length: Math.min(most, all.width * all.height) }, (_, index) => {
        const [x, y] = [index % all.width, Math.floor(index / all.width)];
        return [x, y, ...pixels.texel(all, x, y)];
      });
      return { head: ["x", "y", ...NAMES.slice(0, all.channels).map((name) => name.toLowerCase())], rows, more: rows.length < all.width * all.height ? `the first of ${all.width * all.height} texels` : "all texels" };
    },
  }));
  return (
    <div class="stack">
      <div class="toolbar">
        <For each={PARTS}>
          {(part) => {
            const count = () => picture()?.[`${part}s`] ?? 1;
            return (
              <Show when={count() > 1 || at(part) > 0}>
                <label>
                  {part}{" "}
                  <select value={at(part)} onChange={(event) => go({ more: { [part]: event.currentTarget.value === "0" ? undefined : event.currentTarget.value } }, true)}>
                    <For each={Array.from({ length: Math.max(count(), at(part) + 1) }, (_, index) => index)}>{(index) => <option value={index} selected={index === at(part)}>{index}</option>}</For>
                  </select>
                </label>
              </Show>
            );
          }}
        </For>
        <Show when={trace()?.measured}>
          <button aria-pressed={hot()} title="What each texel cost: the time of each operation of the frame, spread over the texels that it changed" onClick={() => go({ more: { heat: hot() ? undefined : "1" } }, true)}>Heat</button>
        </Show>
        <OverlayChoice draw={props.draw ?? false} />
        <Show when={call() !== undefined}>
          <button aria-pressed={custom()} title="Shows the texture through a pixel shader of your own" onClick={() => go({ more: { custom: custom() ? undefined : "1" } }, true)}>Shader</button>
        </Show>
        <Show when={props.call === undefined && picture()}>{(one) => <WriteSteps object={one().resource.id} call={call()} />}</Show>
        <Show when={picture()}>
          {(one) => (
            <span class="faint">
              {one().width} × {one().height}, {brief(one().format)}
            </span>
          )}
        </Show>
      </div>
      <Progress job={job()} what="Replaying for the picture" />
      <Problem text={problem()} />
      <Switch>
        <Match when={custom() && call() !== undefined}>
          <CustomView call={call() ?? 0} question={{ ...props.question, ...part() }} command={command()} />
        </Match>
        <Match when={overlay() && call() !== undefined}>
          <OverlayPicture kind={overlay() ?? ""} call={call() ?? 0} question={{ ...props.question, ...part() }} command={command()} />
        </Match>
        <Match when={texels()}>
          {(all) => (
            <div class="stack">
              <Show when={hot()} fallback={<TexelView texels={all()} format={picture()?.format ?? ""} onPick={pick} picked={pixelAt(place().more["pixel"])} />}>
                <HeatPicture of={where()} onPick={pick} />
              </Show>
              <Show when={history()}>{(of) => <PixelHistoryView of={of()} />}</Show>
            </div>
          )}
        </Match>
      </Switch>
    </div>
  );
}

interface HeatResult {
  width: number;
  height: number;
  operations: number;
  of: number;
  share: number;
  changed: { call: number; texels: number; gpu_ns: number }[];
  unchanged: number;
  left_out: Record<string, number>;
  notes: Record<string, number>;
  values: Picture["values"];
}

/** What each texel of a target cost in a frame. */
function HeatPicture(props: { of: Subresource | undefined; onPick: (at: [number, number]) => void }): JSX.Element {
  const { job, picture, texels, problem } = usePicture(() => (props.of === undefined ? null : { t: trace()?.t ?? 0, body: { kind: "heat", ...props.of } }));
  const told = () => picture() as unknown as HeatResult | undefined;
  const said = () => {
    const one = told();
    if (one === undefined) return "";
    const most = one.operations < one.of ? `the ${grouped(one.operations)} longest of ${grouped(one.of)} operations, ${(one.share * 100).toFixed(0)} % of the frame's time` : `${grouped(one.of)} operations`;
    const others = [...Object.entries(one.left_out), ...Object.entries(one.notes)].map(([why, count]) => `; ${grouped(count)}: ${why}`).join("");
    return `${most}; ${grouped(one.changed.length)} changed it, ${grouped(one.unchanged)} did not${others}`;
  };
  /** The least that is not 0, and the greatest. */
  const range = (all: pixels.Texels): [number, number] => {
    let [least, most] = [Infinity, 0];
    for (const value of all.values) {
      if (value <= 0) continue;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    return least > most ? [1, 1] : [Number(least.toPrecision(4)), Number(most.toPrecision(4))];
  };
  useExport(() => ({ command: ["time", "--frames", String(props.of?.frame ?? 1), "TRACE"], json: async () => told() }));
  return (
    <div class="stack">
      <Progress job={job()} what="Replaying for the heat" />
      <Problem text={problem()} />
      <Show when={texels()} keyed>
        {(all: pixels.Texels) => (
          <>
            <p class="count">{said()}</p>
            <TexelView texels={all} format="" heat range={range(all)} onPick={props.onPick} picked={pixelAt(place().more["pixel"])} />
          </>
        )}
      </Show>
    </div>
  );
}

async function loadTexels(picture: Picture, signal?: AbortSignal): Promise<pixels.Texels> {
  const file = await readBytes(picture.values.file, signal);
  const all = pixels.texels(file, picture.values.type, picture.values.channels, picture.width, picture.height, picture.values.row_bytes);
  if (typeof all === "string") throw new Error(all);
  return all;
}
