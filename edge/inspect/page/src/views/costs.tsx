// What the GPU worked at, by what it cost: what `reprise time --save` measured, as a list, as boxes by markers, and beside another run.

import { createMemo, createSignal, For, Match, Show, Switch, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type Cost, type DriverCounter, type Measured, type Missing, type OfTimes } from "../api.ts";
import { useExport } from "../export.tsx";
import { Kind } from "../kind.tsx";
import { Cell, List } from "../list.tsx";
import { CallLink, ObjectLink } from "../names.tsx";
import { Empty, Problem } from "../notice.tsx";
import { pages } from "../pages.ts";
import { api, go, place } from "../place.ts";
import { Split } from "../split.tsx";
import { decimal, grouped, time } from "../text.ts";
import { Against } from "./against.tsx";
import { Flame } from "./flame.tsx";
import { Heat } from "./heat.tsx";

/** Counters of the driver that have a column; an operation names all of them. */
const DRIVER_COLUMNS = 4;

const columns = (counted: boolean, driver: readonly DriverCounter[]) => [
  { title: "Call", width: "84px", right: true },
  { title: "GPU time", width: "minmax(140px, 1fr)" },
  { title: "Share", width: "64px", right: true },
  { title: "Operation", width: "minmax(160px, 2fr)" },
  { title: "Markers", width: "minmax(100px, 2fr)" },
  ...(counted ? [{ title: "Vertices", width: "88px", right: true }, { title: "Pixels", width: "96px", right: true }, { title: "Samples", width: "96px", right: true }] : []),
  ...driver.map((one) => ({ title: one.name.slice(one.name.indexOf("/") + 1), width: "96px", right: true })),
];

const MODES = [["list", "Operations"], ["flame", "Markers"], ["against", "Two runs"]] as const;

export function Costs(): JSX.Element {
  const about = useAnswer<Measured>(() => path(api("times"), {}));
  const modes = () => MODES.filter(([id]) => id !== "against" || about().data?.against);
  const mode = () => modes().find(([id]) => id === place().more["mode"])?.[0] ?? "list";
  return (
    <div class="stack">
      <Show when={about().data?.measured}>
        <div class="toolbar">
          <div class="modes" role="group" aria-label="How costs are shown">
            <For each={modes()}>
              {([id, title]) => (
                <button aria-pressed={mode() === id} onClick={() => go({ more: { mode: id, sort: undefined, zoom: undefined, by: undefined } })}>
                  {title}
                </button>
              )}
            </For>
          </div>
          <strong>{time(about().data?.total_ns ?? 0)} of work on the GPU, the median of {about().data?.runs} replays{about().data?.serial ? ", each operation by itself" : ""}{about().data?.runtime ? <>, on <bdi>{about().data?.runtime}</bdi></> : ""}</strong>
        </div>
      </Show>
      <Problem text={about().error ?? about().data?.error ?? undefined} />
      <For each={lacking(about().data)}>{(text) => <Problem text={text} />}</For>
      <For each={missing(about().data)}>
        {(one) => (
          <p class="problem">
            {one.what}: {one.reason} (<For each={one.calls}>{(call, at) => <>{at() > 0 ? ", " : ""}<CallLink call={call} quiet /></>}</For>{one.count > one.calls.length ? ", …" : ""})
          </p>
        )}
      </For>
      <Show when={about().data?.measured} fallback={<Show when={!about().busy && !about().data?.error}><Empty>Nothing was measured of this trace yet. <code>reprise time --counters --save TRACE</code> does; then open it again.</Empty></Show>}>
        <Switch>
          <Match when={mode() === "list"}><Operations about={about().data as Measured} /></Match>
          <Match when={mode() === "flame"}><Flame wholes={about().data?.by_operation === false} /></Match>
          <Match when={mode() === "against"}><Against about={about().data as Measured} /></Match>
        </Switch>
      </Show>
    </div>
  );
}

/** What whoever compares times has to know: which are of a library that left work out. */
function lacking(about: Measured | undefined): string[] {
  const sides = [about, about?.against].flatMap((one) => (one?.left_out ? [{ file: one.file, left_out: one.left_out }] : []));
  return sides.map((one) => `${one.file} has times of less work, which are not faster: ${one.left_out}`);
}

/** What was not timed or not counted: sums are less than all there. */
function missing(about: Measured | undefined): (Missing & { what: string })[] {
  const of = (list: readonly Missing[] | undefined, what: string) => (list ?? []).map((one) => ({ ...one, what: `${grouped(one.count)} ${what}` }));
  const side = (one: OfTimes | Measured | null | undefined, file: string) => [...of(one?.untimed, `${one?.untimed?.reduce((sum, it) => sum + it.count, 0) === 1 ? "submission was" : "submissions were"} not timed${file}`), ...of(one?.uncounted, `not counted${file}`)];
  const other = about?.against;
  return other ? [...side(about, ` in ${about?.file}`), ...side(other, ` in ${other.file}`)] : side(about, "");
}

/** Operations by what they cost. */
function Operations(props: { about: Measured }): JSX.Element {
  const pipeline = () => Number(place().more["pipeline"]) || undefined;
  const frame = () => (place().more.of === "frame" ? place().frame : undefined);
  const sort = () => (place().more.sort === "call" ? "call" : "cost");
  // A list that changes gets pages of its own.
  const list = createMemo(() => {
    const [of, by, ran] = [frame(), sort(), pipeline()];
    const made = pages<Cost>((first, count) => path(api("costs"), { first, count, sort: by, frame: of, pipeline: ran }));
    made.want(0, 1);
    return made;
  });
  const [chosen, setChosen] = createSignal<number | null>(null);
  const counted = () => props.about.counted ?? false;
  const driver = () => props.about.driver_counters ?? [];
  const shown = () => driver().slice(0, DRIVER_COLUMNS);
  const cost = createMemo(() => (chosen() === null ? undefined : list().item(chosen() as number)));
  const longest = createMemo(() => {
    let most = 1;
    for (let at = 0; at < Math.min(list().total(), 200); at += 1) most = Math.max(most, list().item(at)?.gpu_ns ?? 0);
    return most;
  });
  const change = (name: string, value: string) => {
    setChosen(null);
    go({ more: { ...place().more, [name]: value } }, true);
  };
  useExport(() => ({
    command: ["time", ...(frame() === undefined ? [] : ["--frames", String(frame())]), "--counters", "TRACE"],
    table: async () => {
      const all = await list().read(0, 10_000);
      const names = [...new Set(all.flatMap((one) => Object.keys(one.counts)))];
      const counters = driver().map((one) => one.name);
      return {
        head: ["call", "frame", "submission", "method", "gpu_ns", "share", "pipeline", "markers", ...names, ...counters],
        rows: all.map((one) => [one.call, one.frame, one.submission, one.method, one.gpu_ns, one.share, one.pipeline?.id, one.markers.join(" > "), ...names.map((name) => one.counts[name]), ...counters.map((name) => one.driver_counts[name])]),
        ...(all.length < list().total() ? { more: `the first of ${list().total()}` } : {}),
      };
    },
    json: () => list().read(0, 10_000),
  }));
  return (
    <div class="stack">
      <Heat frame={frame()} onChoose={(call, open) => open && go({ view: "calls", call, more: {} })} />
      <div class="toolbar">
        <label>
          Order{" "}
          <select value={sort()} onChange={(event) => change("sort", event.currentTarget.value)}>
            <option value="cost">by cost</option>
            <option value="call">of submissions</option>
          </select>
        </label>
        <label>
          <input type="checkbox" checked={frame() !== undefined} disabled={place().frame === undefined} onChange={(event) => change("of", event.currentTarget.checked ? "frame" : "")} /> only frame {place().frame ?? ""}
        </label>
        <Show when={pipeline()}>
          {(id) => <button aria-pressed={true} title="Show what other pipelines ran, too" onClick={() => change("pipeline", "")}>only pipeline #{id()} ×</button>}
        </Show>
      </div>
      <Problem text={list().error()} />
      <Split
        name="operations and operation"
        start={0.72}
        first={
          <List
            label="Operations by cost"
            count={list().total()}
            columns={columns(counted(), shown())}
            selected={chosen()}
            onSelect={setChosen}
            onOpen={(row) => {
              const call = list().item(row)?.call;
              if (call) go({ view: "calls", call, more: {} });
            }}
            onWindow={(first, count) => list().want(first, count)}
            empty={<Empty>{!list().answered() ? "Reading…" : props.about.by_operation === false ? "Lists were timed as wholes: reprise time --by draw --save times each operation." : "No operation was timed."}</Empty>}
          >
            {(row) => {
              const one = () => list().item(row());
              const count = (name: string) => {
                const value = one()?.counts[name];
                return value === undefined ? "" : grouped(value);
              };
              return (
                <>
                  <Cell right><CallLink call={one()?.call} quiet /></Cell>
                  <Cell>
                    <Show when={one()?.gpu_ns !== null && one()}>
                      {(it) => (
                        <span class="meter">
                          <span class="fill" style={{ width: `${Math.min(100, ((it().gpu_ns ?? 0) / longest()) * 100)}%` }} />
                          <span class="figure">{time(it().gpu_ns ?? 0)}</span>
                        </span>
                      )}
                    </Show>
                  </Cell>
                  <Cell right mono>{one()?.share === null || one()?.share === undefined ? "" : `${((one()?.share ?? 0) * 100).toFixed(1)} %`}</Cell>
                  <Cell><Show when={one()}>{(it) => <><Kind kind={it().kind} /> {it().method}</>}</Show></Cell>
                  <Cell title={one()?.markers.join(" > ")}><bdi>{one()?.markers.join(" > ")}</bdi></Cell>
                  <Show when={counted()}>
                    <Cell right mono>{count("vertices")}</Cell>
                    <Cell right mono>{count("pixel_invocations")}</Cell>
                    <Cell right mono>{count("samples_passed")}</Cell>
                  </Show>
                  <For each={shown()}>
                    {(counter) => {
                      const value = () => one()?.driver_counts[counter.name];
                      return <Cell right mono title={`${counter.name}, ${counter.unit}: ${counter.about}`}>{typeof value() === "number" ? decimal(value() as number) : ""}</Cell>;
                    }}
                  </For>
                </>
              );
            }}
          </List>
        }
        second={
          <div class="scroll" role="group" aria-label="Operation">
            <Show when={cost()} fallback={<Empty>Choose an operation. Enter opens its call.</Empty>}>
              {(one) => (
                <>
                  <h2>{one().method}</h2>
                  <dl class="facts">
                    <dt>Call</dt>
                    <dd><CallLink call={one().call} /></dd>
                    <dt>Submitted by</dt>
                    <dd><CallLink call={one().submission} />, frame {one().frame}</dd>
                    <dt>List</dt>
                    <dd><ObjectLink object={one().list} call={one().call} /></dd>
                    <Show when={one().pipeline}>
                      {(pipeline) => (
                        <>
                          <dt>Pipeline</dt>
                          <dd><ObjectLink object={pipeline()} call={one().call} /></dd>
                        </>
                      )}
                    </Show>
                    <Show when={one().gpu_ns !== null}>
                      <dt>GPU time</dt>
                      <dd>{time(one().gpu_ns ?? 0)}</dd>
                    </Show>
                    <For each={Object.entries(one().counts)}>
                      {([name, value]) => (
                        <>
                          <dt>{name.replaceAll("_", " ")}</dt>
                          <dd>{grouped(value)}</dd>
                        </>
                      )}
                    </For>
                    <Show when={one().uncounted}>
                      {(reason) => (
                        <>
                          <dt>Not counted</dt>
                          <dd>{reason()}</dd>
                        </>
                      )}
                    </Show>
                    <For each={driver().filter((counter) => counter.name in one().driver_counts)}>
                      {(counter) => (
                        <>
                          <dt title={counter.about}><bdi>{counter.name}</bdi></dt>
                          <dd>{one().driver_counts[counter.name] === null ? "no number" : decimal(one().driver_counts[counter.name] ?? 0)} <span class="faint"><bdi>{counter.unit}</bdi></span></dd>
                        </>
                      )}
                    </For>
                  </dl>
                </>
              )}
            </Show>
          </div>
        }
      />
    </div>
  );
}
