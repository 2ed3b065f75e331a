// The shaders of the state object that a dispatch of rays has: its exports of a kind, and the code of one of their shaders.

import { createMemo, createSignal, For, Show, type JSX } from "solid-js";
import type { RayExport, RayShader } from "../api.ts";
import { link } from "../place.ts";
import { ShaderText } from "./shaders.tsx";

const STAGES: Readonly<Record<string, string>> = {
  raygeneration: "ray generation", miss: "miss", callable: "callable", anyhit: "any-hit", closesthit: "closest-hit", intersection: "intersection",
};

interface Row {
  readonly one: RayExport;
  readonly shader: RayShader | undefined;
}

/** A row for each shader, and for a hit group that has none. */
export function RayShaders(props: { exports: readonly RayExport[] }): JSX.Element {
  const rows = createMemo(() => props.exports.flatMap((one): Row[] => (one.shaders.length > 0 ? one.shaders.map((shader) => ({ one, shader })) : [{ one, shader: undefined }])));
  const [chosen, setChosen] = createSignal(0);
  const shown = () => (rows()[chosen()] ?? rows()[0])?.shader;
  return (
    <>
      <div class="scroll short" role="region" aria-label="Exports and their shaders" tabindex={0}>
        <table class="plain">
          <thead>
            <tr><th>Export</th><th>Stage</th><th>Shader</th><th>Library</th><th>Code</th></tr>
          </thead>
          <tbody>
            <For each={rows()}>
              {(row, index) => (
                <tr>
                  <td class="mono"><bdi>{row.one.name}</bdi></td>
                  <td>{row.shader ? (STAGES[row.shader.stage] ?? row.shader.stage) : ""}</td>
                  <td class="mono"><bdi>{row.shader?.name ?? "no shader"}</bdi></td>
                  <td class="mono"><Show when={row.shader?.library}>{(hash) => <a href={link({ view: "shaders", more: { hash: hash() } })} title={hash()}>{hash().slice(0, 8)}</a>}</Show></td>
                  <td>
                    <Show when={row.shader?.library} fallback={<span class="faint">{row.shader ? "no library has it" : ""}</span>}>
                      <button aria-pressed={row.shader === shown()} aria-label={`Show the code of ${row.shader?.name ?? ""}, of ${row.one.name}`} onClick={() => setChosen(index())}>Show</button>
                    </Show>
                  </td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
      <Show when={shown()?.library} keyed>
        {(hash) => <ShaderText hash={hash} entry={shown()?.entry ?? undefined} />}
      </Show>
    </>
  );
}
