// The rays of a thread, with what each hit, and the scene with them.

import { createSignal, For, Show, type JSX } from "solid-js";
import type { Ray, SceneAnswer } from "../api.ts";
import { useJob } from "../job.ts";
import { Problem, Progress } from "../notice.tsx";
import { trace } from "../place.ts";
import { grouped } from "../text.ts";

/** Lines of the table: the command below the view lists more. */
const SHOWN = 200;

const number = (one: number | string) => (typeof one === "number" ? String(Number(one.toPrecision(6))) : one);
const three = (all: readonly (number | string)[]) => `(${all.map(number).join(", ")})`;

/** What a ray hit, in words. */
export function hitOf(ray: Ray): string {
  const hit = ray.hit;
  return hit === null ? "nothing" : `${hit.kind} ${hit.primitive} of geometry ${hit.geometry} of instance ${hit.instance} at ${number(hit.distance)}`;
}

/** `thread`: where the scene can be drawn with the rays of one. */
export function Rays(props: { call: number; rays: readonly Ray[]; thread: readonly number[] | undefined }): JSX.Element {
  const [drawn, draw] = createSignal(false);
  return (
    <section class="rays" aria-label="Rays of the thread">
      <div class="toolbar">
        <strong>{grouped(props.rays.length)} {props.rays.length === 1 ? "ray" : "rays"}</strong>
        <Show when={props.thread}>
          <button aria-pressed={drawn()} onClick={() => draw(!drawn())}>Scene with {props.rays.length === 1 ? "it" : "them"}</button>
        </Show>
      </div>
      <div class="scroll short" tabindex={0} role="region" aria-label="Rays and what they hit">
        <table class="plain values">
          <thead><tr><th class="right">Ray</th><th>From</th><th>Along</th><th>Range</th><th>Hits</th><th>Record</th><th>Shader</th></tr></thead>
          <tbody>
            <For each={props.rays.slice(0, SHOWN)}>
              {(ray, index) => (
                <tr>
                  <td class="right mono">{index()}</td>
                  <td class="mono">{three(ray.origin)}</td>
                  <td class="mono">{three(ray.direction)}</td>
                  <td class="mono">{number(ray.least)} to {number(ray.greatest)}</td>
                  <td title={ray.open ? `open: ${ray.open}` : undefined}>{hitOf(ray)}{ray.open ? " (open)" : ""}</td>
                  <td>{ray.record ? `${ray.record.table} ${ray.record.index}` : ""}</td>
                  <td>{ray.shader ?? ""}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
        <Show when={props.rays.length > SHOWN}><p class="none">and {grouped(props.rays.length - SHOWN)} more: the command below lists all</p></Show>
      </div>
      <Show when={drawn() && props.thread}>{(thread) => <Scene call={props.call} thread={thread()} />}</Show>
    </section>
  );
}

/** What rays of the call can hit, drawn with the rays of a thread. */
function Scene(props: { call: number; thread: readonly number[] }): JSX.Element {
  const job = useJob(() => ({ t: trace()?.t ?? 0, body: { kind: "scene", call: props.call, thread: props.thread } }));
  const told = () => (job().state?.state === "done" ? (job().state?.result as unknown as SceneAnswer) : undefined);
  const what = (scene: SceneAnswer["scene"]) => `${grouped(scene.instances.length)} ${scene.instances.length === 1 ? "instance" : "instances"}, ${grouped(scene.triangles)} triangles, ${grouped(scene.boxes)} boxes, ${grouped(scene.rays.length)} ${scene.rays.length === 1 ? "ray" : "rays"}`;
  return (
    <div class="scene">
      <Progress job={job()} what="Drawing the scene" />
      <Show when={told()}>
        {(one) => (
          <figure>
            <img src={one().picture} width={one().width} height={one().height} alt={`What rays of call ${props.call} can hit, with the rays of thread ${props.thread.join(", ")}`} />
            <figcaption>
              {what(one().scene)}. <span class="mono">reprise scene TRACE {props.call} --thread {props.thread.join(",")}</span> draws the same; --eye moves the camera.
            </figcaption>
            <Problem text={one().scene.left_out.length > 0 ? `Left out: ${JSON.stringify(one().scene.left_out)}` : undefined} />
          </figure>
        )}
      </Show>
    </div>
  );
}
