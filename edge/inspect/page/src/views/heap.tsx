// A heap as a map: who lies where, from left to right, and when, from top to bottom.

import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type Json, type ObjectName } from "../api.ts";
import { useExport } from "../export.tsx";
import { CallLink, ObjectLink } from "../names.tsx";
import { Answered, Empty } from "../notice.tsx";
import { api, go, place, trace } from "../place.ts";
import { bytes, hex } from "../text.ts";
import { colour, dark } from "../theme.ts";

interface Life {
  resource: ObjectName;
  offset: number;
  bytes: number;
  from_call: number;
  to_call: number | null;
}

interface Content {
  offset: number;
  bytes: number;
  resource: ObjectName;
  tile?: Json;
  overlaps?: Json[];
  active?: boolean | string | null;
  since?: number | null;
  why?: string | null;
}

interface HeapAnswer {
  heap: ObjectName;
  bytes: number;
  resident?: boolean;
  contents: Content[];
  lives: Life[];
}

const HEIGHT = 200;
const EDGE = 22;

export function HeapMap(props: { heap: number; at: number }): JSX.Element {
  const answer = useAnswer<HeapAnswer>(() => path(api("heap"), { heap: props.heap, call: props.at }));
  useExport(() => ({
    command: ["state", "TRACE", String(props.at), "--object", String(props.heap)],
    table: async () => ({
      head: ["resource", "offset", "bytes", "from_call", "to_call"],
      rows: (answer().data?.lives ?? []).map((one) => [one.resource.id, one.offset, one.bytes, one.from_call, one.to_call]),
    }),
    json: async () => answer().data,
  }));
  return (
    <div class="scroll">
      <Answered answer={answer()}>
        {(data) => (
          <>
            <p class="count">{bytes(data().bytes)}{data().resident === false ? ", evicted" : ""}. The line is call {props.at}: a click moves it.</p>
            <Map data={data()} at={props.at} />
            <h3>At call {props.at}</h3>
            <Show when={data().contents.length > 0} fallback={<Empty>Nothing lies in it.</Empty>}>
              <table class="plain">
                <thead>
                  <tr><th class="right">Offset</th><th class="right">Size</th><th>Resource</th><th>Active</th><th class="right">Since</th><th>Overlaps</th></tr>
                </thead>
                <tbody>
                  <For each={data().contents}>
                    {(one) => (
                      <tr>
                        <td class="right mono">{hex(one.offset)}</td>
                        <td class="right mono">{bytes(one.bytes)}</td>
                        <td><ObjectLink object={one.resource} call={place().call} /></td>
                        <td>{activity(one)}{one.why ? <span class="faint"> {one.why}</span> : ""}</td>
                        <td class="right"><CallLink call={one.since} /></td>
                        <td><Show when={one.overlaps?.length} fallback="–"><span class="warn">{one.overlaps?.length} others</span></Show></td>
                      </tr>
                    )}
                  </For>
                </tbody>
              </table>
            </Show>
          </>
        )}
      </Answered>
    </div>
  );
}

function activity(one: Content): string {
  if (one.active === true) return "active";
  if (one.active === false) return "inactive";
  return typeof one.active === "string" ? one.active : "not known";
}

function Map(props: { data: HeapAnswer; at: number }): JSX.Element {
  let box!: HTMLDivElement;
  let canvas!: HTMLCanvasElement;
  const [width, setWidth] = createSignal(0);
  const calls = () => Math.max(1, trace()?.calls ?? 1);
  const lives = createMemo(() => [...props.data.lives].sort((a, b) => a.offset - b.offset || a.from_call - b.from_call));
  const [hover, setHover] = createSignal<number | null>(null);
  const y = (call: number) => EDGE + (call / calls()) * (HEIGHT - EDGE - 4);
  const areaOf = (one: Life): [number, number, number, number] => {
    const left = (one.offset / props.data.bytes) * width();
    const top = y(one.from_call);
    return [left, top, Math.max(2, (one.bytes / props.data.bytes) * width()), Math.max(2, y(one.to_call ?? calls()) - top)];
  };
  createEffect(() => {
    const ratio = globalThis.devicePixelRatio || 1;
    canvas.width = Math.max(1, width() * ratio);
    canvas.height = HEIGHT * ratio;
    const pen = canvas.getContext("2d");
    dark();
    if (pen === null || width() === 0) return;
    pen.scale(ratio, ratio);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.fillStyle = colour("back");
    pen.fillRect(0, 0, width(), HEIGHT);
    const alive = new Set(props.data.contents.map((one) => `${one.resource.id}:${one.offset}`));
    const active = new Set(props.data.contents.filter((one) => one.active === true).map((one) => `${one.resource.id}:${one.offset}`));
    lives().forEach((one, index) => {
      const [left, top, wide, high] = areaOf(one);
      const key = `${one.resource.id}:${one.offset}`;
      // Half through: where two lie over each other both are seen.
      pen.globalAlpha = 0.6;
      pen.fillStyle = colour(active.has(key) ? "kind-submit" : alive.has(key) ? "kind-create" : "kind-other");
      pen.fillRect(left, top, wide, high);
      pen.globalAlpha = 1;
      pen.strokeStyle = colour(index === hover() ? "text" : "back");
      pen.lineWidth = index === hover() ? 2 : 1;
      pen.strokeRect(left + 0.5, top + 0.5, wide - 1, high - 1);
      if (wide > 40 && high > 12) {
        pen.fillStyle = colour("text");
        pen.fillText(`#${one.resource.id}`, left + 5, top + Math.min(high / 2, 10));
      }
    });
    pen.fillStyle = colour("faint");
    pen.textBaseline = "middle";
    for (let part = 0; part <= 4; part += 1) {
      const text = bytes(Math.round((props.data.bytes * part) / 4));
      const size = pen.measureText(text).width;
      pen.fillText(text, Math.min(width() - size - 2, Math.max(2, (width() * part) / 4 - size / 2)), EDGE / 2);
    }
    pen.fillStyle = colour("accent");
    pen.fillRect(0, y(props.at), width(), 2);
  });
  onMount(() => {
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    setWidth(box.clientWidth);
    onCleanup(() => observer.disconnect());
  });
  const hit = (event: MouseEvent): number | null => {
    const area = canvas.getBoundingClientRect();
    const [x, down] = [event.clientX - area.left, event.clientY - area.top];
    for (let index = lives().length - 1; index >= 0; index -= 1) {
      const [left, top, wide, high] = areaOf(lives()[index] as Life);
      if (x >= left && x <= left + wide && down >= top && down <= top + high) return index;
    }
    return null;
  };
  const said = () => {
    const one = hover() === null ? undefined : lives()[hover() as number];
    if (one === undefined) return `${lives().length} placements. Arrow keys go through them.`;
    return `${one.resource.name || one.resource.class} #${one.resource.id}: ${bytes(one.bytes)} at ${hex(one.offset)}, calls ${one.from_call} to ${one.to_call ?? "the end"}`;
  };
  return (
    <>
      <div
        class="map"
        ref={box}
        tabindex={0}
        role="application"
        aria-roledescription="map of a heap"
        aria-label="Map of the heap. Arrow keys go through what lies in it, Enter opens it."
        onKeyDown={(event) => {
          const count = lives().length;
          if (count === 0 || event.ctrlKey) return;
          if (event.key === "ArrowRight" || event.key === "ArrowDown") setHover(hover() === null ? 0 : Math.min(count - 1, (hover() as number) + 1));
          else if (event.key === "ArrowLeft" || event.key === "ArrowUp") setHover(Math.max(0, (hover() ?? 1) - 1));
          else if (event.key === "Enter" && hover() !== null) go({ view: "resources", object: lives()[hover() as number]?.resource.id });
          else return;
          event.preventDefault();
        }}
      >
        <canvas
          ref={canvas}
          style={{ width: `${width()}px`, height: `${HEIGHT}px` }}
          onPointerMove={(event) => setHover(hit(event))}
          onPointerLeave={() => setHover(null)}
          onClick={(event) => {
            const share = (event.clientY - canvas.getBoundingClientRect().top - EDGE) / (HEIGHT - EDGE - 4);
            go({ call: Math.min(calls(), Math.max(1, Math.round(share * calls()))) }, true);
          }}
          onDblClick={(event) => {
            const index = hit(event);
            if (index !== null) go({ view: "resources", object: lives()[index]?.resource.id });
          }}
        />
      </div>
      <p class="readout" role="status">{said()}</p>
      <p class="legend">
        <span><i class="dot kind-submit" aria-hidden="true" /> active</span>
        <span><i class="dot kind-create" aria-hidden="true" /> there, not active or not known</span>
        <span><i class="dot kind-other" aria-hidden="true" /> at other calls</span>
      </p>
    </>
  );
}
