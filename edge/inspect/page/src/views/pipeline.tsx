// The stages of the pipeline at a call, in the order in which data goes through them.

import { createMemo, createSignal, For, Match, Show, Switch, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type Json, type ObjectAnswer, type RayExport, type RayShadersAnswer } from "../api.ts";
import { useState, type Bound, type Target } from "../bound.ts";
import { useExport } from "../export.tsx";
import { CallLink, ObjectLink } from "../names.tsx";
import { Answered, Empty, Problem } from "../notice.tsx";
import { api, link, place } from "../place.ts";
import { brief, bytes } from "../text.ts";
import { Value } from "../value.tsx";
import { EditShaderLink } from "./edit.tsx";
import { RayShaders } from "./ray-shaders.tsx";
import { RootSignature } from "./signature.tsx";
import { ShaderText } from "./shaders.tsx";
import { Spent } from "./spent.tsx";

const NAMES: Readonly<Record<string, string>> = {
  VS: "Vertex", HS: "Hull", DS: "Domain", GS: "Geometry", PS: "Pixel", CS: "Compute", AS: "Amplification", MS: "Mesh",
};

interface Stage {
  readonly id: string;
  readonly title: string;
  readonly hash?: string;
  /** Of a state object of ray tracing. */
  readonly exports?: readonly RayExport[];
}

/** Kinds of exports, as the stages that they are shown as. */
const RAYS: readonly { id: string; title: string; kinds: readonly RayExport["kind"][] }[] = [
  { id: "RAYGEN", title: "Ray generation shaders", kinds: ["raygeneration"] },
  { id: "MISS", title: "Miss shaders", kinds: ["miss"] },
  { id: "HIT", title: "Hit groups", kinds: ["triangles", "procedural"] },
  { id: "CALL", title: "Callable shaders", kinds: ["callable"] },
];

function stages(bound: Bound, rays: RayShadersAnswer | undefined): Stage[] {
  const shaders = bound.pipeline?.shaders ?? [];
  const shader = (stage: string): Stage[] => {
    const one = shaders.find((other) => other.stage === stage);
    return one ? [{ id: stage, title: `${NAMES[stage] ?? stage} shader`, hash: one.hash }] : [];
  };
  const known = ["VS", "HS", "DS", "GS", "AS", "MS", "PS", "CS"];
  const unknown = shaders.filter((one) => !known.includes(one.stage));
  // A state object may have several libraries.
  const others = unknown.map((one, index) => {
    const before = unknown.slice(0, index).filter((other) => other.stage === one.stage).length;
    const id = before > 0 ? `${one.stage} ${before + 1}` : one.stage;
    return { id, title: id, hash: one.hash };
  });
  const ofRays = RAYS.flatMap(({ id, title, kinds }) => {
    const exports = (rays?.exports ?? []).filter((one) => kinds.includes(one.kind));
    return exports.length > 0 ? [{ id, title, exports }] : [];
  });
  const drawing = bound.output != null;
  return [
    ...(drawing && bound.input ? [{ id: "IA", title: "Input assembler" }] : []),
    ...["VS", "HS", "DS", "GS", "AS", "MS"].flatMap(shader),
    ...(drawing ? [{ id: "RS", title: "Rasterizer" }] : []),
    ...["PS"].flatMap(shader),
    ...(drawing ? [{ id: "OM", title: "Output merger" }] : []),
    ...shader("CS"),
    ...ofRays,
    ...others,
    { id: "ROOT", title: "Root signature" },
  ];
}

export function Pipeline(): JSX.Element {
  const state = useState();
  const bound = () => state().data?.bound ?? undefined;
  const [chosen, setChosen] = createSignal("IA");
  const pipeline = () => bound()?.pipeline?.object.id;
  const rays = useAnswer<RayShadersAnswer>(() => (bound()?.pipeline?.kind === "state_object" && pipeline() !== undefined ? path(api("ray_shaders"), { object: pipeline() }) : null));
  const list = createMemo(() => (bound() ? stages(bound() as Bound, rays().data) : []));
  const stage = () => list().find((one) => one.id === chosen()) ?? list()[0];
  const object = useAnswer<ObjectAnswer>(() => (pipeline() === undefined ? null : path(api("object"), { object: pipeline() })));
  const desc = createMemo(() => {
    const creation = object().data?.report?.["creation"] as { [key: string]: Json } | undefined;
    return (creation?.["pDesc"] ?? creation) as { [key: string]: Json } | undefined;
  });
  useExport(() => ({ command: ["state", "TRACE", String(place().call)], json: async () => bound() }));
  const step = (by: number) => {
    const index = list().findIndex((one) => one.id === stage()?.id);
    const next = list()[(index + by + list().length) % list().length];
    if (next === undefined) return;
    setChosen(next.id);
    document.getElementById(`stage-${next.id}`)?.focus();
  };
  return (
    <Answered answer={state()}>
      {() => (
        <Show when={bound()} fallback={<Empty>Nothing is bound: this call is no draw or dispatch of a list.</Empty>}>
          {(all) => (
            <div class="pipeline">
              <p class="indent">
                Pipeline{" "}
                <Show when={all().pipeline} fallback={<span class="bad">none is set</span>}>
                  {(one) => (
                    <>
                      <ObjectLink object={one().object} call={place().call} />, set by <CallLink call={one().call} />
                    </>
                  )}
                </Show>
              </p>
              <Spent pipeline={all().pipeline?.object.id} />
              <Problem text={rays().error ?? rays().data?.problem ?? undefined} />
              <div
                class="flow"
                role="tablist"
                aria-label="Stages"
                onKeyDown={(event) => {
                  if (event.ctrlKey || (event.key !== "ArrowRight" && event.key !== "ArrowLeft")) return;
                  step(event.key === "ArrowRight" ? 1 : -1);
                  event.preventDefault();
                  event.stopPropagation();
                }}
              >
                <For each={list()}>
                  {(one) => (
                    <button role="tab" id={`stage-${one.id}`} aria-selected={one.id === stage()?.id} tabindex={one.id === stage()?.id ? 0 : -1} title={one.title} onClick={() => setChosen(one.id)}>
                      {one.id === "ROOT" ? "Root" : one.id}
                    </button>
                  )}
                </For>
              </div>
              <div class="scroll" role="group" aria-label={stage()?.title ?? "stage"}>
                <h3>{stage()?.title}</h3>
                <Switch>
                  <Match when={stage()?.id === "IA"}>
                    <Assembler bound={all()} desc={desc()} />
                  </Match>
                  <Match when={stage()?.id === "RS"}>
                    <Rasterizer bound={all()} desc={desc()} />
                  </Match>
                  <Match when={stage()?.id === "OM"}>
                    <Output bound={all()} desc={desc()} />
                  </Match>
                  <Match when={stage()?.id === "ROOT"}>
                    <Show when={all().graphics?.signature ?? all().compute?.signature} fallback={<Empty>No root signature is set.</Empty>}>
                      {(signature) => <RootSignature object={signature().value} call={place().call} />}
                    </Show>
                  </Match>
                  <Match when={stage()?.exports} keyed>{(exports) => <RayShaders exports={exports} />}</Match>
                  <Match when={stage()?.hash}>
                    {(hash) => (
                      <>
                        <Show when={pipeline() !== undefined && place().call !== undefined && NAMES[stage()?.id ?? ""] !== undefined}>
                          <p class="indent"><EditShaderLink pipeline={pipeline() ?? 0} stage={stage()?.id ?? ""} hash={hash()} call={place().call ?? 0} /></p>
                        </Show>
                        <ShaderText hash={hash()} />
                      </>
                    )}
                  </Match>
                </Switch>
              </div>
            </div>
          )}
        </Show>
      )}
    </Answered>
  );
}

function Assembler(props: { bound: Bound; desc: { [key: string]: Json } | undefined }): JSX.Element {
  const elements = () => {
    const layout = props.desc?.["InputLayout"] as { pInputElementDescs?: Json } | undefined;
    return Array.isArray(layout?.pInputElementDescs) ? (layout.pInputElementDescs as { [key: string]: Json }[]) : [];
  };
  return (
    <>
      <p class="indent">
        {brief(props.bound.input?.topology?.value ?? "no topology is set")}, set by <CallLink call={props.bound.input?.topology?.call} />
      </p>
      <table class="plain">
        <thead>
          <tr><th>Buffer</th><th>Resource</th><th class="right">Offset</th><th class="right">Size</th><th>Stride or format</th><th class="right">Set by</th></tr>
        </thead>
        <tbody>
          <Show when={props.bound.input?.index}>
            {(index) => (
              <tr>
                <td>index</td>
                <td><Show when={index().location.resource} fallback="–">{(one) => <ObjectLink object={one()} call={place().call} />}</Show></td>
                <td class="right mono">{index().location.offset ?? 0}</td>
                <td class="right mono">{bytes(index().bytes)}</td>
                <td class="mono">{brief(index().format)}</td>
                <td class="right"><CallLink call={index().call} /></td>
              </tr>
            )}
          </Show>
          <For each={props.bound.input?.vertices ?? []}>
            {(buffer) => (
              <tr>
                <td>vertex {buffer.slot}</td>
                <td><Show when={buffer.location.resource} fallback="–">{(one) => <ObjectLink object={one()} call={place().call} />}</Show></td>
                <td class="right mono">{buffer.location.offset ?? 0}</td>
                <td class="right mono">{bytes(buffer.bytes)}</td>
                <td class="mono">{buffer.stride} bytes</td>
                <td class="right"><CallLink call={buffer.call} /></td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <h3>Input layout</h3>
      <Show when={elements().length > 0} fallback={<Empty>The pipeline has none.</Empty>}>
        <table class="plain">
          <thead>
            <tr><th>Semantic</th><th>Format</th><th class="right">Slot</th><th class="right">Offset</th><th>Steps</th></tr>
          </thead>
          <tbody>
            <For each={elements()}>
              {(element) => (
                <tr>
                  <td class="mono">{String(element["SemanticName"] ?? "")}{String(element["SemanticIndex"] ?? "")}</td>
                  <td class="mono">{brief(String(element["Format"] ?? ""))}</td>
                  <td class="right mono">{String(element["InputSlot"] ?? "")}</td>
                  <td class="right mono">{Number(element["AlignedByteOffset"]) === 0xffffffff ? "appended" : String(element["AlignedByteOffset"] ?? "")}</td>
                  <td class="mono">{String(element["InputSlotClass"] ?? "").includes("INSTANCE") ? `each ${String(element["InstanceDataStepRate"])} instances` : "each vertex"}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </Show>
    </>
  );
}

function Rasterizer(props: { bound: Bound; desc: { [key: string]: Json } | undefined }): JSX.Element {
  return (
    <>
      <table class="plain">
        <thead>
          <tr><th>Viewport</th><th class="right">X</th><th class="right">Y</th><th class="right">Width</th><th class="right">Height</th><th class="right">Depth</th></tr>
        </thead>
        <tbody>
          <For each={props.bound.output?.viewports?.value ?? []}>
            {(one, index) => (
              <tr>
                <td>{index()}</td>
                <td class="right mono">{one[0]}</td><td class="right mono">{one[1]}</td><td class="right mono">{one[2]}</td><td class="right mono">{one[3]}</td>
                <td class="right mono">{one[4]} to {one[5]}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Show when={!props.bound.output?.viewports?.value.length}>
        <p class="bad indent">No viewport is set: nothing is drawn.</p>
      </Show>
      <table class="plain">
        <thead>
          <tr><th>Scissor</th><th class="right">Left</th><th class="right">Top</th><th class="right">Right</th><th class="right">Bottom</th></tr>
        </thead>
        <tbody>
          <For each={props.bound.output?.scissors?.value ?? []}>
            {(one, index) => (
              <tr>
                <td>{index()}</td>
                <td class="right mono">{one[0]}</td><td class="right mono">{one[1]}</td><td class="right mono">{one[2]}</td><td class="right mono">{one[3]}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Show when={props.desc?.["RasterizerState"]}>{(state) => <><h3>Rasterizer state</h3><Value value={state()} /></>}</Show>
      <Show when={props.desc?.["SampleDesc"]}>{(state) => <><h3>Samples</h3><Value value={state()} /></>}</Show>
    </>
  );
}

function Output(props: { bound: Bound; desc: { [key: string]: Json } | undefined }): JSX.Element {
  const target = (one: Target, name: string, tab: string) => (
    <tr>
      <td>{name}</td>
      <td>
        <Show when={one.descriptor?.resource} fallback={<span class="bad">nothing</span>}>
          {(resource) => <ObjectLink object={resource()} call={place().call} />}
        </Show>
      </td>
      <td><Show when={one.heap} fallback="–">{(heap) => <><ObjectLink object={heap()} call={place().call} /> slot {one.slot}</>}</Show></td>
      <td class="right"><CallLink call={one.descriptor?.call} /></td>
      <td><a href={link({ tab: "targets", more: { target: tab } })}>picture</a></td>
    </tr>
  );
  return (
    <>
      <table class="plain">
        <thead>
          <tr><th>Target</th><th>Resource</th><th>Descriptor</th><th class="right">View by</th><th>Contents</th></tr>
        </thead>
        <tbody>
          <For each={props.bound.output?.targets?.value ?? []}>{(one, index) => target(one, `colour ${index()}`, String(index()))}</For>
          <Show when={props.bound.output?.depth}>{(one) => target(one(), "depth", "depth")}</Show>
        </tbody>
      </table>
      <Show when={props.desc?.["BlendState"]}>{(state) => <><h3>Blend state</h3><Value value={state()} depth={1} /></>}</Show>
      <Show when={props.desc?.["DepthStencilState"]}>{(state) => <><h3>Depth and stencil</h3><Value value={state()} depth={1} /></>}</Show>
    </>
  );
}
