// What a job finds about calls, as a list: a choice moves to the call, Enter opens it.

import { createMemo, Show, type JSX } from "solid-js";
import type { Job } from "../job.ts";
import { List, type Column } from "../list.tsx";
import { Empty, Progress } from "../notice.tsx";
import type { Pages } from "../pages.ts";
import { go, place } from "../place.ts";

/** Rows in which the chosen call is looked for. */
const LOOKED = 400;

export function FoundList<T extends { call: number }>(props: { job: Job; list: Pages<T> | null; what: string; label: string; columns: readonly Column[]; none: string; children: (item: () => T | undefined) => JSX.Element }): JSX.Element {
  const selected = createMemo(() => {
    for (let row = 0; row < Math.min(props.list?.total() ?? 0, LOOKED); row += 1) if (props.list?.item(row)?.call === place().call) return row;
    return null;
  });
  return (
    <div class="stack">
      <Progress job={props.job} what={props.what} />
      <Show when={props.list}>
        {(found) => (
          <List
            label={props.label}
            count={found().total()}
            columns={props.columns}
            selected={selected()}
            onSelect={(row) => {
              const call = found().item(row)?.call;
              if (call !== undefined) go({ call }, true);
            }}
            onOpen={(row) => go({ view: "calls", call: found().item(row)?.call })}
            onWindow={(first, count) => found().want(first, count)}
            empty={<Empty>{props.job.state?.state === "done" ? props.none : ""}</Empty>}
          >
            {(row) => props.children(() => found().item(row()))}
          </List>
        )}
      </Show>
    </div>
  );
}
