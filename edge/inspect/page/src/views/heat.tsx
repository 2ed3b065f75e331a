// A frame's operations as a strip: a cell for each, coloured by what it costs.

import { createEffect, createMemo, createSignal, onCleanup, onMount, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type HeatAnswer } from "../api.ts";
import { cells, columns, hottest, ramp, value, type Look } from "../heat.ts";
import { Problem } from "../notice.tsx";
import { api, place, trace } from "../place.ts";
import { grouped, time } from "../text.ts";
import { colour, dark } from "../theme.ts";

const HIGH = 34;
const MARGIN = 8;
/** Cells that are at least so many pixels wide stand apart. */
const APART = 5;

/** How the strip looks: it lasts as long as the page. */
const [look, setLook] = createSignal<Look>({ width: "time", order: "call", colour: "time" });

/** A time that may be a part of a nanosecond. */
function small(ns: number): string {
  return ns < 1000 ? `${ns.toFixed(2)} ns` : time(ns);
}

/** The frame in whose submissions a call runs. */
export function useFrameOf(call: () => number | undefined): () => number | undefined {
  const answer = useAnswer<{ path: string[] }>(() => (call() === undefined ? null : path(api("tree/path"), { call: call() })));
  return () => Number(/^frame:(\d+)$/.exec(answer().data?.path[0] ?? "")?.[1]) || undefined;
}

/** `frame`: undefined stands for all. `onChoose`: `open` where the call shall be opened, not only chosen. */
export function Heat(props: { frame: number | undefined; onChoose: (call: number, open: boolean) => void }): JSX.Element {
  let box!: HTMLDivElement;
  let canvas!: HTMLCanvasElement;
  const answer = useAnswer<HeatAnswer>(() => path(api("costs/heat"), { frame: props.frame }));
  const [width, setWidth] = createSignal(600);
  const [cursor, setCursor] = createSignal<number | null>(null);
  const counted = () => answer().data?.pixels != null;
  const shown = createMemo((): Look => (counted() ? look() : { ...look(), colour: "time" }));
  const made = createMemo(() => (answer().data ? cells(answer().data as HeatAnswer, shown()) : undefined));
  const wide = () => Math.max(50, width() - 2 * MARGIN);
  /** The cell of the call that the page shows. */
  const current = createMemo(() => {
    const [data, all, call] = [answer().data, made(), place().call];
    if (data === undefined || all === undefined || call === undefined) return null;
    const index = data.calls.indexOf(call);
    return index < 0 ? null : all.order.indexOf(index);
  });
  const at = () => cursor() ?? current();
  createEffect(() => {
    const all = made();
    const [pixels, marked, chosen] = [wide(), cursor(), current()];
    dark();
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round((pixels + 2 * MARGIN) * ratio);
    canvas.height = Math.round(HIGH * ratio);
    const pen = canvas.getContext("2d");
    if (pen === null) return;
    pen.scale(ratio, ratio);
    pen.fillStyle = colour("raised");
    pen.fillRect(MARGIN, 3, pixels, HIGH - 6);
    if (all === undefined) return;
    const stops: [string, string, string] = [colour("heat-a"), colour("heat-b"), colour("heat-c")];
    const unknown = colour("line");
    const line = colour("back");
    columns(all, pixels).forEach((heat, column) => {
      if (heat < -1) return;
      pen.fillStyle = heat < 0 ? unknown : ramp(stops, heat);
      pen.fillRect(MARGIN + column, 3, 1, HIGH - 6);
    });
    pen.fillStyle = line;
    // No more edges than there are pixels for: a frame may have a hundred thousand operations.
    if (all.order.length * 2 < pixels) {
      for (let cell = 1; cell < all.order.length; cell += 1) {
        const [before, edge, next] = [all.edges[cell - 1] ?? 0, all.edges[cell] ?? 0, all.edges[cell + 1] ?? 0];
        if ((edge - before) * pixels >= APART || (next - edge) * pixels >= APART) pen.fillRect(MARGIN + Math.round(edge * pixels), 3, 1, HIGH - 6);
      }
    }
    const frame = (cell: number | null, style: string) => {
      if (cell === null || cell < 0) return;
      const [begin, end] = [(all.edges[cell] ?? 0) * pixels, (all.edges[cell + 1] ?? 0) * pixels];
      pen.lineWidth = 2;
      pen.strokeStyle = style;
      pen.strokeRect(MARGIN + begin - 1, 1, Math.max(3, end - begin) + 2, HIGH - 2);
    };
    frame(chosen, colour("accent"));
    if (marked !== chosen) frame(marked, colour("text"));
  });
  onMount(() => {
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    setWidth(box.clientWidth);
    onCleanup(() => observer.disconnect());
  });
  const under = (event: MouseEvent): number | null => {
    const all = made();
    if (all === undefined) return null;
    const x = Math.floor(event.clientX - canvas.getBoundingClientRect().left - MARGIN);
    return x < 0 || x >= wide() ? null : hottest(all, x / wide(), (x + 1) / wide());
  };
  const call = (cell: number | null) => (cell === null ? undefined : answer().data?.calls[made()?.order[cell] ?? -1]);
  const choose = (cell: number | null, open: boolean) => {
    const one = call(cell);
    if (one !== undefined) props.onChoose(one, open);
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = (made()?.order.length ?? 0) - 1;
    const from = at();
    const moves: Readonly<Record<string, number>> = { ArrowRight: from === null ? 0 : from + 1, ArrowLeft: from === null ? 0 : from - 1, Home: 0, End: last };
    const to = moves[event.key];
    if (event.key === "Enter") choose(from, true);
    else if (to !== undefined && last >= 0) {
      setCursor(Math.min(last, Math.max(0, to)));
      choose(cursor(), false);
    } else return;
    event.preventDefault();
  };
  const said = () => {
    const [data, cell] = [answer().data, at()];
    if (data === undefined) return "";
    if (cell === null || cell < 0) return `${grouped(data.total)} operations, ${time(data.total_ns)}${data.more > 0 ? `; the first ${grouped(data.calls.length)} are shown` : ""}`;
    const index = made()?.order[cell] ?? -1;
    const [ns, pixels] = [data.gpu_ns[index] ?? null, data.pixels?.[index] ?? null];
    const each = value(data, index, "pixel");
    const costs = ns === null ? "not timed" : `${time(ns)}${data.total_ns > 0 ? `, ${((ns / data.total_ns) * 100).toFixed(1)} %` : ""}`;
    return `${data.calls[index]} ${data.methods[data.method[index] ?? 0] ?? ""}: ${costs}${pixels === null ? "" : `, ${grouped(pixels)} pixels`}${each === null ? "" : `, ${small(each)} each`}`;
  };
  const change = (part: Partial<Look>) => {
    setCursor(null);
    setLook({ ...look(), ...part });
  };
  const unit = (number: number) => (shown().colour === "pixel" ? small(number) : time(number));
  return (
    <section class="heat" aria-label="Heat of the operations">
      <div class="toolbar">
        <strong>{props.frame === undefined ? "All operations" : `${trace()?.divided ? "Submission" : "Frame"} ${grouped(props.frame)}`}</strong>
        <label>
          width <select aria-label="Width of the cells" value={look().width} onChange={(event) => change({ width: event.currentTarget.value as Look["width"] })}>
            <option value="time">by time</option>
            <option value="equal">equal</option>
          </select>
        </label>
        <label>
          order <select aria-label="Order of the cells" value={look().order} onChange={(event) => change({ order: event.currentTarget.value as Look["order"] })}>
            <option value="call">of submissions</option>
            <option value="cost">by cost</option>
          </select>
        </label>
        <Show when={counted()}>
          <label>
            colour <select aria-label="Colour of the cells" value={look().colour} onChange={(event) => change({ colour: event.currentTarget.value as Look["colour"] })}>
              <option value="time">by time</option>
              <option value="pixel">by time per pixel</option>
            </select>
          </label>
        </Show>
        <Show when={(made()?.most ?? 0) > 0 && made()}>
          {(all) => <span class="scale"><span class="faint">{unit(all().least)}</span><i class="ramp" aria-hidden="true" /><span class="faint">{unit(all().most)}</span></span>}
        </Show>
        <span class="spoken" role="status">{said()}</span>
      </div>
      <Problem text={answer().error} />
      <div
        class="cells"
        ref={box}
        tabindex={0}
        role="application"
        aria-roledescription="strip"
        aria-label="Operations by their cost. Arrow keys move, Enter opens the call."
        onKeyDown={key}
        onFocusOut={() => setCursor(null)}
      >
        <canvas
          ref={canvas}
          style={{ width: `${wide() + 2 * MARGIN}px`, height: `${HIGH}px` }}
          onPointerMove={(event) => setCursor(under(event))}
          onPointerLeave={() => setCursor(null)}
          onClick={(event) => choose(under(event), true)}
        />
      </div>
    </section>
  );
}
