// The trace itself: where it is from, what it lacks, where it is damaged.

import { For, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import type { Json } from "../api.ts";
import { useExport } from "../export.tsx";
import { CallLink } from "../names.tsx";
import { Answered } from "../notice.tsx";
import { api, trace } from "../place.ts";
import { bytes, grouped, time } from "../text.ts";
import { Value } from "../value.tsx";

export function TraceView(): JSX.Element {
  const info = useAnswer<{ [key: string]: Json }>(() => api("info"));
  const methods = useAnswer<{ items: { method: string; kind: string; calls: number }[] }>(() => api("methods"));
  useExport(() => ({
    command: ["info", "TRACE"],
    table: async () => ({ head: ["method", "kind", "calls"], rows: (methods().data?.items ?? []).map((one) => [one.method, one.kind, one.calls]) }),
    json: async () => info().data,
  }));
  return (
    <div class="scroll page">
      <Show when={trace()}>
        {(one) => (
          <>
            <h2><bdi>{one().file}</bdi></h2>
            <dl class="facts">
              <dt>Path</dt><dd class="mono">{one().path}</dd>
              <dt>Program</dt><dd><bdi>{(one().arguments ?? [one().program ?? ""]).join(" ")}</bdi></dd>
              <dt>Adapter</dt><dd><bdi>{one().adapter ?? "not known"}</bdi></dd>
              <dt>Size</dt><dd>{bytes(one().bytes)}, {grouped(one().calls)} calls, {grouped(one().frames)} {one().divided ? "submissions (nothing ended a frame)" : "frames"}{one().frame_boundary === null ? "" : ` (they end with ${one().frame_boundary})`}, {time(one().duration_ns)}</dd>
              <dt>Identity</dt><dd class="mono">{one().identity}</dd>
              <dt>Replay</dt><dd>{one().replay.error ?? one().replay.program ?? "none"}, on <bdi>{one().replay.on.label}</bdi></dd>
            </dl>
            <Show when={!one().complete || one().damage.places > 0}>
              <h3 class="bad">Damage</h3>
              <p class="indent">{one().part ? `The trace is ${one().part}. ` : ""}{grouped(one().damage.places)} places cannot be read. Everything else is shown.</p>
              <table class="plain">
                <thead><tr><th class="right">Offset</th><th>Where</th><th>What</th></tr></thead>
                <tbody>
                  <For each={one().damage.list}>{(place) => <tr><td class="right mono">{place.offset}</td><td>{place.place}</td><td>{place.what}</td></tr>}</For>
                </tbody>
              </table>
              <Show when={one().damage.more > 0}><p class="faint indent">and {grouped(one().damage.more)} more</p></Show>
            </Show>
            <Show when={one().gaps.length > 0}>
              <h3>What is missing</h3>
              <table class="plain">
                <thead><tr><th class="right">After call</th><th class="right">Frame</th><th class="right">Thread</th><th>What</th></tr></thead>
                <tbody>
                  <For each={one().gaps.slice(0, 1000)}>
                    {(gap) => <tr><td class="right"><CallLink call={gap.after_call} /></td><td class="right mono">{gap.frame}</td><td class="right mono">{gap.thread}</td><td>{gap.reason}{gap.text && gap.text !== gap.reason ? `: ${gap.text}` : ""}</td></tr>}
                  </For>
                </tbody>
              </table>
            </Show>
            <h3>Threads</h3>
            <table class="plain">
              <thead><tr><th class="right">Thread</th><th>Name</th><th class="right">Calls</th></tr></thead>
              <tbody>
                <For each={one().threads}>{(thread) => <tr><td class="right mono">{thread.thread}</td><td><bdi>{thread.name ?? ""}</bdi></td><td class="right mono">{grouped(thread.calls)}</td></tr>}</For>
              </tbody>
            </table>
          </>
        )}
      </Show>
      <h3>Methods</h3>
      <Answered answer={methods()}>
        {(data) => (
          <table class="plain">
            <thead><tr><th class="right">Calls</th><th>Method</th><th>Kind</th></tr></thead>
            <tbody>
              <For each={data().items}>{(one) => <tr><td class="right mono">{grouped(one.calls)}</td><td>{one.method}</td><td>{one.kind}</td></tr>}</For>
            </tbody>
          </table>
        )}
      </Answered>
      <h3>All that the file says</h3>
      <Answered answer={info()}>{(data) => <Value value={data()} depth={0} />}</Answered>
    </div>
  );
}
