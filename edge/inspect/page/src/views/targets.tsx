// What a call wrote, as pictures: its targets after it.

import { createMemo, For, Show, type JSX } from "solid-js";
import type { ObjectName } from "../api.ts";
import { useState, type Bound } from "../bound.ts";
import { Answered, Empty } from "../notice.tsx";
import { go, link, place, replays, trace, traces } from "../place.ts";
import { PictureView } from "./picture.tsx";

export interface TargetChoice {
  /** As `reprise show --target` takes it. */
  readonly id: string;
  readonly title: string;
  readonly resource: ObjectName | null;
}

/** The targets that are bound. */
export function targetsOf(bound: Bound | null | undefined): TargetChoice[] {
  const output = bound?.output;
  const colours = (output?.targets?.value ?? []).map((one, index) => ({ id: String(index), title: `Colour ${index}`, resource: one.descriptor?.resource ?? null }));
  return [...colours, ...(output?.depth ? [{ id: "depth", title: "Depth", resource: output.depth.descriptor?.resource ?? null }] : [])];
}

/** A target as the job `picture` takes it. */
export function targetQuestion(id: string): { target: number | "depth" } {
  return { target: id === "depth" ? "depth" : Number(id) };
}

export function Targets(): JSX.Element {
  const state = useState();
  const list = createMemo(() => targetsOf(state().data?.bound));
  const chosen = () => list().find((one) => one.id === place().more["target"]) ?? list()[0];
  return (
    <Answered answer={state()}>
      {() => (
        <div class="stack">
          <Show when={traces().length > 1}>
            <p class="indent">
              <a href={link({ view: "compare", tab: "targets", ...(trace()?.t === 1 ? { call: undefined, more: { b: place().call?.toString() } } : {}) })}>Compare with the other {replays() ? "replay" : "trace"}</a>
            </p>
          </Show>
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
                  question={targetQuestion(one.id)}
                  draw
                  command={["show", "TRACE", "--call", String(place().call), ...(one.id === "depth" ? ["--depth"] : ["--target", one.id])]}
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
