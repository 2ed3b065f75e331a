// What a pipeline cost, beside what it is.

import { For, Show, type JSX } from "solid-js";
import { useAnswer } from "../answer.ts";
import { path, type Listing, type ObjectName, type PipelineCost } from "../api.ts";
import { ObjectLink } from "../names.tsx";
import { api, link, trace } from "../place.ts";
import { decimal, grouped, time } from "../text.ts";

/** Time and counts of all that a pipeline ran. Nothing where nothing was measured, or the pipeline ran in none of what was. */
export function Spent(props: { pipeline: number | undefined; named?: ObjectName | undefined }): JSX.Element {
  const answer = useAnswer<Listing<PipelineCost>>(() => (props.pipeline === undefined || !trace()?.measured ? null : path(api("costs/pipelines"), { object: props.pipeline })));
  const cost = () => answer().data?.items[0];
  return (
    <Show when={cost()}>
      {(one) => (
        <p class="indent spent" role="group" aria-label={`What pipeline ${props.pipeline} cost`}>
          <Show when={props.named}>{(named) => <ObjectLink object={named()} />}</Show>
          <Show when={one().gpu_ns !== null}>
            <span><b>{time(one().gpu_ns ?? 0)}</b> on the GPU{one().share === null ? "" : `, ${((one().share ?? 0) * 100).toFixed(1)} %`}</span>
          </Show>
          <a href={link({ view: "costs", more: { pipeline: String(props.pipeline) } })}>{grouped(one().operations)} {one().operations === 1 ? "operation" : "operations"}</a>
          <Show when={one().uncounted > 0}><span class="faint">{grouped(one().uncounted)} of them not counted</span></Show>
          <For each={Object.entries(one().counts).filter(([, count]) => count > 0)}>{([name, count]) => <span class="faint">{name.replaceAll("_", " ")} {grouped(count)}</span>}</For>
          <For each={Object.entries(one().driver_counts)}>
            {([name, count]) => <span class="faint" title={count === null ? "No sum of several operations" : undefined}><bdi>{name}</bdi> {count === null ? "–" : decimal(count)}</span>}
          </For>
        </p>
      )}
    </Show>
  );
}
