// A call: its arguments, what was bound, what it changed.

import { createMemo, For, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type Detail, type Json } from "../api.ts";
import { useExport } from "../export.tsx";
import { Kind } from "../kind.tsx";
import { ObjectLink } from "../names.tsx";
import { Answered } from "../notice.tsx";
import { api, link, place, trace } from "../place.ts";
import { Tabs, type Tab } from "../tabs.tsx";
import { time } from "../text.ts";
import { Value } from "../value.tsx";
import { Bindings } from "./bindings.tsx";
import { Changes } from "./changes.tsx";
import { DebugView } from "./debug.tsx";
import { EditView } from "./edit.tsx";
import { MeshView } from "./mesh.tsx";
import { Pipeline } from "./pipeline.tsx";
import { StateView } from "./state.tsx";
import { Targets } from "./targets.tsx";

const ACTIONS = new Set(["draw", "dispatch", "rays", "mesh", "indirect", "bundle"]);
const DRAWS = new Set(["draw", "mesh", "indirect"]);
const DEBUGGED = new Set(["draw", "dispatch", "rays", "indirect"]);
const WRITERS = new Set(["draw", "mesh", "indirect", "clear", "resolve", "copy", "dispatch", "discard", "bundle"]);

export function CallView(): JSX.Element {
  const answer = useAnswer<Detail>(() => path(api("call"), { call: place().call }));
  const kind = createMemo(() => answer().data?.kind ?? "other");
  const tabs = createMemo(() => {
    const list: Tab[] = [{ id: "arguments", title: "Arguments", body: () => <Arguments detail={answer().data} /> }];
    if (ACTIONS.has(kind())) {
      list.push(
        { id: "pipeline", title: "Pipeline", body: () => <Pipeline /> },
        { id: "bindings", title: "Bindings", body: () => <Bindings /> },
        { id: "changes", title: "Changes", body: () => <Changes /> },
      );
    }
    if (WRITERS.has(kind())) list.push({ id: "targets", title: "Targets", body: () => <Targets /> });
    if (DRAWS.has(kind())) list.push({ id: "mesh", title: "Mesh", body: () => <MeshView /> });
    if (DEBUGGED.has(kind())) list.push({ id: "debug", title: "Debug", body: () => <DebugView kind={kind()} /> });
    list.push({ id: "edit", title: "Edit", body: () => <EditView /> });
    list.push({ id: "state", title: "State", body: () => <StateView /> });
    return list;
  });
  return (
    <Answered answer={answer()}>
      {(detail) => (
        <article class="inspector" aria-label={`Call ${detail().line.call}`}>
          <header>
            <h2>
              <Kind kind={detail().kind} /> <span class="faint">{detail().line.call}</span> {shortMethod(detail().line.method)}
            </h2>
            <p class="faint">
              frame {detail().line.frame}, thread {detail().line.thread}, at {time(detail().line.time_ns)}
              <Show when={detail().duration_ns}>{(ns) => <>, {time(ns())}</>}</Show>
              <Show when={detail().line.this}>
                {(object) => (
                  <>
                    {" "}on <ObjectLink object={object()} call={place().call} />
                  </>
                )}
              </Show>
            </p>
          </header>
          <Tabs label="The call" tabs={tabs()} />
        </article>
      )}
    </Answered>
  );
}

function shortMethod(method: string): string {
  return method.replace(/^ID3D12/, "");
}

function Arguments(props: { detail: Detail | undefined }): JSX.Element {
  useExport(() => ({
    command: ["dump", "--calls", String(place().call), "TRACE"],
    table: async () => ({ head: ["argument", "value"], rows: Object.entries(props.detail?.line.args ?? {}).map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : value]) }),
    json: async () => props.detail?.line,
  }));
  return (
    <Show when={props.detail}>
      {(detail) => (
        <div class="scroll">
          <h3>Arguments <a class="button" href={link({ tab: "edit" })}>Edit</a></h3>
          <Show when={Object.keys(detail().line.args).length > 0} fallback={<p class="none">none</p>}>
            <Value value={detail().line.args} call={place().call} />
          </Show>
          <Show when={detail().line.outputs}>
            {(outputs) => (
              <>
                <h3>Given back</h3>
                <Value value={outputs()} call={place().call} />
              </>
            )}
          </Show>
          <h3>Result</h3>
          <p class="indent">
            <Show when={detail().line.returned !== false} fallback={<span class="bad">The call never returned: here the program hung, crashed or was ended.</span>}>
              <span class="value">{typeof detail().line.result === "object" ? (detail().line.result === null ? "nothing" : JSON.stringify(detail().line.result)) : String(detail().line.result)}</span>
            </Show>
          </p>
          <Show when={detail().events.length > 0}>
            <h3>What happened right after it</h3>
            <For each={detail().events}>{(event) => <Value value={event as Json} depth={1} call={place().call} />}</For>
            <Show when={detail().events_more > 0}>
              <p class="faint">and {detail().events_more} more: reprise dump --calls {place().call} {trace()?.file}</p>
            </Show>
          </Show>
          <Show when={detail().objects.length > 0}>
            <h3>Objects</h3>
            <p class="indent links">
              <For each={detail().objects}>{(object) => <ObjectLink object={object} call={place().call} />}</For>
            </p>
          </Show>
        </div>
      )}
    </Show>
  );
}
