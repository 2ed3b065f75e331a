// Calls: as the tree of a frame, as the list of all, or as what a search found; beside them the call that is chosen.

import { createEffect, createMemo, createSignal, For, Match, on, Show, Switch, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { get, path, type Call } from "../api.ts";
import { useExport } from "../export.tsx";
import { options, parse, type Filter } from "../filter.ts";
import { useItems } from "../items.ts";
import { useJob } from "../job.ts";
import { Kind } from "../kind.tsx";
import { Cell, List, type Column } from "../list.tsx";
import { shortClass } from "../names.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { pages, type Pages } from "../pages.ts";
import { api, go, place, trace } from "../place.ts";
import { Split } from "../split.tsx";
import { grouped, time } from "../text.ts";
import { CallView } from "./call.tsx";
import { Heat, useFrameOf } from "./heat.tsx";
import { Tree } from "./tree.tsx";

const COLUMNS: Column[] = [
  { title: "Call", width: "84px", right: true },
  { title: "Kind", width: "38px" },
  { title: "Object", width: "minmax(70px, 22%)" },
  { title: "Method and arguments", width: "minmax(160px, 1fr)" },
  { title: "Result", width: "56px" },
  { title: "Time", width: "84px", right: true },
  { title: "Frame", width: "52px", right: true },
  { title: "Th.", width: "32px", right: true },
];

const HEAD = ["call", "frame", "thread", "time_ns", "object", "method", "arguments", "result"];

function cells(call: Call): (string | number | null | undefined)[] {
  return [call.call, call.frame, call.thread, call.time_ns, call.this?.id, `${call.interface ? `${call.interface}::` : ""}${call.method ?? ""}`, call.text, call.result];
}

export type Mode = "tree" | "list" | "found";

export function mode(): Mode {
  const text = place().more["mode"];
  if (place().more["q"] && text !== "tree" && text !== "list") return "found";
  return text === "list" || text === "found" ? text : "tree";
}

/** Goes to the next or last call that acts. */
export async function stepAction(step: 1 | -1): Promise<void> {
  const call = place().call;
  const from = call === undefined ? -1 : (await get<{ row: number | null }>(path(api("row"), { call }))).row;
  const next = await get<{ row: number | null }>(path(api("row"), { next: "action", from: from ?? -1, step }));
  if (next.row === null) return;
  const rows = await get<{ items: Call[] }>(path(api("rows"), { first: next.row, count: 1 }));
  const found = rows.items[0];
  if (found) go({ view: "calls", call: found.call }, true);
}

/** Set by the list of what a search found: F3 works wherever the focus is. */
export const finder: { step?: (by: 1 | -1) => void } = {};

export function Calls(): JSX.Element {
  return (
    <Split
      name="calls and call"
      start={0.56}
      first={
        <div class="stack">
          <Search />
          <Switch>
            <Match when={mode() === "tree"}>
              <Show when={trace()?.measured}><FrameHeat /></Show>
              <Tree />
            </Match>
            <Match when={mode() === "list"}>
              <FlatList />
            </Match>
            <Match when={mode() === "found"}>
              <Found />
            </Match>
          </Switch>
        </div>
      }
      second={
        <Show when={place().call} fallback={<Empty>Choose a call. Ctrl-G goes to one by its number.</Empty>}>
          <CallView />
        </Show>
      }
    />
  );
}

/** The operations of the frame that is shown. */
function FrameHeat(): JSX.Element {
  const of = useFrameOf(() => place().call);
  return <Heat frame={of() ?? place().frame ?? 1} onChoose={(call) => go({ call }, true)} />;
}

function Search(): JSX.Element {
  const [typed, setTyped] = createSignal(place().more["q"] ?? "");
  const [wrong, setWrong] = createSignal<string>();
  createEffect(on(() => place().more["q"], (text) => setTyped(text ?? "")));
  const submit = (event: Event) => {
    event.preventDefault();
    const text = typed().trim();
    // A number is a call, as in other tools.
    if (/^\d+$/.test(text)) {
      go({ call: Number(text), more: { q: undefined } });
      return;
    }
    const filter = parse(text);
    setWrong(typeof filter === "string" ? filter : undefined);
    if (typeof filter !== "string") go({ more: text === "" ? { q: undefined, mode: "list" } : { q: text, mode: "found" } });
  };
  return (
    <>
      <form class="toolbar" role="search" onSubmit={submit}>
        <div class="modes" role="group" aria-label="How calls are shown">
          <For each={[["tree", "Tree"], ["list", "List"], ["found", "Found"]] as const}>
            {([id, title]) => (
              <button type="button" aria-pressed={mode() === id} onClick={() => go({ more: { mode: id } })}>
                {title}
              </button>
            )}
          </For>
        </div>
        <input
          id="search"
          type="search"
          aria-label="Search calls"
          placeholder="method:Draw* object:12 frame:3-7 kind:copy text, or a call's number"
          autocomplete="off"
          spellcheck={false}
          value={typed()}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <button type="submit">Search</button>
        <button type="button" title="Ctrl-←" aria-label="Last action" onClick={() => void stepAction(-1)}>◂</button>
        <button type="button" title="Ctrl-→" aria-label="Next action" onClick={() => void stepAction(1)}>▸</button>
      </form>
      <Problem text={wrong()} />
    </>
  );
}

function Rows(props: { list: Pages<Call>; label: string; selected: number | null; empty: string }): JSX.Element {
  return (
    <>
      <Problem text={props.list.error()} />
      <List
        label={props.label}
        count={props.list.total()}
        columns={COLUMNS}
        selected={props.selected}
        onSelect={(row) => choose(props.list, row)}
        onWindow={(first, count) => props.list.want(first, count)}
        empty={<Empty>{props.empty}</Empty>}
      >
        {(row) => <CallCells call={props.list.item(row())} />}
      </List>
    </>
  );
}

/** The row whose call is on its way, so that keys held down move on from it. */
const [pending, setPending] = createSignal<number | null>(null);
/** Whether that call was not read yet when its row was chosen. */
let unread = false;

function choose(list: Pages<Call>, row: number): void {
  const call = list.item(row)?.call;
  unread = call === undefined;
  setPending(row);
  if (call !== undefined) go({ call }, true);
}

export function CallCells(props: { call: Call | undefined }): JSX.Element {
  return (
    <>
      <Cell right mono>{props.call?.call ?? ""}</Cell>
      <Cell>
        <Show when={props.call}>{(call) => <Kind kind={call().kind} />}</Show>
      </Cell>
      <Cell>
        <Show when={props.call?.this}>
          {(one) => (
            <span class="object">
              <bdi>{one().name || shortClass(one().class)}</bdi>
              <span class="id">#{one().id}</span>
            </span>
          )}
        </Show>
      </Cell>
      <Cell title={props.call?.text ?? undefined}>
        <Show when={props.call?.error} fallback={<><b>{props.call?.method}</b> <span class="arguments">{props.call?.text}</span></>}>
          <span class="bad">cannot be read: {props.call?.error}</span>
        </Show>
      </Cell>
      <Cell>
        <Show when={props.call?.returned === false} fallback={<span classList={{ bad: /^(E_|DXGI_ERROR|D3D12_ERROR|0x8)/.test(props.call?.result ?? "") }}>{props.call?.result}</span>}>
          <span class="bad">never</span>
        </Show>
      </Cell>
      <Cell right mono>{props.call?.time_ns == null ? "" : time(props.call.time_ns)}</Cell>
      <Cell right mono>{props.call?.frame}</Cell>
      <Cell right mono>{props.call?.thread}</Cell>
    </>
  );
}

/** The most rows that are copied at once. */
const COPIED = 10_000;

function offerRows(list: () => Pages<Call>, from: () => number): { table: () => Promise<{ head: string[]; rows: (string | number | null | undefined)[][]; more?: string }>; json: () => Promise<unknown> } {
  const read = () => list().read(from(), COPIED);
  return {
    table: async () => {
      const rows = await read();
      return { head: HEAD, rows: rows.map(cells), more: `from row ${grouped(from() + 1)} of ${grouped(list().total())}` };
    },
    json: read,
  };
}

export function FlatList(): JSX.Element {
  const list = createMemo(() => {
    const prefix = api("rows");
    return pages<Call>((first, count) => path(prefix, { first, count }), trace()?.rows ?? 0);
  });
  // Calls and rows are one number apart in most traces; in a trace that was cut out of another one they are not.
  const row = useAnswer<{ row: number | null }>(() => (place().call === undefined ? null : path(api("row"), { call: place().call })));
  const selected = createMemo(() => {
    const waiting = pending();
    if (waiting !== null) {
      const call = list().item(waiting)?.call;
      if (call === undefined || call === place().call) return waiting;
    }
    return place().call === undefined ? null : (row().data?.row ?? null);
  });
  // A row that was chosen before it was read: the end of the list, for one.
  createEffect(() => {
    const waiting = pending();
    const call = waiting === null ? undefined : list().item(waiting)?.call;
    if (call === undefined || !unread) return;
    unread = false;
    go({ call }, true);
  });
  useExport(() => ({
    command: ["dump", ...(place().call === undefined ? [] : ["--calls", `${place().call}-`]), "TRACE"],
    ...offerRows(list, () => selected() ?? 0),
  }));
  return <Rows list={list()} label="All calls" selected={selected()} empty="This trace has no calls." />;
}

function Found(): JSX.Element {
  const filter = createMemo(() => parse(place().more["q"] ?? ""));
  const job = useJob(() => {
    const wanted = filter();
    if (typeof wanted === "string" || (place().more["q"] ?? "") === "") return null;
    return { t: trace()?.t ?? 0, body: { kind: "search", ...wanted, ...bounded(wanted) } };
  });
  const list = useItems<Call>(job);
  const [chosen, setChosen] = createSignal<number | null>(null);
  createEffect(on(filter, () => setChosen(null)));
  const select = (row: number) => {
    setChosen(row);
    const call = list()?.item(row)?.call;
    if (call !== undefined) go({ call }, true);
  };
  // An item that was not there when it was chosen.
  createEffect(() => {
    const row = chosen();
    const call = row === null ? undefined : list()?.item(row)?.call;
    if (call !== undefined) go({ call }, true);
  });
  finder.step = (by) => {
    const total = list()?.total() ?? 0;
    if (total > 0) select(((chosen() ?? (by > 0 ? -1 : 0)) + by + total) % total);
  };
  const made = () => {
    const wanted = filter();
    return options(typeof wanted === "string" ? {} : wanted);
  };
  useExport(() => ({
    command: ["dump", ...made().options, "TRACE"],
    ...(made().grep === null ? {} : { pipe: `grep -i -F -- '${(made().grep ?? "").replaceAll("'", `'\\''`)}'` }),
    ...(list() === null ? {} : offerRows(() => list() as Pages<Call>, () => 0)),
  }));
  return (
    <>
      <Progress job={job()} what="Searching" />
      <Show when={job().state?.state === "done"}>
        <p class="count" role="status">
          {grouped(job().state?.found ?? 0)} calls found{job().state?.more ? ", and more: narrow the search" : ""}. F3 goes to the next.
        </p>
      </Show>
      <Show when={list()} fallback={<Empty>Type what to look for. Keys are method, object, thread, frame, call and kind; other words are looked for in the text.</Empty>}>
        {(found) => (
          <>
            <Problem text={found().error()} />
            <List
              label="Calls found"
              count={found().total()}
              columns={COLUMNS}
              selected={chosen()}
              onSelect={select}
              onWindow={(first, count) => found().want(first, count)}
            >
              {(row) => <CallCells call={found().item(row())} />}
            </List>
          </>
        )}
      </Show>
    </>
  );
}

/** An open end is the trace's: the server takes both ends. */
function bounded(filter: Filter): object {
  const last = Number.MAX_SAFE_INTEGER;
  return {
    ...(filter.frames ? { frames: [filter.frames[0], filter.frames[1] ?? last] } : {}),
    ...(filter.calls ? { calls: [filter.calls[0], filter.calls[1] ?? last] } : {}),
  };
}
