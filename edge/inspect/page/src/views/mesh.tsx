// The vertices of a draw as a wireframe and as a table, before the vertex stage and after it.

import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show, type JSX } from "solid-js";
import { text } from "../answer.ts";
import { bytes as readBytes, type Mesh } from "../api.ts";
import { box as boxOf, lines, project, type Camera } from "../camera.ts";
import { useExport } from "../export.tsx";
import { useJob } from "../job.ts";
import { Cell, List } from "../list.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { go, place, trace } from "../place.ts";
import { Split } from "../split.tsx";
import type { Stepped } from "../steps.ts";
import { float, grouped } from "../text.ts";
import { colour, dark } from "../theme.ts";
import { DebugLink } from "./debug.tsx";

/** More lines are not drawn: a canvas would take more than a blink for them. */
const MOST_LINES = 200_000;

interface Loaded {
  readonly mesh: Mesh;
  readonly view: DataView;
  readonly indices: Uint32Array;
}

export function MeshView(): JSX.Element {
  const stage = () => (place().more["stage"] === "vertex" ? "vertex" : "input");
  const instance = () => Number(place().more["instance"] ?? 0) || 0;
  const job = useJob(() => (place().call === undefined ? null : { t: trace()?.t ?? 0, body: { kind: "mesh", call: place().call, stage: stage(), instance: instance() } }));
  const mesh = createMemo(() => (job().state?.state === "done" ? (job().state?.result as unknown as Mesh) : undefined));
  const [loaded, setLoaded] = createSignal<Loaded>();
  const [problem, setProblem] = createSignal<string>();
  createEffect(() => {
    const one = mesh();
    setLoaded(undefined);
    setProblem(undefined);
    if (one === undefined) return;
    if (one.error) {
      setProblem(one.error);
      return;
    }
    const abort = new AbortController();
    onCleanup(() => abort.abort());
    load(one, abort.signal).then(setLoaded, (error: unknown) => {
      if (!abort.signal.aborted) setProblem(text(error));
    });
  });
  useExport(() => {
    const all = loaded();
    return {
      command: stage() === "vertex" ? ["mesh", "--call", String(place().call), "TRACE"] : ["replay", "--dump-draw", String(place().call), "TRACE"],
      ...(all === undefined
        ? {}
        : {
            table: async () => {
              const rows = Math.min(10_000, all.indices.length);
              return { head: ["vertex", "index", ...heads(all.mesh)], rows: Array.from({ length: rows }, (_, row) => [row, all.indices[row] ?? 0, ...cells(all, all.indices[row] ?? 0)]) };
            },
          }),
      json: async () => mesh(),
    };
  });
  return (
    <div class="stack">
      <div class="toolbar">
        <div class="modes" role="group" aria-label="Stage">
          <button aria-pressed={stage() === "input"} onClick={() => go({ more: { stage: undefined } }, true)}>Before the vertex stage</button>
          <button aria-pressed={stage() === "vertex"} onClick={() => go({ more: { stage: "vertex" } }, true)}>After it</button>
        </div>
        <label>
          instance <input class="number" type="number" min="0" value={instance()} onChange={(event) => go({ more: { instance: event.currentTarget.value } }, true)} />
        </label>
        <Show when={mesh()}>
          {(one) => <span class="faint">{grouped(one().indices?.count ?? one().vertices)} vertices, {one().topology.replace("D3D_PRIMITIVE_TOPOLOGY_", "")}{one().behind === undefined ? "" : `, out of the ${one().behind} shader`}</span>}
        </Show>
        <For each={mesh()?.notes ?? []}>{(note) => <span class="faint">{note}</span>}</For>
      </div>
      <Progress job={job()} what="Reading the vertices" />
      <Problem text={problem()} />
      <Show when={loaded()} keyed>
        {(all) => <MeshPanes all={all} />}
      </Show>
    </div>
  );
}

async function load(mesh: Mesh, signal: AbortSignal): Promise<Loaded> {
  const file = await readBytes(mesh.file, signal);
  if (file.byteLength < mesh.vertices * mesh.stride) throw new Error(`The file of the vertices has ${file.byteLength} bytes, fewer than ${mesh.vertices} vertices need.`);
  const indices = mesh.indices ? new Uint32Array(await readBytes(mesh.indices.file, signal)) : Uint32Array.from({ length: mesh.vertices }, (_, index) => index);
  return { mesh, view: new DataView(file), indices };
}

/** The column to divide by w. */
function divided(mesh: Mesh): Mesh["columns"][number] | undefined {
  const column = mesh.columns[mesh.position ?? -1];
  return mesh.stage === "vertex" && column?.type === "f32" && column.components === 4 ? column : undefined;
}

function heads(mesh: Mesh): string[] {
  const named = mesh.columns.flatMap((column) => Array.from({ length: column.components }, (_, part) => `${column.name}${column.index}.${"xyzw"[part]}`));
  return divided(mesh) === undefined ? named : [...named, "ndc.x", "ndc.y", "ndc.z"];
}

function cells(all: Loaded, vertex: number): (string | number)[] {
  if (vertex >= all.mesh.vertices) return [];
  const named = all.mesh.columns.flatMap((column) =>
    Array.from({ length: column.components }, (_, part) => {
      const at = vertex * all.mesh.stride + column.offset + part * 4;
      return column.type === "f32" ? float(all.view.getFloat32(at, true)) : column.type === "u32" ? all.view.getUint32(at, true) : all.view.getInt32(at, true);
    }),
  );
  const place = divided(all.mesh);
  if (place === undefined) return named;
  const read = (part: number) => all.view.getFloat32(vertex * all.mesh.stride + place.offset + part * 4, true);
  return [...named, ...[0, 1, 2].map((part) => float(read(part) / read(3)))];
}

/** Places of all vertices; after the vertex stage as the screen has them, divided by w. */
function positions(all: Loaded): Float32Array | string {
  const column = all.mesh.columns[all.mesh.position ?? -1];
  if (column === undefined) return "No column of the vertices is a position.";
  if (column.type !== "f32") return "The positions are no floats.";
  const points = new Float32Array(all.mesh.vertices * 3);
  for (let vertex = 0; vertex < all.mesh.vertices; vertex += 1) {
    const at = vertex * all.mesh.stride + column.offset;
    const read = (part: number) => (part < column.components ? all.view.getFloat32(at + part * 4, true) : 0);
    const w = all.mesh.stage === "vertex" && column.components === 4 ? read(3) : 1;
    for (let axis = 0; axis < 3; axis += 1) points[vertex * 3 + axis] = w > 0 ? read(axis) / w : NaN;
  }
  return points;
}

/** The points that the draw names: a vertex buffer may hold those of other draws, too. */
function used(points: Float32Array, indices: Uint32Array): Float32Array {
  const out = new Float32Array(indices.length * 3).fill(NaN);
  indices.forEach((vertex, place) => {
    if (vertex * 3 + 2 < points.length) out.set(points.subarray(vertex * 3, vertex * 3 + 3), place * 3);
  });
  return out;
}

function MeshPanes(props: { all: Loaded }): JSX.Element {
  const [chosen, setChosen] = createSignal<number | null>(null);
  /** The chosen vertex for the debugger, as the draw counts those that it reads. */
  const stepped = (): Stepped | null => {
    const [call, row] = [place().call, chosen()];
    if (call === undefined || row === null || props.all.mesh.stage !== "input" || props.all.indices[row] === 0xffffffff) return null;
    return { call, of: { vertex: row }, narrow: { instance: Number(place().more["instance"] ?? 0) || 0 } };
  };
  const columns = [{ title: "Vertex", width: "64px", right: true }, { title: "Index", width: "64px", right: true }, ...heads(props.all.mesh).map((title) => ({ title, width: "minmax(76px, 1fr)", right: true }))];
  return (
    <Split
      name="wireframe and vertices"
      down
      start={0.6}
      first={<Wireframe all={props.all} chosen={chosen()} />}
      second={
        <>
        <Show when={stepped()}>{(it) => <p class="count">vertex {chosen()} <DebugLink of={it()} /></p>}</Show>
        <List label="Vertices" count={props.all.indices.length} columns={columns} selected={chosen()} onSelect={setChosen} empty={<Empty>The draw has no vertices.</Empty>}>
          {(row) => (
            <>
              <Cell right mono>{row()}</Cell>
              <Cell right mono>{props.all.indices[row()] === 0xffffffff ? "cut" : props.all.indices[row()]}</Cell>
              <For each={cells(props.all, props.all.indices[row()] ?? 0)}>{(cell) => <Cell right mono>{cell}</Cell>}</For>
            </>
          )}
        </List>
        </>
      }
    />
  );
}

function Wireframe(props: { all: Loaded; chosen: number | null }): JSX.Element {
  let box!: HTMLDivElement;
  let canvas!: HTMLCanvasElement;
  const flat = props.all.mesh.stage === "vertex";
  // After the vertex stage the picture is what the screen shows; before it, an angle shows more of a body than its front does.
  const start: Camera = flat ? { yaw: 0, pitch: 0, zoom: 1, x: 0, y: 0 } : { yaw: 0.6, pitch: 0.4, zoom: 1, x: 0, y: 0 };
  const [camera, setCamera] = createSignal(start);
  const [size, setSize] = createSignal<[number, number]>([0, 0]);
  const points = positions(props.all);
  const drawn = lines(props.all.mesh.topology, props.all.indices, MOST_LINES);
  const problem = typeof points === "string" ? points : typeof drawn === "string" ? drawn : drawn.more > 0 ? `${grouped(drawn.more)} lines more are not drawn.` : undefined;
  const bounds = typeof points === "string" ? null : flat ? { low: [-1, -1, 0], high: [1, 1, 0] } as const : boxOf(used(points, props.all.indices));
  createEffect(() => {
    const [wide, high] = size();
    const ratio = globalThis.devicePixelRatio || 1;
    canvas.width = Math.max(1, wide * ratio);
    canvas.height = Math.max(1, high * ratio);
    const pen = canvas.getContext("2d");
    dark();
    if (pen === null || typeof points === "string" || bounds === null) return;
    pen.scale(ratio, ratio);
    const places = project(points, bounds, camera(), wide, high);
    if (flat) {
      const edge = project(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), bounds, camera(), wide, high);
      pen.strokeStyle = colour("line");
      pen.strokeRect(edge[0] ?? 0, edge[5] ?? 0, (edge[2] ?? 0) - (edge[0] ?? 0), (edge[1] ?? 0) - (edge[5] ?? 0));
    }
    pen.strokeStyle = colour("wire");
    pen.lineWidth = 0.8;
    pen.beginPath();
    if (typeof drawn !== "string") {
      for (let at = 0; at < drawn.lines.length; at += 2) {
        const [a, b] = [(drawn.lines[at] as number) * 2, (drawn.lines[at + 1] as number) * 2];
        const [ax, ay, bx, by] = [places[a], places[a + 1], places[b], places[b + 1]];
        // Behind the camera, or not in the file.
        if (ax === undefined || bx === undefined || !Number.isFinite(ax) || !Number.isFinite(bx)) continue;
        pen.moveTo(ax, ay as number);
        pen.lineTo(bx, by as number);
      }
    }
    pen.stroke();
    pen.fillStyle = colour("wire");
    if (typeof drawn !== "string" && drawn.lines.length === 0) for (let at = 0; at < places.length; at += 2) pen.fillRect((places[at] as number) - 1, (places[at + 1] as number) - 1, 2, 2);
    const vertex = props.chosen === null ? undefined : props.all.indices[props.chosen];
    if (vertex !== undefined && vertex * 2 < places.length) {
      pen.fillStyle = colour("bad");
      pen.beginPath();
      pen.arc(places[vertex * 2] as number, places[vertex * 2 + 1] as number, 4, 0, 7);
      pen.fill();
    }
  });
  onMount(() => {
    const observer = new ResizeObserver(() => setSize([box.clientWidth, box.clientHeight]));
    observer.observe(box);
    setSize([box.clientWidth, box.clientHeight]);
    box.addEventListener("wheel", wheel, { passive: false });
    onCleanup(() => observer.disconnect());
  });
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    setCamera({ ...camera(), zoom: Math.min(100, Math.max(0.05, camera().zoom * Math.exp(-event.deltaY / 400))) });
  };
  const press = (event: PointerEvent) => {
    const [from, before] = [{ x: event.clientX, y: event.clientY }, camera()];
    canvas.setPointerCapture(event.pointerId);
    const drag = (to: PointerEvent) => {
      const [x, y] = [to.clientX - from.x, to.clientY - from.y];
      if (event.shiftKey || flat) setCamera({ ...before, x: before.x + x, y: before.y + y });
      else setCamera({ ...before, yaw: before.yaw + x / 150, pitch: Math.min(1.57, Math.max(-1.57, before.pitch + y / 150)) });
    };
    canvas.addEventListener("pointermove", drag);
    canvas.addEventListener("lostpointercapture", () => canvas.removeEventListener("pointermove", drag), { once: true });
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = camera();
    switch (event.key) {
      case "ArrowLeft": setCamera({ ...now, yaw: now.yaw - 0.1 }); break;
      case "ArrowRight": setCamera({ ...now, yaw: now.yaw + 0.1 }); break;
      case "ArrowUp": setCamera({ ...now, pitch: Math.max(-1.57, now.pitch - 0.1) }); break;
      case "ArrowDown": setCamera({ ...now, pitch: Math.min(1.57, now.pitch + 0.1) }); break;
      case "w": case "+": setCamera({ ...now, zoom: Math.min(100, now.zoom * 1.2) }); break;
      case "s": case "-": setCamera({ ...now, zoom: Math.max(0.05, now.zoom / 1.2) }); break;
      case "a": setCamera({ ...now, x: now.x + 20 }); break;
      case "d": setCamera({ ...now, x: now.x - 20 }); break;
      case "f": case "0": setCamera(start); break;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="stack">
      <Problem text={problem} />
      <div class="surface" ref={box} tabindex={0} role="application" aria-roledescription="wireframe" aria-label="Wireframe. Arrow keys turn, W and S zoom, A and D move, F shows all." onKeyDown={key}>
        <canvas ref={canvas} onPointerDown={press} />
      </div>
    </div>
  );
}
