// CPU calls by thread, work by queue and on the GPU, and fences, over time.

import { createEffect, createMemo, createSignal, on, onCleanup, onMount, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type Timeline } from "../api.ts";
import * as scale from "../axis.ts";
import { shortClass } from "../names.tsx";
import { api, go, place, trace } from "../place.ts";
import { brief, grouped, time } from "../text.ts";
import { colour, dark } from "../theme.ts";

interface Mark {
  readonly begin: number;
  readonly end: number;
  readonly call: number;
  readonly kind: string;
  readonly text: string;
}

interface Lane {
  readonly name: string;
  readonly height: number;
  readonly kind: "frames" | "thread" | "queue" | "gpu" | "fence";
  /** In order of time. */
  readonly marks: readonly Mark[];
  /** `[index, calls, draws and dispatches]`, where there are too many calls to show each. */
  readonly buckets: readonly (readonly number[])[] | null;
}

const LABELS = 150;
const RULER = 20;
const ASK_MS = 80;

/** The variable of the style sheet that has the colour of a kind of calls. */
export function hue(kind: string): string {
  switch (kind) {
    case "draw": case "dispatch": case "rays": case "mesh": case "indirect": case "bundle": return "kind-draw";
    case "copy": case "resolve": case "clear": case "discard": case "build": return "kind-copy";
    case "submit": case "submission": return "kind-submit";
    case "signal": case "seen": return "kind-signal";
    case "wait": case "program_waits": return "kind-wait";
    case "present": case "frame": return "kind-present";
    case "create": case "map": case "view": return "kind-create";
    case "barrier": return "kind-barrier";
    default: return "kind-other";
  }
}

function lanes(data: Timeline, divided: boolean): Lane[] {
  const list: Lane[] = [
    {
      name: divided ? "Submissions" : "Frames", height: 20, kind: "frames", buckets: null,
      marks: data.frames.map((one) => ({ begin: one.begin, end: one.end, call: one.frame, kind: "frame", text: `${divided ? "submission" : "frame"} ${one.frame}` })),
    },
  ];
  for (const thread of data.threads) {
    list.push({
      name: `Thread ${thread.thread}${thread.name ? ` ${thread.name}` : ""}`, height: 34, kind: "thread", buckets: thread.buckets,
      marks: (thread.calls ?? []).map(([call, begin, end, kind, text]) => ({ begin, end, call, kind, text })),
    });
  }
  for (const queue of data.queues) {
    list.push({
      name: `${queue.queue.name || shortClass(queue.queue.class)} #${queue.queue.id} ${brief(queue.type ?? "")}`, height: 24, kind: "queue", buckets: queue.buckets,
      marks: queue.events.map((event) => ({
        begin: event.time_ns, end: event.end_ns, call: event.call, kind: event.kind,
        text: event.kind === "submit" ? `submission ${event.submission}, ${event.lists} lists` : event.kind === "present" ? "present" : `${event.kind} fence #${event.fence} ${event.value}`,
      })),
    });
  }
  for (const track of data.gpu) {
    list.push({
      name: `GPU ${track.queue.name || shortClass(track.queue.class)} #${track.queue.id}`, height: 34, kind: "gpu", buckets: null,
      // Operations lie side by side in their submissions, so one or the other is shown.
      marks: track.calls === null
        ? track.submissions.map((one) => ({ begin: one.begin_ns, end: one.end_ns, call: one.call, kind: "submission", text: `submission ${one.submission}` }))
        : track.calls.map(([call, begin, end, kind, text]) => ({ begin, end, call, kind, text })),
    });
  }
  for (const fence of data.fences) {
    list.push({
      name: `Fence ${fence.fence.name || ""} #${fence.fence.id}`, height: 18, kind: "fence", buckets: null,
      marks: fence.events.map((event) => ({
        begin: event.time_ns, end: event.end_ns ?? event.time_ns, call: event.call, kind: event.kind === "set" ? "signal" : event.kind, text: `${event.kind === "program_waits" ? "program waits for" : event.kind} ${event.value}`,
      })),
    });
  }
  return list;
}

export function TimelineView(): JSX.Element {
  let box!: HTMLDivElement;
  let canvas!: HTMLCanvasElement;
  const all = () => Math.max(1000, trace()?.duration_ns ?? 1000);
  const [width, setWidth] = createSignal(600);
  const [range, setRange] = createSignal<[number, number]>([0, all()]);
  const axis = createMemo((): scale.Axis => ({ begin: range()[0], end: range()[1], width: Math.max(100, width() - LABELS) }));
  const [asked, setAsked] = createSignal<[number, number]>(range());
  let timer: ReturnType<typeof setTimeout> | undefined;
  createEffect(
    on(range, (wanted) => {
      clearTimeout(timer);
      timer = setTimeout(() => setAsked(wanted), ASK_MS);
    }),
  );
  onCleanup(() => clearTimeout(timer));
  const answer = useAnswer<Timeline>(() => {
    const [begin, end] = asked();
    return path(api("timeline"), { begin: Math.floor(begin), end: Math.ceil(end), buckets: Math.min(4000, Math.max(50, Math.floor(axis().width / 2))) });
  });
  const rows = createMemo(() => (answer().data ? lanes(answer().data as Timeline, trace()?.divided ?? false) : []));
  const tall = () => RULER + rows().reduce((sum, lane) => sum + lane.height + 2, 0) + 2;
  const [cursor, setCursor] = createSignal<{ lane: number; mark: number } | null>(null);
  const current = () => {
    const at = cursor();
    return at === null ? undefined : rows()[at.lane]?.marks[at.mark];
  };
  const move = (next: scale.Axis) => setRange([next.begin, next.end]);

  const laneTop = (index: number) => RULER + rows().slice(0, index).reduce((sum, lane) => sum + lane.height + 2, 0);
  const draw = () => {
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [width(), tall()];
    canvas.width = Math.max(1, Math.round(wide * ratio));
    canvas.height = Math.max(1, Math.round(high * ratio));
    canvas.style.width = `${wide}px`;
    canvas.style.height = `${high}px`;
    const pen = canvas.getContext("2d");
    const data = answer().data;
    if (pen === null) return;
    pen.scale(ratio, ratio);
    const ink = { text: colour("text"), faint: colour("faint"), line: colour("line"), back: colour("back"), accent: colour("accent"), select: colour("select") };
    pen.fillStyle = ink.back;
    pen.fillRect(0, 0, wide, high);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const scaleNow = axis();
    const put = (ns: number) => LABELS + scale.x(scaleNow, ns);
    for (const tick of scale.ticks(scaleNow, 90)) {
      pen.fillStyle = ink.line;
      pen.fillRect(put(tick), 0, 1, high);
      pen.fillStyle = ink.faint;
      pen.fillText(time(tick), put(tick) + 4, RULER / 2);
    }
    if (data === undefined) return;
    rows().forEach((lane, index) => {
      const y = laneTop(index);
      pen.fillStyle = ink.line;
      pen.fillRect(0, y - 1, wide, 1);
      pen.save();
      pen.beginPath();
      pen.rect(LABELS, y, wide - LABELS, lane.height);
      pen.clip();
      if (lane.buckets !== null && lane.marks.length === 0) buckets(pen, lane, data, y, put);
      else marks(pen, lane, y, put, ink);
      pen.restore();
      const active = cursor();
      if (active?.lane === index) {
        const mark = lane.marks[active.mark];
        if (mark) {
          pen.strokeStyle = ink.text;
          pen.lineWidth = 2;
          pen.strokeRect(put(mark.begin) - 1, y + 1, Math.max(5, put(mark.end) - put(mark.begin)) + 2, lane.height - 2);
        }
      }
      pen.fillStyle = ink.back;
      pen.fillRect(0, y, LABELS - 1, lane.height);
      pen.fillStyle = ink.text;
      pen.fillText(fit(pen, lane.name, LABELS - 14), 8, y + lane.height / 2 + 0.5);
    });
    pen.fillStyle = ink.line;
    pen.fillRect(LABELS - 1, 0, 1, high);
  };

  const buckets = (pen: CanvasRenderingContext2D, lane: Lane, data: Timeline, y: number, put: (ns: number) => number) => {
    const most = Math.max(1, ...(lane.buckets ?? []).map((bucket) => bucket[1] ?? 0));
    const [calls, draws] = [colour("kind-other"), colour("kind-draw")];
    for (const [index = 0, count = 0, acts = 0] of lane.buckets ?? []) {
      const left = put(data.begin + index * data.bucket_ns);
      const wide = Math.max(1, put(data.begin + (index + 1) * data.bucket_ns) - left);
      // The root of the share: a bucket with few calls beside one with many stays visible.
      const high = Math.max(2, Math.sqrt(count / most) * (lane.height - 4));
      pen.fillStyle = calls;
      pen.fillRect(left, y + lane.height - 2 - high, wide, high);
      if (acts > 0) {
        pen.fillStyle = draws;
        pen.fillRect(left, y + lane.height - 2 - Math.max(2, high * (acts / count)), wide, Math.max(2, high * (acts / count)));
      }
    }
  };
  const marks = (pen: CanvasRenderingContext2D, lane: Lane, y: number, put: (ns: number) => number, ink: { text: string; select: string; accent: string; line: string; faint: string; back: string }) => {
    const chosen = place().frame;
    let free = -Infinity;
    for (const mark of lane.marks) {
      const left = put(mark.begin);
      const wide = Math.max(lane.kind === "frames" ? 1 : 2, put(mark.end) - left);
      if (left + wide < LABELS || left > width()) continue;
      if (lane.kind === "frames") {
        if (mark.call === chosen) {
          pen.fillStyle = ink.select;
          pen.fillRect(left, y, wide, lane.height);
        }
        pen.fillStyle = ink.line;
        pen.fillRect(left, y, 1, lane.height);
      } else {
        pen.fillStyle = colour(hue(mark.kind));
        const inset = mark.kind === "submit" ? 3 : lane.kind === "thread" || lane.kind === "gpu" ? 8 : 5;
        pen.fillRect(left, y + inset, wide, lane.height - inset * 2);
      }
      const label = lane.kind === "frames" ? String(mark.call) : mark.text;
      const from = Math.max(left, LABELS);
      if (left + wide - from > 26 && from > free) {
        pen.fillStyle = lane.kind === "frames" ? ink.text : colour("on-kind");
        const text = fit(pen, label, left + wide - from - 6);
        pen.fillText(text, from + 4, y + lane.height / 2 + 0.5);
        free = from + 4 + pen.measureText(text).width;
      }
    }
  };

  onMount(() => {
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    setWidth(box.clientWidth);
    box.addEventListener("wheel", wheel, { passive: false });
    onCleanup(() => observer.disconnect());
  });
  createEffect(() => {
    dark();
    draw();
  });

  const wheel = (event: WheelEvent) => {
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    // Without a key the wheel scrolls the lanes where they do not fit.
    if (!event.ctrlKey && !sideways && box.scrollHeight > box.clientHeight + 4) return;
    event.preventDefault();
    if (sideways) move(scale.shift(axis(), ((event.deltaX || event.deltaY) / axis().width) * (range()[1] - range()[0]), all()));
    else move(scale.zoom(axis(), scale.ns(axis(), event.clientX - box.getBoundingClientRect().left - LABELS), Math.exp(event.deltaY / 400), all()));
  };
  const nearest = (event: MouseEvent): { lane: number; mark: number } | null => {
    const area = canvas.getBoundingClientRect();
    const [left, down] = [event.clientX - area.left, event.clientY - area.top];
    const lane = rows().findIndex((one, index) => down >= laneTop(index) && down < laneTop(index) + one.height);
    const marks = rows()[lane]?.marks ?? [];
    let best: { lane: number; mark: number } | null = null;
    let distance = 6;
    marks.forEach((mark, index) => {
      const begin = LABELS + scale.x(axis(), mark.begin);
      const end = Math.max(begin + 2, LABELS + scale.x(axis(), mark.end));
      const away = left < begin ? begin - left : left > end ? left - end : 0;
      if (away < distance) {
        distance = away;
        best = { lane, mark: index };
      }
    });
    return best;
  };
  const open = (at: { lane: number; mark: number }) => {
    const lane = rows()[at.lane];
    const mark = lane?.marks[at.mark];
    if (mark === undefined) return;
    if (lane?.kind === "frames") go({ frame: mark.call }, true);
    else go({ view: "calls", call: mark.call });
  };
  const press = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const start = { x: event.clientX, axis: axis() };
    let dragged = false;
    const drag = (to: PointerEvent) => {
      if (Math.abs(to.clientX - start.x) > 3) dragged = true;
      if (dragged) move(scale.shift(start.axis, ((start.x - to.clientX) / start.axis.width) * (start.axis.end - start.axis.begin), all()));
    };
    const end = (up: PointerEvent) => {
      canvas.removeEventListener("pointermove", drag);
      if (dragged || up.type === "pointercancel") return;
      const hit = nearest(up);
      setCursor(hit);
      if (hit && rows()[hit.lane]?.kind === "frames") open(hit);
    };
    canvas.setPointerCapture(event.pointerId);
    canvas.addEventListener("pointermove", drag);
    canvas.addEventListener("pointerup", end, { once: true });
    canvas.addEventListener("pointercancel", end, { once: true });
  };
  const step = (by: number) => {
    const lane = rows()[cursor()?.lane ?? 0];
    if (lane === undefined || lane.marks.length === 0) return;
    const mark = cursor() === null ? 0 : Math.min(lane.marks.length - 1, Math.max(0, (cursor()?.mark ?? 0) + by));
    setCursor({ lane: cursor()?.lane ?? 0, mark });
    const at = lane.marks[mark];
    if (at && (at.begin < range()[0] || at.begin > range()[1])) move(scale.shift(axis(), at.begin - (range()[0] + range()[1]) / 2, all()));
    if (at && lane.kind === "frames") go({ frame: at.call }, true);
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = current()?.begin ?? (range()[0] + range()[1]) / 2;
    const part = (range()[1] - range()[0]) / 5;
    switch (event.key) {
      case "ArrowRight": step(1); break;
      case "ArrowLeft": step(-1); break;
      case "ArrowDown": case "ArrowUp": {
        const lane = Math.min(rows().length - 1, Math.max(0, (cursor()?.lane ?? -1) + (event.key === "ArrowDown" ? 1 : -1)));
        // To what is nearest in time on the other lane.
        const marks = rows()[lane]?.marks ?? [];
        const found = marks.findIndex((mark) => mark.begin >= middle);
        setCursor({ lane, mark: found < 0 ? Math.max(0, marks.length - 1) : found });
        break;
      }
      case "w": case "+": move(scale.zoom(axis(), middle, 0.6, all())); break;
      case "s": case "-": move(scale.zoom(axis(), middle, 1 / 0.6, all())); break;
      case "a": move(scale.shift(axis(), -part, all())); break;
      case "d": move(scale.shift(axis(), part, all())); break;
      case "f": setRange([0, all()]); break;
      case "Enter": {
        const at = cursor();
        if (at) open(at);
        break;
      }
      default: return;
    }
    event.preventDefault();
  };
  const spoken = () => {
    const mark = current();
    const lane = rows()[cursor()?.lane ?? -1];
    if (mark === undefined || lane === undefined) return `${time(range()[0])} to ${time(range()[1])}`;
    const length = mark.end - mark.begin;
    return `${lane.name}: ${mark.text}${lane.kind === "frames" ? "" : `, call ${grouped(mark.call)}`}, at ${time(mark.begin)}${length > 0 ? `, ${time(length)} long` : ""}`;
  };
  return (
    <div class="timeline">
      <div class="toolbar">
        <strong>Timeline</strong>
        <button onClick={() => setRange([0, all()])}>All</button>
        <button aria-label="Zoom in" onClick={() => move(scale.zoom(axis(), (range()[0] + range()[1]) / 2, 0.6, all()))}>+</button>
        <button aria-label="Zoom out" onClick={() => move(scale.zoom(axis(), (range()[0] + range()[1]) / 2, 1 / 0.6, all()))}>−</button>
        <span class="legend">
          {[["draw", "draws"], ["submit", "submissions"], ["signal", "signals"], ["wait", "waits"], ["present", "presents"]].map(([kind, name]) => (
            <span>
              <i class={`dot ${hue(kind as string)}`} aria-hidden="true" /> {name}
            </span>
          ))}
        </span>
        <span class="spoken" role="status">{answer().error ?? spoken()}</span>
      </div>
      <div
        class="lanes"
        ref={box}
        tabindex={0}
        role="application"
        aria-roledescription="timeline"
        aria-label="Timeline. Arrow keys move among events and lanes, Enter opens a call, W and S zoom, A and D move, F shows all."
        onKeyDown={key}
        onDblClick={(event) => {
          const hit = nearest(event);
          if (hit) open(hit);
        }}
      >
        <canvas ref={canvas} onPointerDown={press} />
      </div>
    </div>
  );
}

export function fit(pen: CanvasRenderingContext2D, text: string, width: number): string {
  if (pen.measureText(text).width <= width) return text;
  let length = Math.min(text.length, Math.floor(width / 4));
  while (length > 0 && pen.measureText(`${text.slice(0, length)}…`).width > width) length -= 1;
  return length === 0 ? "" : `${text.slice(0, length)}…`;
}
