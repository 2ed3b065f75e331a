// Two runs of `reprise time` beside each other: what takes longer in one of them, and whether that is sure.

import { createMemo, createSignal, For, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type Compared, type Comparison, type Measured, type OfTimes } from "../api.ts";
import { useExport } from "../export.tsx";
import { Kind } from "../kind.tsx";
import { Cell, List } from "../list.tsx";
import { CallLink, ObjectLink } from "../names.tsx";
import { Empty, Problem } from "../notice.tsx";
import { pages } from "../pages.ts";
import { api, go, place } from "../place.ts";
import { Split } from "../split.tsx";
import { grouped, time } from "../text.ts";

const columns = (by: string) => [
  { title: by === "pipeline" ? "First call" : "Call", width: "84px", right: true },
  { title: "A", width: "84px", right: true },
  { title: "B", width: "84px", right: true },
  { title: "B less A", width: "90px", right: true },
  { title: "Change", width: "64px", right: true },
  { title: "Sure", width: "96px" },
  { title: by === "pipeline" ? "Pipeline" : "Operation", width: "minmax(160px, 2fr)" },
  { title: by === "pipeline" ? "Operations" : "Markers", width: "minmax(90px, 1fr)", right: by === "pipeline" },
];

/** A difference with its sign. */
export function signed(ns: number): string {
  return `${ns < 0 ? "−" : "+"}${time(Math.abs(ns))}`;
}

export function percent(a: number | null, b: number | null): string {
  if (a === null || b === null || a <= 0) return "";
  const part = (b / a - 1) * 100;
  return `${part < 0 ? "−" : "+"}${Math.abs(part).toFixed(1)} %`;
}

export function Against(props: { about: Measured }): JSX.Element {
  const by = () => (place().more["by"] === "pipeline" ? "pipeline" : "operation");
  const sort = () => (place().more["sort"] === "cost" || place().more["sort"] === "call" ? place().more["sort"] : "difference");
  const frame = () => (by() === "operation" && place().more["of"] === "frame" ? place().frame : undefined);
  const list = createMemo(() => {
    const [rows, order, of] = [by(), sort(), frame()];
    const made = pages<Compared>((first, count) => path(api("costs/against"), { by: rows, sort: order, frame: of, first, count }));
    made.want(0, 1);
    return made;
  });
  const whole = useAnswer<Comparison>(() => path(api("costs/against"), { by: by(), first: 0, count: 0 }));
  const [chosen, setChosen] = createSignal<number | null>(null);
  const row = createMemo(() => (chosen() === null ? undefined : list().item(chosen() as number)));
  const change = (name: string, value: string) => {
    setChosen(null);
    go({ more: { [name]: value } }, true);
  };
  const unlike = () => {
    const [a, b] = [props.about, props.about.against];
    if (b == null) return undefined;
    if (a.serial !== b.serial) return `In ${a.serial ? "A" : "B"} each operation began once everything before it was done, in the other run not: their times say different things.`;
    if (a.by_operation !== b.by_operation) return `In ${a.by_operation ? "B" : "A"} lists were timed as wholes: no operation of it can be compared.`;
    return undefined;
  };
  const side = (name: string, of: OfTimes | undefined) => (
    <span>
      <b>{name}</b> <bdi>{of?.file}</bdi>{of?.runtime ? <>, <bdi>{of.runtime}</bdi></> : ""}: {time(of?.total_ns ?? 0)}, {of?.runs} replays
    </span>
  );
  const label = (one: Compared) => (by() === "pipeline" ? (one.pipeline ? "" : (one.what ?? "")) : one.method);
  useExport(() => ({
    command: ["time", "--against", "LIBRARY", "--by", by() === "pipeline" ? "pipeline" : "draw", "TRACE"],
    table: async () => {
      const all = await list().read(0, 10_000);
      return {
        head: ["call", "frame", "submission", "method", "pipeline", "markers", "operations", "a_ns", "b_ns", "difference_ns", "sure"],
        rows: all.map((one) => [one.call, one.frame, one.submission, one.method, one.pipeline?.id, one.markers.join(" > "), one.operations, one.a_ns, one.b_ns, one.difference_ns, one.sure]),
        ...(all.length < list().total() ? { more: `the first of ${list().total()}` } : {}),
      };
    },
    json: () => list().read(0, 10_000),
  }));
  return (
    <div class="stack">
      <div class="toolbar">
        {side("A", props.about as OfTimes)}
        {side("B", props.about.against ?? undefined)}
        <Show when={whole().data}>
          {(data) => (
            <strong role="status">
              {percent(data().a_total_ns, data().b_total_ns)} in all, {data().total_sure === null ? "which may be chance" : `surely ${data().total_sure}`}; of {grouped(data().compared)} rows {grouped(data().longer)} are surely longer in B and {grouped(data().shorter)} shorter
            </strong>
          )}
        </Show>
      </div>
      <div class="toolbar">
        <label>
          Rows{" "}
          <select value={by()} onChange={(event) => change("by", event.currentTarget.value)}>
            <option value="operation">operations</option>
            <option value="pipeline">pipelines</option>
          </select>
        </label>
        <label>
          Order{" "}
          <select value={sort()} onChange={(event) => change("sort", event.currentTarget.value)}>
            <option value="difference">by difference</option>
            <option value="cost">by cost</option>
            <option value="call">of submissions</option>
          </select>
        </label>
        <Show when={by() === "operation"}>
          <label>
            <input type="checkbox" checked={frame() !== undefined} disabled={place().frame === undefined} onChange={(event) => change("of", event.currentTarget.checked ? "frame" : "")} /> only frame {place().frame ?? ""}
          </label>
        </Show>
      </div>
      <Problem text={list().error() ?? unlike()} />
      <Split
        name="runs and row"
        start={0.74}
        first={
          <List
            label="Two runs"
            count={list().total()}
            columns={columns(by())}
            selected={chosen()}
            onSelect={setChosen}
            onOpen={(index) => {
              const call = list().item(index)?.call;
              if (call) go({ view: "calls", call, more: {} });
            }}
            onWindow={(first, count) => list().want(first, count)}
            empty={<Empty>{list().answered() ? "No operation was timed." : "Reading…"}</Empty>}
          >
            {(index) => {
              const one = () => list().item(index());
              const ns = (value: number | null | undefined) => (value === null || value === undefined ? "–" : time(value));
              return (
                <>
                  <Cell right><CallLink call={one()?.call} quiet /></Cell>
                  <Cell right mono>{one() ? ns(one()?.a_ns) : ""}</Cell>
                  <Cell right mono>{one() ? ns(one()?.b_ns) : ""}</Cell>
                  <Cell right mono>{one()?.difference_ns == null ? "" : signed(one()?.difference_ns ?? 0)}</Cell>
                  <Cell right mono>{percent(one()?.a_ns ?? null, one()?.b_ns ?? null)}</Cell>
                  <Cell><Show when={one()?.sure}>{(sure) => <b class={sure() === "longer" ? "bad" : "good"}>{sure()}</b>}</Show></Cell>
                  <Cell>
                    <Show when={one()}>
                      {(it) => (
                        <>
                          <Show when={by() === "operation"}><Kind kind={it().kind} /> </Show>
                          {label(it())}
                          <Show when={by() === "pipeline" && it().pipeline}>{(pipeline) => <ObjectLink object={pipeline()} call={it().call} quiet />}</Show>
                        </>
                      )}
                    </Show>
                  </Cell>
                  <Cell right={by() === "pipeline"} title={one()?.markers.join(" > ")}>{by() === "pipeline" ? grouped(one()?.operations ?? 0) : <bdi>{one()?.markers.join(" > ")}</bdi>}</Cell>
                </>
              );
            }}
          </List>
        }
        second={
          <div class="scroll" role="group" aria-label="Row">
            <Show when={row()} fallback={<Empty>Choose a row. Enter opens its call.</Empty>}>
              {(one) => (
                <>
                  <h2 class="indent">{by() === "pipeline" ? "Pipeline" : one().method}</h2>
                  <dl class="facts indent">
                    <dt>{by() === "pipeline" ? "First call" : "Call"}</dt>
                    <dd><CallLink call={one().call} /></dd>
                    <Show when={by() === "operation"}>
                      <dt>Submitted by</dt>
                      <dd><CallLink call={one().submission} />, frame {one().frame}</dd>
                    </Show>
                    <Show when={one().pipeline}>
                      {(pipeline) => <><dt>Pipeline</dt><dd><ObjectLink object={pipeline()} call={one().call} /></dd></>}
                    </Show>
                    <For each={[["A", one().a_ns, one().a_range], ["B", one().b_ns, one().b_range]] as const}>
                      {([name, ns, range]) => (
                        <>
                          <dt>{name}</dt>
                          <dd>{ns === null ? "is not in this run" : `${time(ns)}, of ${time(range?.[0] ?? 0)} to ${time(range?.[1] ?? 0)}`}</dd>
                        </>
                      )}
                    </For>
                    <dt>Difference</dt>
                    <dd>{one().difference_ns === null ? "none: it is in one run only" : `${signed(one().difference_ns ?? 0)}, ${percent(one().a_ns, one().b_ns)}; ${one().sure === null ? "it may be chance" : `B takes surely ${one().sure}`}`}</dd>
                  </dl>
                  <p class="none">Sure is what the ranks of the replays say (Mann and Whitney), with a chance of a thousandth for all rows together, and what is at least 1 % apart; or where every replay of one run took longer than every one of the other.</p>
                </>
              )}
            </Show>
          </div>
        }
      />
    </div>
  );
}
