// What the GPU worked at as boxes: frames, in them the program's markers, in these the operations; each as wide as its time.

import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type FlameAnswer, type FlameBox } from "../api.ts";
import { useExport } from "../export.tsx";
import { CallLink } from "../names.tsx";
import { Empty, Problem } from "../notice.tsx";
import { api, go, place } from "../place.ts";
import { grouped, time } from "../text.ts";
import { colour, dark } from "../theme.ts";
import { hue, fit } from "./timeline.tsx";

const ROW = 20;
const MARGIN = 8;
/** Boxes narrower than so many pixels have no text. */
const TEXTED = 30;

interface Box {
  readonly depth: number;
  readonly begin: number;
  readonly end: number;
  /** Null: several that are too narrow to be drawn. */
  readonly kind: string | null;
  readonly text: string | null;
  readonly call: number;
  readonly operations: number;
}

function boxOf([depth, begin, end, kind, text, call, operations]: FlameBox): Box {
  return { depth, begin, end, kind, text, call, operations };
}

const isGroup = (box: Box) => box.kind === null || box.kind === "frame" || box.kind === "marker";

/** The part of the axis that a link names. */
export function range(text: string | undefined): [number, number] | null {
  const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? "");
  const [begin, end] = [Number(match?.[1]), Number(match?.[2])];
  return match !== null && begin < end ? [begin, end] : null;
}

/** `wholes`: each list was timed as one. */
export function Flame(props: { wholes: boolean }): JSX.Element {
  let area!: HTMLDivElement;
  let canvas!: HTMLCanvasElement;
  const [width, setWidth] = createSignal(800);
  const wide = () => Math.max(50, width() - 2 * MARGIN);
  const sort = () => (place().more["sort"] === "cost" ? "cost" : "call");
  const zoom = createMemo(() => range(place().more["zoom"]));
  const answer = useAnswer<FlameAnswer>(() => path(api("costs/flame"), { sort: sort(), begin: zoom()?.[0], end: zoom()?.[1], parts: Math.min(4000, wide()) }));
  const data = () => answer().data;
  const boxes = createMemo(() => (data()?.boxes ?? []).map(boxOf));
  const shown = (): [number, number] => [data()?.begin ?? 0, data()?.end ?? 1];
  const [cursor, setCursor] = createSignal<Box | null>(null);
  const [over, setOver] = createSignal<Box | null>(null);
  const tall = () => Math.max(1, data()?.depth ?? 1) * (ROW + 1) + 4;
  const x = (ns: number) => MARGIN + ((ns - shown()[0]) / (shown()[1] - shown()[0] || 1)) * wide();
  /** Those that hold all that is shown, from the outermost on. */
  const around = createMemo(() => {
    const [begin, end] = shown();
    const slack = (end - begin) * 1e-6;
    return zoom() === null ? [] : boxes().filter((box) => isGroup(box) && box.kind !== null && box.begin <= begin + slack && box.end >= end - slack);
  });
  const goTo = (to: [number, number] | null) => {
    setCursor(null);
    const all = data()?.total_ns ?? 0;
    const whole = to === null || (to[0] <= 0 && to[1] >= all);
    go({ more: { zoom: whole ? undefined : `${Math.max(0, to[0])}-${Math.min(all, to[1])}` } });
  };
  const open = (box: Box | null) => {
    if (box === null) return;
    if (isGroup(box)) goTo([box.begin, box.end]);
    else go({ view: "calls", call: box.call });
  };
  const out = () => {
    const [begin, end] = shown();
    const wider = around().filter((box) => box.end - box.begin > (end - begin) * 1.000_01).at(-1);
    goTo(wider ? [wider.begin, wider.end] : null);
  };
  createEffect(() => {
    const [high, all] = [tall(), boxes()];
    const [chosen, under] = [cursor(), over()];
    dark();
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(width() * ratio));
    canvas.height = Math.max(1, Math.round(high * ratio));
    const pen = canvas.getContext("2d");
    if (pen === null) return;
    pen.scale(ratio, ratio);
    pen.fillStyle = colour("back");
    pen.fillRect(0, 0, width(), high);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const [ink, on] = [colour("text"), colour("on-kind")];
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN, 0, wide(), high);
    pen.clip();
    for (const box of all) {
      const [left, right] = [Math.max(MARGIN, x(box.begin)), Math.min(MARGIN + wide(), x(box.end))];
      const top = 2 + box.depth * (ROW + 1);
      pen.fillStyle = box.kind === "frame" ? colour("select") : box.kind === "marker" ? colour("kind-create") : box.kind === null ? colour("line") : colour(hue(box.kind));
      // A gap between neighbours, where there is room for one.
      pen.fillRect(left, top, Math.max(0.5, right - left - (right - left > 3 ? 1 : 0)), ROW);
      if (right - left > TEXTED) {
        pen.fillStyle = box.kind === "frame" || box.kind === null ? ink : on;
        pen.fillText(fit(pen, box.text ?? `${grouped(box.operations)} operations`, right - left - 9), left + 4, top + ROW / 2 + 0.5);
      }
    }
    const frame = (box: Box | null, style: string) => {
      if (box === null) return;
      pen.strokeStyle = style;
      pen.lineWidth = 2;
      pen.strokeRect(Math.max(MARGIN, x(box.begin)) + 1, 3 + box.depth * (ROW + 1), Math.max(3, Math.min(MARGIN + wide(), x(box.end)) - Math.max(MARGIN, x(box.begin)) - 3), ROW - 2);
    };
    frame(under, ink);
    frame(chosen, colour("accent"));
    pen.restore();
  });
  onMount(() => {
    const observer = new ResizeObserver(() => setWidth(area.clientWidth));
    observer.observe(area);
    setWidth(area.clientWidth);
    area.addEventListener("wheel", wheel, { passive: false });
    onCleanup(() => observer.disconnect());
  });
  const ns = (event: MouseEvent) => shown()[0] + ((event.clientX - canvas.getBoundingClientRect().left - MARGIN) / wide()) * (shown()[1] - shown()[0]);
  const at = (event: MouseEvent): Box | null => {
    const depth = Math.floor((event.clientY - canvas.getBoundingClientRect().top - 2) / (ROW + 1));
    const where = ns(event);
    return boxes().find((box) => box.depth === depth && box.begin <= where && where < box.end) ?? null;
  };
  const scaled = (about: number, factor: number) => {
    const [begin, end] = shown();
    goTo([about - (about - begin) * factor, about + (end - about) * factor]);
  };
  let turned: ReturnType<typeof setTimeout> | undefined;
  let factor = 1;
  onCleanup(() => clearTimeout(turned));
  const wheel = (event: WheelEvent) => {
    // Without a key the wheel scrolls, where there is something to scroll.
    if (!event.ctrlKey && area.scrollHeight > area.clientHeight + 4) return;
    event.preventDefault();
    factor *= Math.exp(event.deltaY / 400);
    const about = ns(event);
    clearTimeout(turned);
    turned = setTimeout(() => {
      scaled(about, factor);
      factor = 1;
    }, 60);
  };
  /** The next box in a direction. */
  const next = (key: string): Box | null => {
    const from = cursor();
    const level = (depth: number) => boxes().filter((box) => box.depth === depth).sort((a, b) => a.begin - b.begin);
    if (from === null) return boxes()[0] ?? null;
    const middle = (from.begin + from.end) / 2;
    switch (key) {
      case "ArrowRight": return level(from.depth).find((box) => box.begin >= from.end) ?? from;
      case "ArrowLeft": return level(from.depth).filter((box) => box.end <= from.begin).at(-1) ?? from;
      case "ArrowUp": return level(from.depth - 1).find((box) => box.begin <= middle && middle <= box.end) ?? from;
      default: return level(from.depth + 1).find((box) => box.begin >= from.begin && box.end <= from.end) ?? from;
    }
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = cursor() ? ((cursor()?.begin ?? 0) + (cursor()?.end ?? 0)) / 2 : (shown()[0] + shown()[1]) / 2;
    switch (event.key) {
      case "ArrowRight": case "ArrowLeft": case "ArrowUp": case "ArrowDown": setCursor(next(event.key)); break;
      case "Enter": open(cursor()); break;
      case "Backspace": case "Escape": out(); break;
      case "f": goTo(null); break;
      case "w": case "+": scaled(middle, 0.5); break;
      case "s": case "-": scaled(middle, 2); break;
      default: return;
    }
    event.preventDefault();
  };
  const said = () => {
    const box = over() ?? cursor();
    if (box === null) return `${time(shown()[0])} to ${time(shown()[1])} of ${time(data()?.total_ns ?? 0)}, the medians of the operations one behind the other`;
    const [length, all] = [box.end - box.begin, data()?.total_ns || 1];
    const count = box.operations === 1 ? "" : `, ${grouped(box.operations)} operations`;
    return `${box.text ?? "too narrow to be told apart"}: ${time(length)}, ${((length / all) * 100).toFixed(1)} %${count}`;
  };
  useExport(() => ({
    command: ["time", "--by", "marker", "TRACE"],
    table: async () => ({
      head: ["depth", "begin_ns", "end_ns", "kind", "text", "call", "operations"],
      rows: boxes().map((box) => [box.depth, box.begin, box.end, box.kind, box.text, box.call, box.operations]),
      more: "as far as they are shown",
    }),
    json: async () => boxes(),
  }));
  return (
    <div class="stack">
      <div class="toolbar" role="group" aria-label="What is shown">
        <label>
          order <select aria-label="Order of the boxes" value={sort()} onChange={(event) => {
            setCursor(null);
            go({ more: { sort: event.currentTarget.value, zoom: undefined } }, true);
          }}>
            <option value="call">of submissions</option>
            <option value="cost">by cost, equal ones together</option>
          </select>
        </label>
        <button onClick={() => goTo(null)} disabled={zoom() === null}>All</button>
        <For each={around()}>{(box) => <button class="crumb" onClick={() => goTo([box.begin, box.end])}><bdi>{box.text}</bdi></button>}</For>
        <Show when={cursor() && !isGroup(cursor() as Box) && cursor()}>{(box) => <span>Call <CallLink call={box().call} /></span>}</Show>
        <span class="spoken" role="status">{said()}</span>
      </div>
      <Problem text={answer().error ?? (data() && !data()?.all ? "There are more boxes than are shown: zoom in." : undefined)} />
      <Show when={data() && data()?.depth === 0}><Empty>{props.wholes ? "Lists were timed as wholes: reprise time --by draw --save times each operation." : "No operation was timed."}</Empty></Show>
      <div
        class="lanes flame"
        ref={area}
        tabindex={0}
        role="application"
        aria-roledescription="flame graph"
        aria-label="Frames, markers and operations by their time. Arrow keys move, Enter zooms in or opens a call, Backspace zooms out, F shows all."
        onKeyDown={key}
      >
        <canvas
          ref={canvas}
          style={{ width: `${width()}px`, height: `${tall()}px` }}
          onPointerMove={(event) => setOver(at(event))}
          onPointerLeave={() => setOver(null)}
          onClick={(event) => {
            const box = at(event);
            setCursor(box);
            if (box && isGroup(box)) open(box);
          }}
          onDblClick={(event) => {
            const box = at(event);
            if (box && !isGroup(box)) open(box);
          }}
        />
      </div>
    </div>
  );
}
