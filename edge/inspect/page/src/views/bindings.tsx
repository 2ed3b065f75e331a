// What shaders reach at a call: root arguments down to the slots of tables and the resources in them.

import { createMemo, For, Show, type JSX } from "solid-js";
import { bindings, useState, type Binding } from "../bound.ts";
import { useExport } from "../export.tsx";
import { CallLink, ObjectLink } from "../names.tsx";
import { Answered, Empty } from "../notice.tsx";
import { place } from "../place.ts";
import { brief, hex } from "../text.ts";

export function Bindings(): JSX.Element {
  const state = useState();
  const list = createMemo(() => (state().data?.bound ? bindings(state().data?.bound ?? {}) : []));
  useExport(() => ({
    command: ["state", "TRACE", String(place().call)],
    table: async () => ({
      head: ["side", "parameter", "register", "kind", "resource", "offset", "heap", "slot", "view", "visibility", "set_by_call"],
      rows: list().map((row) => [row.side, row.parameter, row.register, row.kind, row.resource?.id, row.offset, row.heap?.id, row.slot, row.what, brief(row.visibility), row.call]),
    }),
    json: async () => ({ graphics: state().data?.bound?.graphics, compute: state().data?.bound?.compute }),
  }));
  return (
    <div class="scroll">
      <Answered answer={state()}>
        {() => (
          <Show when={list().length > 0} fallback={<Empty>No root arguments are set.</Empty>}>
            <table class="plain">
              <thead>
                <tr>
                  <th class="right">Param.</th>
                  <th>Register</th>
                  <th>Kind</th>
                  <th>Resource</th>
                  <th>Where and how</th>
                  <th>Stages</th>
                  <th class="right">Set by</th>
                </tr>
              </thead>
              <tbody>
                <For each={list()}>{(row) => <BindingRow row={row} />}</For>
              </tbody>
            </table>
          </Show>
        )}
      </Answered>
    </div>
  );
}

function BindingRow(props: { row: Binding }): JSX.Element {
  const missing = () => props.row.resource === null && !["constants", "sampler"].includes(props.row.kind);
  return (
    <tr>
      <td class="right mono">{props.row.parameter}</td>
      <td class="mono">{props.row.register}</td>
      <td>{props.row.kind}</td>
      <td>
        <Show when={props.row.resource} fallback={<span classList={{ bad: missing() }}>{missing() ? "nothing" : "–"}</span>}>
          {(one) => <ObjectLink object={one()} call={place().call} />}
        </Show>
      </td>
      <td>
        <Show when={props.row.words} fallback={<span class="mono">{props.row.what}</span>}>
          {(words) => (
            <span class="mono words">
              <For each={words()}>{(word) => <span title={word === null ? "never set" : floatOf(word)}>{word === null ? "–" : hex(word)} </span>}</For>
            </span>
          )}
        </Show>
        <Show when={props.row.offset !== null}>
          <span class="mono"> +{props.row.offset}</span>
        </Show>
        <Show when={props.row.heap}>
          {(heap) => (
            <span class="faint">
              {" "}
              <ObjectLink object={heap()} call={place().call} /> slot {props.row.slot}
            </span>
          )}
        </Show>
      </td>
      <td>{brief(props.row.visibility).toLowerCase()}</td>
      <td class="right">
        <CallLink call={props.row.call} />
      </td>
    </tr>
  );
}

/** A word as the integer and the float that it may be. */
function floatOf(word: number): string {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, word >>> 0);
  return `${word >>> 0} or ${view.getFloat32(0)}`;
}
