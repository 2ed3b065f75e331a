// Texels as a picture: range, channels, histogram, zoom, and the values of the texel under the pointer.

import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show, type JSX } from "solid-js";
import { fit, texelAt, zoomed, type Window } from "../canvas.ts";
import { mixed, type Stops } from "../heat.ts";
import * as pixels from "../pixels.ts";
import { float, grouped, time } from "../text.ts";
import { colour, dark } from "../theme.ts";

export const NAMES = ["R", "G", "B", "A"];

/** The range that is shown at first: 0 to 1 for colours, what there is for everything else. */
export function firstRange(texels: pixels.Texels, format: string): [number, number] {
  if (texels.kind === "f32" && /NORM/.test(format) && texels.channels > 1) return [0, 1];
  const [low, high] = pixels.range(texels, [true, true, true, texels.channels < 4]);
  return texels.kind === "f32" && low >= 0 && high <= 1 && texels.channels > 1 ? [0, 1] : [low, high];
}

/** `heat`: the texels are nanoseconds, which are shown as colours. `onPick`: a texel was clicked, or Enter was pressed on it. `picked`: the one that stays marked. `label`: what a texel is, in the place of its values. */
export function TexelView(props: { texels: pixels.Texels; format: string; range?: [number, number]; heat?: boolean; onPick?: (at: [number, number]) => void; picked?: readonly [number, number] | null; label?: (texel: readonly number[]) => string }): JSX.Element {
  let box!: HTMLDivElement;
  let canvas!: HTMLCanvasElement;
  const picture = document.createElement("canvas");
  const start = props.range ?? firstRange(props.texels, props.format);
  const [low, setLow] = createSignal(start[0]);
  const [high, setHigh] = createSignal(start[1]);
  const [shown, setShown] = createSignal<[boolean, boolean, boolean, boolean]>([true, true, true, false]);
  const [size, setSize] = createSignal<[number, number]>([0, 0]);
  const [window, setWindow] = createSignal<Window>({ zoom: 1, x: 0, y: 0 });
  const [fitted, setFitted] = createSignal(true);
  const [cursor, setCursor] = createSignal<[number, number] | null>(null);
  const [painted, setPainted] = createSignal(0);
  const counts = createMemo(() => {
    const [from, to] = pixels.range(props.texels, shown());
    return { from, to, bins: pixels.histogram(props.texels, shown(), from, to, 64) };
  });
  createEffect(() => {
    picture.width = props.texels.width;
    picture.height = props.texels.height;
    const pen = picture.getContext("2d");
    // By the theme, too.
    dark();
    const stops: Stops = [colour("heat-a"), colour("heat-b"), colour("heat-c")];
    const ramp = props.heat ? Array.from({ length: 256 }, (_, index) => mixed(stops, index / 255)) : undefined;
    pen?.putImageData(new ImageData(pixels.paint(props.texels, { low: low(), high: high(), shown: shown(), ramp }), props.texels.width, props.texels.height), 0, 0);
    setPainted((value) => value + 1);
  });
  createEffect(() => {
    if (fitted()) setWindow(fit(props.texels.width, props.texels.height, ...size()));
  });
  createEffect(
    on([painted, size, window, cursor, dark, () => props.picked], ([, [wide, high]]) => {
      const ratio = globalThis.devicePixelRatio || 1;
      canvas.width = Math.max(1, Math.round(wide * ratio));
      canvas.height = Math.max(1, Math.round(high * ratio));
      const pen = canvas.getContext("2d");
      if (pen === null) return;
      pen.scale(ratio, ratio);
      checker(pen, wide, high);
      pen.imageSmoothingEnabled = window().zoom < 1;
      const { x, y, zoom } = window();
      pen.drawImage(picture, x, y, props.texels.width * zoom, props.texels.height * zoom);
      for (const marked of [cursor(), props.picked]) {
        if (!marked) continue;
        pen.lineWidth = 1;
        pen.strokeStyle = "#000";
        pen.strokeRect(x + marked[0] * zoom - 0.5, y + marked[1] * zoom - 0.5, Math.max(3, zoom) + 1, Math.max(3, zoom) + 1);
        pen.strokeStyle = "#fff";
        pen.strokeRect(x + marked[0] * zoom - 1.5, y + marked[1] * zoom - 1.5, Math.max(3, zoom) + 3, Math.max(3, zoom) + 3);
      }
    }),
  );
  onMount(() => {
    const measure = () => setSize([box.clientWidth, box.clientHeight]);
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    measure();
    box.addEventListener("wheel", wheel, { passive: false });
    onCleanup(() => observer.disconnect());
  });
  const local = (event: MouseEvent): [number, number] => {
    const area = canvas.getBoundingClientRect();
    return [event.clientX - area.left, event.clientY - area.top];
  };
  const within = ([x, y]: [number, number]): [number, number] | null => (x >= 0 && y >= 0 && x < props.texels.width && y < props.texels.height ? [x, y] : null);
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    setFitted(false);
    setWindow(zoomed(window(), Math.exp(-event.deltaY / 300), ...local(event)));
  };
  const point = (event: PointerEvent) => {
    if (event.buttons === 0) setCursor(within(texelAt(window(), ...local(event))));
  };
  const press = (event: PointerEvent) => {
    const [from, before] = [local(event), window()];
    canvas.setPointerCapture(event.pointerId);
    let dragged = false;
    const drag = (to: PointerEvent) => {
      const [x, y] = local(to);
      if (Math.hypot(x - from[0], y - from[1]) > 3) dragged = true;
      if (!dragged) return;
      setFitted(false);
      setWindow({ ...before, x: before.x + x - from[0], y: before.y + y - from[1] });
    };
    canvas.addEventListener("pointermove", drag);
    canvas.addEventListener("lostpointercapture", () => canvas.removeEventListener("pointermove", drag), { once: true });
    canvas.addEventListener("pointerup", (up) => {
      const at = within(texelAt(window(), ...local(up)));
      if (!dragged && up.button === 0 && at) props.onPick?.(at);
    }, { once: true });
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? 16 : 1;
    const [x, y] = cursor() ?? [-1, 0];
    const moves: Readonly<Record<string, [number, number]>> = { ArrowRight: [step, 0], ArrowLeft: [-step, 0], ArrowDown: [0, step], ArrowUp: [0, -step] };
    const by = moves[event.key];
    const [wide, tall] = size();
    if (by) setCursor([Math.min(props.texels.width - 1, Math.max(0, x + by[0])), Math.min(props.texels.height - 1, Math.max(0, y + by[1]))]);
    else if (event.key === "Enter" && props.onPick && cursor()) props.onPick(cursor() as [number, number]);
    else if (event.key === "+" || event.key === "-") {
      setFitted(false);
      setWindow(zoomed(window(), event.key === "+" ? 1.5 : 1 / 1.5, wide / 2, tall / 2));
    } else if (event.key === "0" || event.key === "f") setFitted(true);
    else if (event.key === "1") {
      setFitted(false);
      // On whole pixels: there each texel is exactly one of them.
      setWindow({ zoom: 1, x: Math.round((wide - props.texels.width) / 2), y: Math.round((tall - props.texels.height) / 2) });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const values = () => {
    const at = cursor();
    if (at === null) return props.onPick ? "Point at a texel, or use arrow keys. A click or Enter tells what happened to it in the frame." : "Point at a texel, or use arrow keys.";
    if (props.heat) {
      const ns = pixels.texel(props.texels, ...at)[0] ?? 0;
      return `x ${at[0]}, y ${at[1]}: ${ns > 0 ? `${ns < 1000 ? `${ns.toFixed(2)} ns` : time(ns)} of the GPU` : "no operation that is counted changed it"}`;
    }
    if (props.label) return `x ${at[0]}, y ${at[1]}: ${props.label(pixels.texel(props.texels, ...at))}`;
    const list = pixels.texel(props.texels, ...at).map((value, index) => `${NAMES[index]} ${props.texels.kind === "f32" ? float(value) : value}`);
    return `x ${at[0]}, y ${at[1]}: ${list.join(", ")}`;
  };
  const channel = (index: number) => {
    const next: [boolean, boolean, boolean, boolean] = [...shown()];
    next[index] = !next[index];
    setShown(next);
  };
  const auto = () => {
    const [from, to] = props.heat ? start : pixels.range(props.texels, shown());
    setLow(from);
    setHigh(to);
  };
  const reset = () => {
    setLow(start[0]);
    setHigh(start[1]);
  };
  return (
    <div class="picture">
      <div class="toolbar">
        <Show when={!props.label}>
        <Show when={!props.heat} fallback={<span class="scale"><i class="ramp" aria-hidden="true" /> ns a texel</span>}>
          <div class="modes" role="group" aria-label="Channels">
            <For each={NAMES.slice(0, props.texels.channels)}>
              {(name, index) => (
                <button aria-pressed={shown()[index()]} onClick={() => channel(index())}>
                  {name}
                </button>
              )}
            </For>
          </div>
        </Show>
        <label>
          from <input class="number" type="number" step="any" value={low()} onChange={(event) => setLow(Number(event.currentTarget.value))} />
        </label>
        <label>
          to <input class="number" type="number" step="any" value={high()} onChange={(event) => setHigh(Number(event.currentTarget.value))} />
        </label>
        <button onClick={auto} title="The range of what is shown">Range</button>
        <button onClick={reset}>Reset</button>
        <Histogram counts={counts()} low={low()} high={high()} />
        </Show>
        <button onClick={() => setFitted(true)} title="0">Fit</button>
        <span class="faint">{grouped(Math.round(window().zoom * 100))} %</span>
      </div>
      <div class="surface" ref={box} tabindex={0} role="application" aria-roledescription="picture" aria-label="Picture. Arrow keys move among texels, plus and minus zoom, 0 fits." onKeyDown={key}>
        <canvas ref={canvas} onPointerMove={point} onPointerDown={press} />
      </div>
      <p class="readout mono" role="status">{values()}</p>
    </div>
  );
}

function Histogram(props: { counts: { from: number; to: number; bins: number[] }; low: number; high: number }): JSX.Element {
  let canvas!: HTMLCanvasElement;
  createEffect(() => {
    const { bins, from, to } = props.counts;
    const pen = canvas.getContext("2d");
    dark();
    if (pen === null) return;
    pen.clearRect(0, 0, 128, 20);
    const most = Math.max(1, ...bins);
    pen.fillStyle = colour("faint");
    bins.forEach((count, index) => {
      const high = count === 0 ? 0 : Math.max(1, Math.sqrt(count / most) * 20);
      pen.fillRect(index * 2, 20 - high, 2, high);
    });
    pen.fillStyle = colour("accent");
    for (const edge of [props.low, props.high]) pen.fillRect(Math.min(126, Math.max(0, ((edge - from) / (to - from)) * 128)), 0, 2, 20);
  });
  return <canvas class="histogram" ref={canvas} width="128" height="20" role="img" aria-label={`Values from ${float(props.counts.from)} to ${float(props.counts.to)}`} />;
}

/** What lies behind what is transparent. */
export function checker(pen: CanvasRenderingContext2D, wide: number, high: number): void {
  pen.fillStyle = colour("check-a");
  pen.fillRect(0, 0, wide, high);
  pen.fillStyle = colour("check-b");
  for (let y = 0; y < high; y += 8) for (let x = (y / 8) % 2 === 0 ? 0 : 8; x < wide; x += 16) pen.fillRect(x, y, 8, 8);
}
