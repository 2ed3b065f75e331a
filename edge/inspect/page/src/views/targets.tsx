// What a call wrote, as pictures: its targets after it.

import { createMemo, For, Show, type JSX } from "solid-js";
import { useState } from "../bound.ts";
import { Answered, Empty } from "../notice.tsx";
import { go, place } from "../place.ts";
import { PictureView } from "./picture.tsx";

export function Targets(): JSX.Element {
  const state = useState();
  const list = createMemo(() => {
    const output = state().data?.bound?.output;
    const colours = (output?.targets?.value ?? []).map((one, index) => ({ id: String(index), title: `Colour ${index}`, resource: one.descriptor?.resource ?? null }));
    return [...colours, ...(output?.depth ? [{ id: "depth", title: "Depth", resource: output.depth.descriptor?.resource ?? null }] : [])];
  });
  const chosen = () => list().find((one) => one.id === place().more["target"]) ?? list()[0];
  return (
    <Answered answer={state()}>
      {() => (
        <div class="stack">
          <Show when={list().length > 0} fallback={<CallPicture />}>
            <div class="toolbar" role="group" aria-label="Targets">
              <For each={list()}>
                {(one) => (
                  <button aria-pressed={one.id === chosen()?.id} onClick={() => go({ more: { target: one.id } }, true)}>
                    {one.title} {one.resource ? `#${one.resource.id}` : ""}
                  </button>
                )}
              </For>
            </div>
            <Show when={chosen()} keyed>
              {(one) => (
                <PictureView
                  question={{ target: one.id === "depth" ? "depth" : Number(one.id) }}
                  command={["show", "TRACE", "--call", String(place().call), "--target", one.id]}
                />
              )}
            </Show>
          </Show>
        </div>
      )}
    </Answered>
  );
}

/** A clear or a copy has no bound targets: the server knows what it writes. */
function CallPicture(): JSX.Element {
  return (
    <Show when={place().call} fallback={<Empty>Choose a call.</Empty>}>
      <PictureView question={{ target: 0 }} command={["show", "TRACE", "--call", String(place().call), "--target", "0"]} />
    </Show>
  );
}
