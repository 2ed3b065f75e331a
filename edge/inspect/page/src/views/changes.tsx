// What is bound differently than at the draw before.

import { For, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type Change } from "../api.ts";
import { useExport } from "../export.tsx";
import { CallLink } from "../names.tsx";
import { Answered, Empty } from "../notice.tsx";
import { api, place } from "../place.ts";
import { Value } from "../value.tsx";

interface Changed {
  call: number;
  before: number | null;
  changes: Change[];
  more: number;
}

export function pathText(path: Change["path"]): string {
  return typeof path === "string" ? path : path.map((part) => (typeof part === "number" ? `[${part}]` : part)).join(".").replaceAll(".[", "[");
}

export function Changes(): JSX.Element {
  const answer = useAnswer<Changed>(() => path(api("state/before"), { call: place().call }));
  useExport(() => ({
    command: ["state", "--json", "TRACE", String(place().call)],
    table: async () => ({ head: ["path", "before", "now"], rows: (answer().data?.changes ?? []).map((one) => [pathText(one.path), JSON.stringify(one.a), JSON.stringify(one.b)]) }),
    json: async () => answer().data,
  }));
  return (
    <div class="scroll">
      <Answered answer={answer()}>
        {(data) => (
          <Show when={data().before !== null} fallback={<Empty>This is the first action of its list: there is nothing to compare with.</Empty>}>
            <p class="indent">
              Compared with call <CallLink call={data().before} />, the action before it in the same list.
            </p>
            <Show when={data().changes.length > 0} fallback={<Empty>Everything is bound as it was.</Empty>}>
              <ChangeTable changes={data().changes} heads={["Before", "Now"]} />
              <Show when={data().more > 0}>
                <p class="faint">and {data().more} more</p>
              </Show>
            </Show>
          </Show>
        )}
      </Answered>
    </div>
  );
}

export function ChangeTable(props: { changes: Change[]; heads: [string, string] }): JSX.Element {
  return (
    <table class="plain">
      <thead>
        <tr>
          <th>What</th>
          <th>{props.heads[0]}</th>
          <th>{props.heads[1]}</th>
        </tr>
      </thead>
      <tbody>
        <For each={props.changes}>
          {(change) => (
            <tr>
              <td class="mono">{pathText(change.path)}</td>
              <td class="removed">
                <Value value={change.a} depth={2} />
              </td>
              <td class="added">
                <Value value={change.b} depth={2} />
              </td>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}
