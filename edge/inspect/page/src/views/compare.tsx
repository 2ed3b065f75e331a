// Two traces side by side, the first difference first; pictures with a slider and a difference.

import { createEffect, createMemo, createSignal, Match, Show, Switch, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import type { Difference, Line } from "../api.ts";
import { useExport } from "../export.tsx";
import { useItems } from "../items.ts";
import { useJob } from "../job.ts";
import { Cell, List } from "../list.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { go, place, replays, traces } from "../place.ts";
import { Split } from "../split.tsx";
import { Value } from "../value.tsx";
import { BothTargets } from "./both.tsx";
import { ChangeTable, pathText } from "./changes.tsx";
import { FramePictures, FrameStrip } from "./presented.tsx";
import { Replays } from "./replays.tsx";

interface Frames {
  same: boolean;
  adapters: (string | null)[];
  frames: { frame: number; a: string | null; b: string | null; equal: boolean | null }[];
  first_different_frame: number | null;
}

const COLUMNS = [
  { title: "Change", width: "76px" },
  { title: "Call of A", width: "76px", right: true },
  { title: "Call of B", width: "76px", right: true },
  { title: "Method", width: "minmax(140px, 1fr)" },
  { title: "What", width: "minmax(120px, 1.4fr)" },
];

export function Compare(): JSX.Element {
  return (
    <Show when={traces().length > 1} fallback={<Empty>One trace is open. `reprise inspect A --compare B` opens two, `reprise inspect --replay A` plays one twice.</Empty>}>
      <Show when={replays()} fallback={<Both />}>
        <Replays />
      </Show>
    </Show>
  );
}

function Both(): JSX.Element {
  const frames = useAnswer<Frames>(() => "api/compare");
  const job = useJob(() => ({ t: 0, body: { kind: "diff" } }));
  const list = useItems<Difference>(job);
  createEffect(() => list()?.want(0, 1));
  const [chosen, setChosen] = createSignal<number | null>(null);
  // The first difference comes first: it is chosen as soon as it is known.
  createEffect(() => {
    if (chosen() === null && (list()?.total() ?? 0) > 0) setChosen(0);
  });
  const one = createMemo(() => (chosen() === null ? undefined : list()?.item(chosen() as number)));
  /** The first difference in what both do. */
  const first = () => list()?.item(0);
  const names = () => traces().map((trace) => trace.path);
  useExport(() => ({
    command: ["diff", ...names()],
    table: async () => {
      const rows = (await list()?.read(0, 10_000)) ?? [];
      return { head: ["difference", "call_a", "call_b", "method", "what"], rows: rows.map((row) => [row.difference, row.a?.call, row.b?.call, (row.a ?? row.b)?.method, summary(row)]) };
    },
    json: async () => list()?.read(0, 10_000),
  }));
  const shown = () => (["pictures", "targets"] as const).find((tab) => tab === place().tab) ?? "calls";
  return (
    <div class="stack">
      <div class="toolbar">
        <div class="modes" role="group" aria-label="What is compared">
          <button aria-pressed={shown() === "calls"} onClick={() => go({ tab: undefined }, true)}>Calls</button>
          <button aria-pressed={shown() === "pictures"} onClick={() => go({ tab: "pictures" }, true)}>Frames</button>
          <button aria-pressed={shown() === "targets"} onClick={() => go({ tab: "targets" }, true)}>Targets</button>
        </div>
        <span><b>A</b> <bdi>{traces()[0]?.file}</bdi></span>
        <span><b>B</b> <bdi>{traces()[1]?.file}</bdi></span>
        <Show when={frames().data}>
          {(data) => (
            <span role="status">
              {data().first_different_frame === null ? (data().frames.some((frame) => frame.equal) ? "All frames that have hashes are equal." : "No frame has a hash in both.") : `Frame ${data().first_different_frame} is the first that differs.`}
            </span>
          )}
        </Show>
      </div>
      <Show when={frames().data}>{(data) => <FrameStrip frames={data().frames} unknown="no hashes" />}</Show>
      <Problem text={frames().error} />
      <Switch>
        <Match when={shown() === "pictures"}>
          <FramePictures frame={place().frame ?? frames().data?.first_different_frame ?? 1} />
        </Match>
        <Match when={shown() === "targets"}>
          <BothTargets first={[first()?.a?.call, first()?.b?.call]} aligned={job().state?.state === "done"} />
        </Match>
        <Match when={shown() === "calls"}>
          <Progress job={job()} what="Comparing call by call" />
          <Show when={job().state?.state === "done" && job().state?.found === 0}>
            <Empty>The traces make the same calls.</Empty>
          </Show>
          <Show when={list()}>
            {(all) => (
              <Split
                name="differences and difference"
                down
                start={0.45}
                first={
                  <List
                    label="Differences"
                    count={all().total()}
                    columns={COLUMNS}
                    selected={chosen()}
                    onSelect={setChosen}
                    onOpen={(row) => {
                      const difference = all().item(row);
                      if (difference?.a) go({ view: "calls", t: 0, call: difference.a.call });
                      else if (difference?.b) go({ view: "calls", t: 1, call: difference.b.call });
                    }}
                    onWindow={(first, count) => all().want(first, count)}
                  >
                    {(row) => {
                      const item = () => all().item(row());
                      return (
                        <>
                          <Cell><span class={`change ${item()?.difference ?? ""}`}>{item()?.difference}</span></Cell>
                          <Cell right mono>{item()?.a?.call ?? ""}</Cell>
                          <Cell right mono>{item()?.b?.call ?? ""}</Cell>
                          <Cell>{(item()?.a ?? item()?.b)?.method?.replace(/^ID3D12/, "")}</Cell>
                          <Cell mono>{item() ? summary(item() as Difference) : ""}</Cell>
                        </>
                      );
                    }}
                  </List>
                }
                second={<Show when={one()} fallback={<Empty>Choose a difference.</Empty>}>{(difference) => <Sides difference={difference()} />}</Show>}
              />
            )}
          </Show>
        </Match>
      </Switch>
    </div>
  );
}

function summary(one: Difference): string {
  if (one.changes?.length) return one.changes.map((change) => `${pathText(change.path)}: ${JSON.stringify(change.a)} → ${JSON.stringify(change.b)}`).join("; ");
  return one.difference === "removed" ? "only in A" : one.difference === "added" ? "only in B" : "";
}

function Sides(props: { difference: Difference }): JSX.Element {
  const side = (name: string, t: number, line: Line | null) => (
    <section class="side" aria-label={`Trace ${name}`}>
      <h2>
        {name} <Show when={line} fallback={<span class="faint">has no such call</span>}>
          {(one) => (
            <button class="small" onClick={() => go({ view: "calls", t, call: one().call })}>
              call {one().call}
            </button>
          )}
        </Show>
      </h2>
      <Show when={line}>
        {(one) => (
          <>
            <p class="indent">{one().method}, frame {one().frame}, thread {one().thread}</p>
            <Value value={one().args} />
            <p class="indent">Result <span class="value">{JSON.stringify(one().result)}</span></p>
          </>
        )}
      </Show>
    </section>
  );
  return (
    <div class="scroll">
      <Show when={props.difference.changes?.length}>
        <ChangeTable changes={props.difference.changes ?? []} heads={["A", "B"]} />
      </Show>
      <p class="indent">
        <button onClick={() => go({ tab: "targets", call: props.difference.a?.call, more: { b: props.difference.b?.call.toString() } })}>Compare the targets of these calls</button>
      </p>
      <div class="sides">
        {side("A", 0, props.difference.a)}
        {side("B", 1, props.difference.b)}
      </div>
    </div>
  );
}
