// Objects: which there were, when each lived, and one of them.

import { createEffect, createMemo, createSignal, For, on, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type ObjectRow } from "../api.ts";
import { useExport } from "../export.tsx";
import { useJob } from "../job.ts";
import type { View } from "../link.ts";
import { Cell, List } from "../list.tsx";
import { CallLink, shortClass } from "../names.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { pages } from "../pages.ts";
import { api, go, place, trace } from "../place.ts";
import { Split } from "../split.tsx";
import { brief, bytes } from "../text.ts";
import { ObjectView } from "./object.tsx";
import { kindText } from "./usage.tsx";

const SORTS: Readonly<Record<string, string>> = { bytes: "size", written: "last write" };

/** The classes that a view is about; as patterns of `dump`. */
const CLASSES: Partial<Record<View, string>> = { resources: "ID3D12Resource*", heaps: "ID3D12Heap*", descriptors: "ID3D12DescriptorHeap*" };

const COLUMNS: readonly { title: string; width: string; right?: boolean }[] = [
  { title: "Id", width: "60px", right: true },
  { title: "Name", width: "minmax(90px, 1fr)" },
  { title: "What it is", width: "minmax(110px, 1.4fr)" },
  { title: "Size", width: "72px", right: true },
  { title: "Created", width: "68px", right: true },
  { title: "Released", width: "78px", right: true },
  { title: "Last write", width: "minmax(96px, 0.8fr)" },
  { title: "Life", width: "minmax(80px, 0.8fr)" },
];

export function Objects(): JSX.Element {
  const view = place().view;
  const [name, setName] = createSignal(place().more["name"] ?? "");
  createEffect(on(() => place().more["name"], (text) => setName(text ?? "")));
  const classes = useAnswer<{ items: { class: string; count: number }[] }>(() => (view === "objects" ? api("classes") : null));
  const asked = createMemo(() => {
    const more = place().more;
    const sort = more["sort"] ?? "id";
    return { class: CLASSES[view] ?? more["class"], name: more["name"], sort, ...(more["down"] ? { down: 1 } : {}), ...(more["alive"] ? { alive: place().call } : {}) };
  });
  const asText = createMemo(() => JSON.stringify(asked()));
  // Who wrote what last takes a walk through the trace, once.
  const wanted = () => view === "resources" && place().more["sort"] === "written";
  const job = useJob(() => (wanted() ? { t: trace()?.t ?? 0, body: { kind: "last_writes" } } : null));
  const known = createMemo(() => !wanted() || job().state?.state === "done");
  const list = createMemo(() => {
    asText();
    const prefix = api("objects");
    // Until that is known the list has another order.
    const filter = known() ? asked() : { ...asked(), sort: "id" };
    const made = pages<ObjectRow>((first, count) => path(prefix, { ...filter, first, count }));
    made.want(0, 1);
    return made;
  });
  const [row, setRow] = createSignal<number | null>(null);
  createEffect(on(list, () => setRow(null)));
  const selected = createMemo(() => {
    const chosen = row();
    if (chosen !== null && list().item(chosen)?.id === place().object) return chosen;
    // An object of a link: where it is in what was read.
    for (let at = 0; at < Math.min(list().total(), 1000); at += 1) if (list().item(at)?.id === place().object) return at;
    return null;
  });
  useExport(() => ({
    command: place().object === undefined ? ["stat", "TRACE"] : ["state", "TRACE", String(place().call ?? trace()?.calls ?? 1), "--object", String(place().object)],
    table: async () => {
      const rows = await list().read(0, 10_000);
      return {
        head: ["id", "class", "name", "what", "bytes", "created", "created_by", "released"],
        rows: rows.map((one) => [one.id, one.class, one.name, one.label, one.bytes, one.created, one.created_by, one.released]),
        ...(rows.length < list().total() ? { more: `the first of ${list().total()}` } : {}),
      };
    },
    json: () => list().read(0, 10_000),
  }));
  const columns = () => COLUMNS.filter((one) => (wanted() ? !["Life", "Created"].includes(one.title) : one.title !== "Last write"));
  const calls = () => Math.max(1, trace()?.calls ?? 1);
  return (
    <Split
      name="objects and object"
      start={0.42}
      first={
        <div class="stack">
          <form
            class="toolbar"
            role="search"
            onSubmit={(event) => {
              event.preventDefault();
              go({ more: { name: name().trim() } });
            }}
          >
            <Show when={view === "objects"}>
              <select aria-label="Class" onChange={(event) => go({ more: { class: event.currentTarget.value } })}>
                <option value="">all classes</option>
                <For each={classes().data?.items ?? []}>
                  {(one) => <option value={one.class} selected={one.class === place().more["class"]}>{shortClass(one.class)} ({one.count})</option>}
                </For>
              </select>
            </Show>
            <input id="search" type="search" class="grow" aria-label="Search by name" placeholder="name" value={name()} onInput={(event) => setName(event.currentTarget.value)} />
            <button type="submit">Search</button>
            <label>
              sort{" "}
              <select onChange={(event) => go({ more: { sort: event.currentTarget.value, down: ["bytes", "written"].includes(event.currentTarget.value) ? "1" : undefined } })}>
                <For each={["id", "class", "created", "bytes", ...(view === "resources" ? ["written"] : [])]}>{(one) => <option value={one} selected={one === (place().more["sort"] ?? "id")}>{SORTS[one] ?? one}</option>}</For>
              </select>
            </label>
            <label title={`Those that lived at call ${place().call ?? "–"}`}>
              <input type="checkbox" checked={place().more["alive"] !== undefined} disabled={place().call === undefined} onChange={(event) => go({ more: { alive: event.currentTarget.checked ? "1" : undefined } })} /> alive at the call
            </label>
          </form>
          <Show when={wanted()}><Progress job={job()} what="Looking for last writes" /></Show>
          <Problem text={list().error()} />
          <List
            label="Objects"
            count={list().total()}
            columns={columns()}
            selected={selected()}
            onSelect={(at) => {
              setRow(at);
              const one = list().item(at);
              // A subresource of one resource means nothing for the next.
              if (one) go({ object: one.id, more: { mip: undefined, slice: undefined, plane: undefined, sample: undefined, offset: undefined, struct: undefined } }, true);
            }}
            onWindow={(first, count) => list().want(first, count)}
            empty={<Empty>No object is like that.</Empty>}
          >
            {(at) => {
              const one = () => list().item(at());
              return (
                <>
                  <Cell right mono>{one()?.id}</Cell>
                  <Cell title={one()?.class}>
                    <bdi>{one()?.name || <span class="faint">{shortClass(one()?.class ?? "")}</span>}</bdi>
                  </Cell>
                  <Cell title={one()?.label ?? undefined}>{what(one())}</Cell>
                  <Cell right mono>{one()?.bytes == null ? "" : bytes(one()?.bytes ?? 0)}</Cell>
                  <Show when={!wanted()}><Cell right><CallLink call={one()?.created} quiet /></Cell></Show>
                  <Cell right><Show when={one()?.released} fallback={<span class="faint">lives</span>}><CallLink call={one()?.released} quiet /></Show></Cell>
                  <Show when={wanted()}>
                    <Cell title={one()?.written?.method ?? undefined}>
                      <Show when={one()?.written} fallback={<span class="faint">{one() ? "never" : ""}</span>}>
                        {(last) => <><CallLink call={last().call} quiet /> {kindText(last().kind)}</>}
                      </Show>
                    </Cell>
                  </Show>
                  <Show when={!wanted()}>
                  <Cell>
                    <Show when={one()}>
                      {(object) => (
                        <span class="life" role="img" aria-label={`From call ${object().created ?? 0} to ${object().released ?? "the end"}`}>
                          <span
                            class="span"
                            style={{
                              left: `${((object().created ?? 0) / calls()) * 100}%`,
                              width: `max(2px, ${(((object().released ?? calls()) - (object().created ?? 0)) / calls()) * 100}%)`,
                            }}
                          />
                        </span>
                      )}
                    </Show>
                  </Cell>
                  </Show>
                </>
              );
            }}
          </List>
        </div>
      }
      second={
        <Show when={place().object} fallback={<Empty>Choose an object.</Empty>}>
          <ObjectView />
        </Show>
      }
    />
  );
}

function what(one: ObjectRow | undefined): string {
  if (one === undefined) return "";
  if (one.label) return brief(one.label);
  return one.created_by ?? "";
}
