// Who uses a resource: the writes around a call, how its subresources stand there, and all uses.

import { createMemo, For, Show, type JSX } from "solid-js";
import type { UsageReport, Use, UsePart } from "../api.ts";
import { useExport } from "../export.tsx";
import { useItems } from "../items.ts";
import { useJob } from "../job.ts";
import { Cell } from "../list.tsx";
import { CallLink } from "../names.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { go, trace } from "../place.ts";
import { grouped } from "../text.ts";
import { FoundList } from "./found.tsx";

/** `mips 1 to 3, layer 0`. */
export function partText(part: UsePart): string {
  const one = (name: string, first: number, count: number) => (count === 1 ? `${name} ${first}` : `${name}s ${first} to ${first + count - 1}`);
  return [one("mip", part.mip, part.mips), one("layer", part.layer, part.layers), one("plane", part.plane, part.planes)].join(", ");
}

export function kindText(kind: string): string {
  return kind.replaceAll("_", " ");
}

/** A use without its call: what it does, where, how sure that is. */
export function useText(use: Use): string {
  const where = use.whole ? [] : use.parts.map(partText);
  const bytes = use.bytes ? [`bytes ${grouped(use.bytes[0])} to ${grouped(use.bytes[0] + use.bytes[1] - 1)}`] : [];
  return [kindText(use.kind), ...where, ...bytes, ...(use.sure === "certain" ? [] : [use.sure])].join(", ");
}

/** How a resource is used around a call. */
export function useUsage(object: () => number | undefined, call: () => number | undefined) {
  const job = useJob(() => {
    const [id, at] = [object(), call()];
    return id === undefined || at === undefined ? null : { t: trace()?.t ?? 0, body: { kind: "usage", object: id, call: at } };
  });
  const report = createMemo(() => (job().state?.state === "done" ? (job().state?.result as unknown as UsageReport) : undefined));
  return { job, report };
}

/** Buttons to the write before a call and to the next one. */
export function WriteSteps(props: { object: number | undefined; call: number | undefined }): JSX.Element {
  const { job, report } = useUsage(() => props.object, () => props.call);
  const waiting = () => job().error ?? (report() === undefined ? "looking for it" : (report()?.reason ?? "there is none"));
  const step = (use: Use | null | undefined, word: string, sign: string) => (
    <button
      class="small"
      disabled={!use}
      title={use ? `call ${use.call}: ${useText(use)}` : `${word} write: ${waiting()}`}
      onClick={() => use && go({ call: use.call })}
    >
      {sign === "<" ? "◂ " : ""}{word} write{sign === ">" ? " ▸" : ""}
    </button>
  );
  return (
    <span class="steps" role="group" aria-label="Writes to it">
      {step(report()?.previous_write, "previous", "<")}
      {step(report()?.next_write, "next", ">")}
    </span>
  );
}

/** How the subresources of a resource stand as a call finds them. */
export function Standing(props: { object: number; call: number }): JSX.Element {
  const { job, report } = useUsage(() => props.object, () => props.call);
  useExport(() => ({
    command: ["state", "TRACE", String(props.call), "--object", String(props.object)],
    table: async () => ({
      head: ["mip", "mips", "layer", "layers", "plane", "planes", "kind", "state", "call"],
      rows: (report()?.subresources ?? []).map((one) => [one.mip, one.mips, one.layer, one.layers, one.plane, one.planes, one.kind, one.state, one.call]),
    }),
    json: async () => report(),
  }));
  const at = (told: UsageReport) =>
    told.at === "submission" ? `As call ${props.call} finds it when its list runs, in submission ` : told.at === "not_run" ? "Behind all that was submitted before the call: no submission runs its list." : "Behind all that was submitted before the call.";
  return (
    <div class="scroll">
      <Progress job={job()} what="Following what lists do" />
      <Show when={report()}>
        {(told) => (
          <>
            <Problem text={told().reason ? `Its uses are not told: ${told().reason}.` : undefined} />
            <Show when={!told().reason}>
            <p class="count">{at(told())}<Show when={told().submission}><CallLink call={told().submission} />.</Show></p>
            <Problem text={told().damaged ? `${grouped(told().damaged ?? 0)} calls cannot be read: their uses are missing.` : undefined} />
            <Show when={told().subresources.length > 0} fallback={<Empty>Its states are not followed.</Empty>}>
              <table class="plain">
                <thead><tr><th>Subresources</th><th>State or layout</th><th class="right">Since call</th></tr></thead>
                <tbody>
                  <For each={told().subresources}>
                    {(one) => (
                      <tr>
                        <td>{partText(one)}</td>
                        <td class="mono">{one.kind === "split" ? "split barrier: " : ""}{(one.state ?? "unknown").replaceAll("D3D12_RESOURCE_STATE_", "").replaceAll("D3D12_BARRIER_LAYOUT_", "layout ")}</td>
                        <td class="right"><CallLink call={one.call} /></td>
                      </tr>
                    )}
                  </For>
                </tbody>
              </table>
            </Show>
            <h3>Uses around the call</h3>
            <table class="plain">
              <thead><tr><th>What</th><th>Call</th><th>Method</th><th>Use</th></tr></thead>
              <tbody>
                <For each={[["previous write", told().previous_write], ...told().here.map((use) => ["this call", use] as const), ["next write", told().next_write]] as [string, Use | null][]}>
                  {([what, use]) => (
                    <tr>
                      <td>{what}</td>
                      <td><CallLink call={use?.call} /></td>
                      <td>{use?.method?.replace(/^.*::/, "") ?? ""}</td>
                      <td>{use ? useText(use) : "none"}</td>
                    </tr>
                  )}
                </For>
              </tbody>
            </table>
            </Show>
          </>
        )}
      </Show>
    </div>
  );
}

/** All uses of a resource, in the order in which they happen. */
export function AllUses(props: { object: number }): JSX.Element {
  const job = useJob(() => ({ t: trace()?.t ?? 0, body: { kind: "resource_uses", object: props.object } }));
  const list = useItems<Use>(job);
  useExport(() => ({
    command: ["query", "TRACE", `SELECT * FROM uses WHERE object = ${props.object} ORDER BY place`],
    table: async () => {
      const rows = (await list()?.read(0, 10_000)) ?? [];
      return { head: ["call", "method", "frame", "kind", "writes", "sure", "parts", "submission"], rows: rows.map((one) => [one.call, one.method, one.frame, one.kind, one.writes ? 1 : 0, one.sure, one.parts.map(partText).join("; "), one.submission?.call]) };
    },
    json: async () => list()?.read(0, 10_000),
  }));
  return (
    <FoundList
      job={job()}
      list={list()}
      what="Following what lists do"
      label="Uses of it"
      columns={[{ title: "Call", width: "72px", right: true }, { title: "", width: "16px" }, { title: "Use", width: "minmax(130px, 1fr)" }, { title: "Subresources, bytes", width: "minmax(130px, 1.2fr)" }, { title: "Method", width: "minmax(120px, 1fr)" }, { title: "Submitted", width: "84px", right: true }, { title: "Frame", width: "60px", right: true }]}
      none="Nothing uses it."
    >
      {(one) => (
        <>
          <Cell right mono>{one()?.call}</Cell>
          <Cell title={one()?.writes ? "writes" : "reads"}>{one() === undefined ? "" : one()?.writes ? "●" : "○"}</Cell>
          <Cell title={one()?.sure}>{one() ? `${kindText(one()?.kind ?? "")}${one()?.sure === "certain" ? "" : `, ${one()?.sure}`}` : ""}</Cell>
          <Cell>{one() ? (one()?.bytes ? `bytes ${grouped(one()?.bytes?.[0] ?? 0)} + ${grouped(one()?.bytes?.[1] ?? 0)}` : one()?.whole ? "all" : one()?.parts.map(partText).join("; ")) : ""}</Cell>
          <Cell>{one()?.method?.replace(/^.*::/, "") ?? ""}</Cell>
          <Cell right><Show when={one()?.submission}>{(ran) => <CallLink call={ran().call} quiet />}</Show></Cell>
          <Cell right mono>{one()?.frame}</Cell>
        </>
      )}
    </FoundList>
  );
}
