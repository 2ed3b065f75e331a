// The slots of a descriptor heap that were written, as of a call.

import { createMemo, createSignal, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type Json, type Listing } from "../api.ts";
import { viewText, type Descriptor } from "../bound.ts";
import { useExport } from "../export.tsx";
import { Cell, List } from "../list.tsx";
import { CallLink, ObjectLink } from "../names.tsx";
import { Empty, Problem } from "../notice.tsx";
import { pages } from "../pages.ts";
import { api, place } from "../place.ts";
import { Split } from "../split.tsx";
import { brief, grouped } from "../text.ts";
import { Value } from "../value.tsx";

interface Slot extends Descriptor {
  copied_from?: Json;
}

const COLUMNS = [
  { title: "Slot", width: "72px", right: true },
  { title: "View", width: "64px" },
  { title: "Resource", width: "minmax(90px, 1fr)" },
  { title: "How", width: "minmax(120px, 1.4fr)" },
  { title: "Written by", width: "76px", right: true },
];

export function Descriptors(props: { heap: number; at: number }): JSX.Element {
  const list = createMemo(() => {
    const [prefix, heap, call] = [api("descriptors"), props.heap, props.at];
    const made = pages<Slot>((first, count) => path(prefix, { heap, call, first, count }));
    made.want(0, 1);
    return made;
  });
  const about = useAnswer<Listing<Slot> & { type?: string; size?: number }>(() => path(api("descriptors"), { heap: props.heap, call: props.at, first: 0, count: 1 }));
  const [chosen, setChosen] = createSignal<number | null>(null);
  const slot = () => (chosen() === null ? undefined : list().item(chosen() as number));
  useExport(() => ({
    command: ["state", "TRACE", String(props.at), "--object", String(props.heap)],
    table: async () => {
      const rows = await list().read(0, 10_000);
      return { head: ["slot", "view", "resource", "how", "written_by_call"], rows: rows.map((one) => [one.slot, one.view, one.resource?.id, viewText(one.desc ?? null), one.call]) };
    },
    json: () => list().read(0, 10_000),
  }));
  return (
    <div class="stack">
      <Problem text={list().error()} />
      <p class="count">
        {grouped(list().total())} of {grouped(about().data?.size ?? 0)} slots were written, {brief(about().data?.type ?? "")}, as of call {props.at}.
      </p>
      <Split
        name="slots and slot"
        down
        start={0.65}
        first={
          <List label="Slots" count={list().total()} columns={COLUMNS} selected={chosen()} onSelect={setChosen} onWindow={(first, count) => list().want(first, count)} empty={<Empty>No slot was written.</Empty>}>
            {(row) => {
              const one = () => list().item(row());
              return (
                <>
                  <Cell right mono>{one()?.slot}</Cell>
                  <Cell>{one()?.view}</Cell>
                  <Cell>
                    <Show when={one()?.resource ?? one()?.location?.resource} fallback={<span class="faint">{one()?.view === "sampler" ? "" : "null"}</span>}>
                      {(resource) => (
                        <span classList={{ bad: resource().gone ?? false }}>
                          <ObjectLink object={resource()} call={place().call} quiet />
                          {resource().gone ? " released" : ""}
                        </span>
                      )}
                    </Show>
                  </Cell>
                  <Cell mono>{viewText(one()?.desc ?? null)}</Cell>
                  <Cell right><CallLink call={one()?.call} quiet /></Cell>
                </>
              );
            }}
          </List>
        }
        second={
          <div class="scroll" role="group" aria-label="Slot">
            <Show when={slot()} fallback={<Empty>Choose a slot.</Empty>}>{(one) => <Value value={one() as unknown as Json} depth={0} call={place().call} />}</Show>
          </div>
        }
      />
    </div>
  );
}
