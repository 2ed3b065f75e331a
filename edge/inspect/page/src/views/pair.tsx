// Two pictures: side by side, with a slider, or as their difference.

import { createEffect, createMemo, createSignal, For, Match, on, onCleanup, onMount, Show, Switch, type JSX } from "solid-js";
import { fit } from "../canvas.ts";
import { Problem } from "../notice.tsx";
import { go, place } from "../place.ts";
import * as pixels from "../pixels.ts";
import { Split } from "../split.tsx";
import { float, grouped } from "../text.ts";
import { dark } from "../theme.ts";
import { checker, firstRange, TexelView } from "./texels.tsx";

const MODES = [["sides", "Side by side"], ["slider", "Slider"], ["difference", "Difference"]] as const;

/** `format`: of the texels; it says from which values to which they are shown. `equal`: what it means that they are equal. */
export function PicturePair(props: { a: pixels.Texels; b: pixels.Texels; what: string; format: string; equal?: string | undefined }): JSX.Element {
  // One range for both: the same value has the same colour on both sides.
  const range = createMemo((): [number, number] => {
    const [a, b] = [firstRange(props.a, props.format), firstRange(props.b, props.format)];
    return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
  });
  const mode = () => MODES.find(([id]) => id === place().more["pictures"])?.[0] ?? "slider";
  const different = createMemo(() => pixels.difference(props.a, props.b));
  const said = () => {
    const result = different();
    if (typeof result === "string") return result;
    return result.different === 0 ? (props.equal ?? "The pictures are equal.") : `${grouped(result.different)} of ${grouped(props.a.width * props.a.height)} texels differ, by at most ${float(result.greatest)}.`;
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
          <Slider a={props.a} b={props.b} range={range()} />
        </Match>
        <Match when={mode() === "sides"}>
          <Split name="A and B" first={<TexelView texels={props.a} format={props.format} range={range()} />} second={<TexelView texels={props.b} format={props.format} range={range()} />} />
        </Match>
      </Switch>
    </div>
  );
}

function Slider(props: { a: pixels.Texels; b: pixels.Texels; range: [number, number] }): JSX.Element {
  let box!: HTMLDivElement;
  let canvas!: HTMLCanvasElement;
  const [share, setShare] = createSignal(50);
  const [size, setSize] = createSignal<[number, number]>([0, 0]);
  const made = (texels: pixels.Texels) => {
    const one = document.createElement("canvas");
    one.width = texels.width;
    one.height = texels.height;
    one.getContext("2d")?.putImageData(new ImageData(pixels.paint(texels, { low: props.range[0], high: props.range[1], shown: [true, true, true, false] }), texels.width, texels.height), 0, 0);
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
