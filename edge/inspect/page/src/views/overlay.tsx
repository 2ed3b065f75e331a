// What texels of a target are in some respect: an overlay that the server has `reprise show` paint, with what its colours mean.

import { createEffect, createMemo, createSignal, For, onCleanup, Show, type JSX } from "solid-js";
import { text } from "../answer.ts";
import { bytes as readBytes, type Overlay } from "../api.ts";
import { useExport } from "../export.tsx";
import { useJob } from "../job.ts";
import { Problem, Progress } from "../notice.tsx";
import { go, place, trace } from "../place.ts";
import * as pixels from "../pixels.ts";
import { grouped } from "../text.ts";
import { TexelView } from "./texels.tsx";

/** Kinds of overlays, and what each tells; `any`: at any call and of any texture, not of a draw alone. */
export const OVERLAYS: readonly { id: string; title: string; any?: boolean }[] = [
  { id: "draw", title: "what the draw covers" },
  { id: "changed", title: "what changed", any: true },
  { id: "wireframe", title: "wireframe" },
  { id: "depth", title: "depth test" },
  { id: "stencil", title: "stencil test" },
  { id: "backface", title: "front and back faces" },
  { id: "viewport", title: "viewport and scissor" },
  { id: "nan", title: "NaN, infinity, negative", any: true },
  { id: "clipping", title: "outside of the range", any: true },
  { id: "quads", title: "overdraw by squares" },
  { id: "triangles", title: "sizes of triangles" },
  ...["scissor", "cull", "depth-clip", "sample-mask", "discard", "stencil", "depth", "blend", "all"].map((test) => ({ id: `without=${test}`, title: `without ${test === "all" ? "any test" : test}` })),
];

/** Chooses an overlay; it stands in the link. */
export function OverlayChoice(props: { draw: boolean }): JSX.Element {
  const range = () => place().more["range"] ?? "";
  return (
    <>
      <label>
        overlay{" "}
        <select aria-label="Overlay" onChange={(event) => go({ more: { overlay: event.currentTarget.value || undefined } }, true)}>
          <option value="">none</option>
          <For each={OVERLAYS.filter((one) => props.draw || one.any)}>
            {(one) => <option value={one.id} selected={one.id === place().more["overlay"]}>{one.title}</option>}
          </For>
        </select>
      </label>
      <Show when={place().more["overlay"] === "clipping"}>
        <label title="Two numbers: what lies between them is not clipped">
          range <input class="number wide" placeholder="0,1" value={range()} onChange={(event) => go({ more: { range: event.currentTarget.value.replaceAll(" ", "") || undefined } }, true)} />
        </label>
      </Show>
    </>
  );
}

/** `question` is that of the picture below it. */
export function OverlayPicture(props: { kind: string; question: object; call: number; command: readonly string[] }): JSX.Element {
  const range = (): number[] | undefined => {
    const ends = (place().more["range"] ?? "").split(",").map(Number);
    return props.kind === "clipping" && ends.length === 2 && ends.every(Number.isFinite) ? ends : undefined;
  };
  const job = useJob(() => ({ t: trace()?.t ?? 0, body: { ...props.question, kind: "overlay", call: props.call, overlay: props.kind, ...(range() ? { range: range() } : {}) } }));
  const told = createMemo(() => (job().state?.state === "done" ? (job().state?.result as unknown as Overlay) : undefined));
  const [texels, setTexels] = createSignal<pixels.Texels>();
  const [problem, setProblem] = createSignal<string>();
  createEffect(() => {
    const one = told();
    setTexels(undefined);
    setProblem(undefined);
    if (one === undefined) return;
    const abort = new AbortController();
    onCleanup(() => abort.abort());
    painted(one.picture, abort.signal).then(setTexels, (error: unknown) => {
      if (!abort.signal.aborted) setProblem(text(error));
    });
  });
  useExport(() => ({
    command: [...props.command, "--overlay", props.kind, ...(range() ? [`--range=${range()?.join(",")}`] : []), "-o", "overlay.png"],
    table: async () => ({ head: ["class", "texels", "about"], rows: Object.entries(told()?.counts ?? {}).map(([name, count]) => [name, count, told()?.legend[name]?.about]) }),
    json: async () => told(),
  }));
  /** The picture of what there would be without a test is the target itself; its classes are counted, not painted. */
  const isTarget = () => props.kind.startsWith("without=") && props.kind !== "without=discard" && "target" in props.question && typeof props.question.target === "number";
  const label = (value: readonly number[]) => {
    const [r, g, b] = value.map((one) => Math.round(one * 255));
    const near = Object.entries(told()?.legend ?? {}).find(([, one]) => {
      const word = /^#(..)(..)(..)/.exec(one.rgb);
      return word !== null && [r, g, b].every((byte, index) => Math.abs((byte ?? 0) - parseInt(word[index + 1] ?? "0", 16)) < 2);
    });
    if (near && !isTarget()) return `${near[0].replaceAll("_", " ")}: ${near[1].about}`;
    return isTarget() ? `R ${r}, G ${g}, B ${b}` : "of no class";
  };
  return (
    <div class="stack">
      <Progress job={job()} what="Replaying for the overlay" />
      <Problem text={problem()} />
      <Show when={told()}>
        {(one) => (
          <div class="classes" role="group" aria-label="What the colours mean">
            <For each={Object.entries(one().legend)}>
              {([name, what]) => (
                <span class="class" title={what.about}>
                  <Show when={!isTarget()}><svg class="swatch" aria-hidden="true" viewBox="0 0 1 1"><rect width="1" height="1" fill={what.rgb} /></svg></Show>
                  {name.replaceAll("_", " ")} <span class="faint">{grouped(one().counts[name] ?? 0)}</span>
                </span>
              )}
            </For>
            <For each={Object.entries(one().numbers ?? {})}>{([name, count]) => <span class="class faint">{name.replaceAll("_", " ")}: {grouped(count)}</span>}</For>
            <For each={one().notes ?? []}>{(note) => <p class="faint">{note}</p>}</For>
          </div>
        )}
      </Show>
      <Show when={texels()} keyed>
        {(all: pixels.Texels) => <TexelView texels={all} format="UNORM" range={[0, 1]} label={label} />}
      </Show>
    </div>
  );
}

/** A picture file as texels from 0 to 1. */
async function painted(file: string, signal: AbortSignal): Promise<pixels.Texels> {
  const image = await createImageBitmap(new Blob([await readBytes(file, signal)], { type: "image/png" }));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen?.drawImage(image, 0, 0);
  const data = pen?.getImageData(0, 0, canvas.width, canvas.height);
  if (!data) throw new Error("The picture cannot be read.");
  return { width: data.width, height: data.height, channels: 4, kind: "f32", values: Float32Array.from(data.data, (byte) => byte / 255) };
}
