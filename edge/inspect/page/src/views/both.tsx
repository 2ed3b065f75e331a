// What a call of A and a call of B wrote, as two pictures.
//
// The link names one call or both. Where it names one, the server says which call of the other trace stands beside it; two replays of one
// trace make the same calls.

import { createMemo, For, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path } from "../api.ts";
import type { State } from "../bound.ts";
import { useExport } from "../export.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { api, go, place, replays, traces } from "../place.ts";
import type * as pixels from "../pixels.ts";
import { PicturePair } from "./pair.tsx";
import { usePicture } from "./picture.tsx";
import { targetQuestion, targetsOf } from "./targets.tsx";

interface Beside {
  call: number | null;
  exact: boolean;
}

/** `first`: the calls of the first difference, for a link that names no call. `aligned`: the server knows which calls stand beside each other. */
export function BothTargets(props: { first: [number | undefined, number | undefined]; aligned: boolean }): JSX.Element {
  const named = createMemo((): [number | undefined, number | undefined] => {
    const [a, b] = [place().call, Number(place().more["b"]) || undefined];
    const one = a ?? b ?? props.first[0];
    if (replays()) return [one, one];
    return a === undefined && b === undefined ? props.first : [a, b];
  });
  const beside = useAnswer<Beside>(() => {
    const [a, b] = named();
    if (!props.aligned || (a === undefined) === (b === undefined)) return null;
    return path("api/compare/row", a === undefined ? { t: 1, call: b } : { t: 0, call: a });
  });
  const call = (t: 0 | 1) => named()[t] ?? beside().data?.call ?? undefined;
  const state = useAnswer<State>(() => (call(0) === undefined ? null : path(api("state", 0), { call: call(0) })));
  const targets = createMemo(() => targetsOf(state().data?.bound));
  const target = () => targets().find((one) => one.id === place().more["target"])?.id ?? targets()[0]?.id ?? "0";
  const picture = (t: 0 | 1) =>
    usePicture(() => {
      const own = call(t);
      // The state says which targets there are.
      if (own === undefined || state().busy) return null;
      return { t, body: { kind: "picture", call: own, ...targetQuestion(target()), mip: 0, slice: 0, plane: 0, sample: 0 } };
    });
  const [a, b] = [picture(0), picture(1)];
  const both = createMemo(() => {
    const [left, right] = [a.texels(), b.texels()];
    return left && right ? { a: left, b: right } : undefined;
  });
  useExport(() => ({
    command: ["show", traces()[0]?.path ?? "A", "--call", String(call(0) ?? ""), "--target", target(), "-o", "a.png"],
    json: async () => [a.picture(), b.picture()],
  }));
  const choose = (t: 0 | 1, text: string) => {
    const number = Number(text);
    const wanted = Number.isSafeInteger(number) && number > 0 ? number : undefined;
    if (replays()) go({ call: wanted, more: { b: undefined } }, true);
    else if (t === 0) go({ call: wanted }, true);
    else go({ more: { b: wanted?.toString() } }, true);
  };
  const field = (t: 0 | 1) => (
    <label>
      {replays() ? "call" : `call of ${"AB"[t]}`} <input class="number" type="number" min="1" value={call(t) ?? ""} onChange={(event) => choose(t, event.currentTarget.value)} />
    </label>
  );
  return (
    <div class="stack">
      <div class="toolbar" role="group" aria-label="Calls and target">
        {field(0)}
        <Show when={!replays()}>{field(1)}</Show>
        <Show when={beside().data && !beside().data?.exact}>
          <span class="warn">The other trace has no such call: this is the one in its place.</span>
        </Show>
        <For each={targets()}>
          {(one) => (
            <button aria-pressed={one.id === target()} onClick={() => go({ more: { target: one.id } }, true)}>
              {one.title}
            </button>
          )}
        </For>
      </div>
      <Problem text={beside().error ?? state().error} />
      <Show when={call(0) === undefined && call(1) === undefined}>
        <Empty>{replays() ? "Type the number of a call." : "Type the number of a call in A or in B."}</Empty>
      </Show>
      <Show when={call(0) !== undefined && a.texels() === undefined}><Progress job={a.job()} what="Replaying A" /></Show>
      <Show when={call(1) !== undefined && b.texels() === undefined}><Progress job={b.job()} what="Replaying B" /></Show>
      <Problem text={a.problem() ?? b.problem()} />
      <Show when={both()} keyed>
        {(pair: { a: pixels.Texels; b: pixels.Texels }) => <PicturePair a={pair.a} b={pair.b} what={replays() ? `Call ${call(0)}` : `Call ${call(0)} of A, ${call(1)} of B`} format={a.picture()?.format ?? ""} />}
      </Show>
    </div>
  );
}
