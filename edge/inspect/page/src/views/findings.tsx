// What the program did wrong, by the rules of `reprise lint`.

import { createMemo, createSignal, Show, type JSX } from "solid-js";
import type { Finding, Json, ObjectName } from "../api.ts";
import { useExport } from "../export.tsx";
import { useItems } from "../items.ts";
import { useJob } from "../job.ts";
import { Cell, List } from "../list.tsx";
import { CallLink, ObjectLink } from "../names.tsx";
import { Empty, Problem, Progress } from "../notice.tsx";
import { go, trace } from "../place.ts";
import { Split } from "../split.tsx";
import { grouped } from "../text.ts";
import { Value } from "../value.tsx";

const COLUMNS = [
  { title: "Severity", width: "76px" },
  { title: "Rule", width: "minmax(120px, 200px)" },
  { title: "Call", width: "80px", right: true },
  { title: "Times", width: "60px", right: true },
  { title: "Finding", width: "minmax(200px, 1fr)" },
];

export function Findings(): JSX.Element {
  const job = useJob(() => ({ t: trace()?.t ?? 0, body: { kind: "lint" } }));
  const list = useItems<Finding>(job);
  const [chosen, setChosen] = createSignal<number | null>(null);
  const finding = createMemo(() => (chosen() === null ? undefined : list()?.item(chosen() as number)));
  const select = (row: number) => setChosen(row);
  useExport(() => ({
    command: ["lint", "TRACE"],
    table: async () => {
      const rows = (await list()?.read(0, 10_000)) ?? [];
      return { head: ["severity", "rule", "call", "times", "text"], rows: rows.map((one) => [one.severity, one.rule, one.call, one.times ?? 1, one.text]) };
    },
    json: async () => list()?.read(0, 10_000),
  }));
  const object = (one: Finding): ObjectName | null => (typeof one.object === "object" && one.object !== null ? one.object : null);
  return (
    <div class="stack">
      <Progress job={job()} what="Looking for what is wrong" />
      <Show when={job().state?.state === "done"}>
        <p class="count" role="status">{grouped(job().state?.found ?? 0)} findings{job().state?.more ? ", and more" : ""}.</p>
      </Show>
      <Show when={list()}>
        {(all) => (
          <Split
            name="findings and finding"
            down
            start={0.6}
            first={
              <>
                <Problem text={all().error()} />
                <List
                  label="Findings"
                  count={all().total()}
                  columns={COLUMNS}
                  selected={chosen()}
                  onSelect={select}
                  onOpen={(row) => {
                    const call = all().item(row)?.call;
                    if (call) go({ view: "calls", call });
                  }}
                  onWindow={(first, count) => all().want(first, count)}
                  empty={<Empty>{job().state?.state === "done" ? "Nothing is wrong, as far as the rules see." : ""}</Empty>}
                >
                  {(row) => {
                    const one = () => all().item(row());
                    return (
                      <>
                        <Cell><span class={`severity ${one()?.severity ?? ""}`}>{one()?.severity}</span></Cell>
                        <Cell mono>{one()?.rule}</Cell>
                        <Cell right><CallLink call={one()?.call} quiet /></Cell>
                        <Cell right mono>{one()?.times ?? (one() ? 1 : "")}</Cell>
                        <Cell title={one()?.text}>{one()?.text}</Cell>
                      </>
                    );
                  }}
                </List>
              </>
            }
            second={
              <div class="scroll" role="group" aria-label="Finding">
                <Show when={finding()} fallback={<Empty>Choose a finding. Enter opens its call.</Empty>}>
                  {(one) => (
                    <>
                      <h2>{one().rule}</h2>
                      <p class="indent">{one().text}</p>
                      <p class="indent">
                        Call <CallLink call={one().call} />
                        <Show when={object(one())}>{(it) => <>, object <ObjectLink object={it()} call={one().call} /></>}</Show>
                      </p>
                      <Value value={one() as unknown as Json} depth={0} call={one().call} />
                    </>
                  )}
                </Show>
              </div>
            }
          />
        )}
      </Show>
    </div>
  );
}
